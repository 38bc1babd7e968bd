// SPDX-License-Identifier: Apache-2.0
//
// Everything that cannot be converted, in one sorted and counted list.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_REPORT_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_REPORT_H

#include "DecodeContext.h"

#include <map>
#include <tuple>

namespace spyre {

class RefusalReport {
public:
  void add(onnx::NodeOp node, const Refusal &refusal);
  /// A node with a decoder, behind nodes whose results have no known type.
  void addNotJudged(onnx::NodeOp node) { notJudged.push_back(node); }
  bool empty() const { return groups.empty(); }

  /// One coded diagnostic for each operator, domain, version and reason, in
  /// this order, with the number of nodes and the first names; last, a warning
  /// of the nodes that were not judged. The locations hold all nodes.
  void emit() const;

private:
  using Key =
      std::tuple<std::string, std::string, int64_t, Refusal::Kind, std::string>;
  std::map<Key, std::vector<onnx::NodeOp>> groups;
  std::vector<onnx::NodeOp> notJudged;
};

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_REPORT_H
