// SPDX-License-Identifier: Apache-2.0
//
// The structure of a model: versions, names, order, functions. What an
// operator means is not looked at.

#ifndef SPYRE_ONNXFILE_VALIDATE_H
#define SPYRE_ONNXFILE_VALIDATE_H

#include "spyre/OnnxFile/Model.h"
#include "spyre/Support/Error.h"

namespace spyre::onnxfile {

/// Checks a model and puts its nodes in order. openModel and parseModel do so;
/// a model built by hand needs the call. Linear in the model's size.
///
/// - The IR version is 1 to kMaxIrVersion; each domain is imported once, and
///   each that a node uses is imported (calls of the model's own functions
///   need no import). Code OnnxVersion.
/// - In each graph and function body, values have one definition and every use
///   has one; a subgraph also sees the values of the graphs around it. A name
///   that a subgraph defines hides an outer one, unless a node that stands
///   before the definition uses it: that is ambiguous and refused. The outputs
///   of the model have different names. Code OnnxGraph; all undefined names
///   are listed.
/// - Nodes are sorted so that each stands after those whose values it uses,
///   directly or in its subgraphs; nodes that stand so already are not moved.
///   A cycle is named. Code OnnxGraph.
/// - Functions have different (domain, name, overload), do not call themselves,
///   directly or not, refer to attributes that they declare (OnnxGraph), and
///   expand to at most kMaxExpandedNodes nodes (OnnxLimit).
///
/// Fills in Graph::captures.
Status validateModel(Model &model);

} // namespace spyre::onnxfile

#endif // SPYRE_ONNXFILE_VALIDATE_H
