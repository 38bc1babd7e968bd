// SPDX-License-Identifier: Apache-2.0
//
// Builds the body of main: graphs, nodes, functions.

#ifndef SPYRE_LIB_IMPORT_ONNX_GRAPHIMPORTER_H
#define SPYRE_LIB_IMPORT_ONNX_GRAPHIMPORTER_H

#include "Dims.h"
#include "Values.h"

#include "spyre/Dialect/Onnx/IR/Onnx.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace spyre {

class GraphImporter {
public:
  GraphImporter(const onnxfile::Model &model, const ImportOptions &options,
                mlir::MLIRContext *context);

  /// Builds the function at the end of the module.
  void importMain(mlir::ModuleOp module);

  /// What was wrong; the module is of no use if there is anything.
  std::vector<Error> finish();

private:
  /// The values that nodes of one graph, or of one call of a function, see.
  struct Scope {
    std::map<std::string, mlir::Value> values;
    /// Constants, made when first used.
    std::map<std::string, const onnxfile::Tensor *> tensors;
    /// Types that the graph states.
    std::map<std::string, const onnxfile::Type *> types;
  };
  /// The call of a function of the model whose body is being imported.
  struct Call {
    const onnxfile::Function *function = nullptr;
    /// The attributes that the call gives or that have a default, by name.
    std::map<std::string, const onnxfile::Attribute *> attributes;
    /// Names of nodes inside begin with the name of the call.
    std::string prefix;
  };
  using Attributes =
      std::vector<std::pair<std::string, const onnxfile::Attribute *>>;

  void importInput(const onnxfile::ValueInfo &input, Scope &scope);
  mlir::Value constantInput(const onnxfile::ValueInfo &input);
  void enterGraph(const onnxfile::Graph &graph, Scope &scope);
  void importNode(const onnxfile::Node &node, Scope &scope, const Call &call);
  void importCall(const onnxfile::Node &node,
                  const onnxfile::Function &function, Scope &scope,
                  const Call &caller);
  bool importConstantNode(const onnxfile::Node &node, Scope &scope,
                          const Call &call);
  void buildNode(const onnxfile::Node &node, Scope &scope, const Call &call);
  void buildSubgraph(const onnxfile::Graph &graph, mlir::Region &region,
                     llvm::ArrayRef<std::string> captures,
                     mlir::ValueRange captured, const Call &call);

  Attributes resolve(const onnxfile::Node &node, const Call &call) const;
  mlir::Attribute toParameter(const onnxfile::Attribute &attribute,
                              const std::string &subject);
  mlir::Value lookup(const std::string &name, Scope &scope);
  mlir::Value none(mlir::Location loc);
  mlir::Type typeOf(const std::string &name, const Scope &scope) const;
  mlir::Type toType(const onnxfile::Type &type) const;
  void report(ErrorCode code, std::string subject, std::string message);

  const onnxfile::Model &model;
  const ImportOptions &options;
  mlir::OpBuilder builder;
  DimTable dims;
  ConstantBuilder constants;
  mlir::func::FuncOp func;
  llvm::SmallVector<mlir::DictionaryAttr> argumentAttrs;
  std::vector<Error> errors;
};

} // namespace spyre

#endif // SPYRE_LIB_IMPORT_ONNX_GRAPHIMPORTER_H
