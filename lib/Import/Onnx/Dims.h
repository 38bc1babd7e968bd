// SPDX-License-Identifier: Apache-2.0
//
// Numbers for the dims of a model: a table of named dims shared by all inputs,
// filled from the options and solved for names that occur in sums. Dims are
// matched by name only, never by extent.

#ifndef SPYRE_LIB_IMPORT_ONNX_DIMS_H
#define SPYRE_LIB_IMPORT_ONNX_DIMS_H

#include "LinearDim.h"

#include "spyre/Import/Onnx/Import.h"
#include "spyre/Support/Error.h"

#include <set>

namespace spyre {

class DimTable {
public:
  /// Binds every name that the options determine and checks them against each
  /// other, the model and the exporter's range constraints.
  DimTable(const onnxfile::Model &model, const ImportOptions &options);

  /// The extents of a shape, or nothing if one of them has no number.
  std::optional<std::vector<int64_t>>
  evaluate(const std::vector<onnxfile::Dim> &dims) const;

  /// The extents of a graph input. Nothing if one has no number; that is noted
  /// for the error that finish makes.
  std::optional<std::vector<int64_t>>
  inputShape(const onnxfile::ValueInfo &input);

  /// The dims that a binding makes 0, in words; those that are 0 in the model
  /// are not among them.
  std::vector<std::string> zeroDims() const;

  /// Everything that is wrong, with one error for all dims without a number.
  std::vector<Error> finish();

private:
  struct Binding {
    int64_t value = 0;
    std::string source;
  };
  /// dim = value, said by `source`.
  struct Equation {
    LinearDim dim;
    std::string text;
    int64_t value = 0;
    std::string source;
  };

  void collectNames();
  void addShape(const onnxfile::ValueInfo &input,
                const std::vector<int64_t> &shape, const std::string &source);
  void checkOptionNames();
  void solve();
  bool solve(const Equation &equation);
  void checkRanges();
  void checkRange(const std::string &text, const std::string &range,
                  const std::map<std::string, std::string> &symbols);
  std::optional<int64_t> evaluate(const LinearDim &dim) const;
  void report(std::string subject, std::string message,
              std::vector<std::string> notes = {});

  const onnxfile::Model &model;
  const ImportOptions &options;
  /// Names of dims in the model's inputs, outputs and value infos.
  std::set<std::string> names;
  std::map<std::string, Binding> bindings;
  std::vector<Equation> equations;
  /// Dims without a name that are given as 0, in words.
  std::vector<std::string> unnamedZeros;
  /// Unbound names, with the inputs that have them, and inputs that have a dim
  /// without any name.
  std::map<std::string, std::vector<std::string>> unboundNames;
  std::vector<std::pair<std::string, std::string>> unnamedInputs;
  std::vector<Error> errors;
};

} // namespace spyre

#endif // SPYRE_LIB_IMPORT_ONNX_DIMS_H
