// SPDX-License-Identifier: Apache-2.0
//
// Field numbers of the messages of onnx.proto that are read; all others are
// skipped.

#ifndef SPYRE_LIB_ONNXFILE_FIELDS_H
#define SPYRE_LIB_ONNXFILE_FIELDS_H

#include <cstdint>

namespace spyre::onnxfile::field {

namespace Model {
enum : uint32_t {
  IrVersion = 1,
  ProducerName = 2,
  ProducerVersion = 3,
  Domain = 4,
  ModelVersion = 5,
  DocString = 6,
  Graph = 7,
  OpsetImport = 8,
  MetadataProps = 14,
  Functions = 25,
};
} // namespace Model

namespace OperatorSetId {
enum : uint32_t { Domain = 1, Version = 2 };
} // namespace OperatorSetId

namespace StringStringEntry {
enum : uint32_t { Key = 1, Value = 2 };
} // namespace StringStringEntry

namespace Graph {
enum : uint32_t {
  Node = 1,
  Name = 2,
  Initializer = 5,
  DocString = 10,
  Input = 11,
  Output = 12,
  ValueInfo = 13,
  SparseInitializer = 15,
  MetadataProps = 16,
};
} // namespace Graph

namespace Function {
enum : uint32_t {
  Name = 1,
  Input = 4,
  Output = 5,
  Attribute = 6,
  Node = 7,
  DocString = 8,
  OpsetImport = 9,
  Domain = 10,
  AttributeProto = 11,
  ValueInfo = 12,
  Overload = 13,
  MetadataProps = 14,
};
} // namespace Function

namespace Node {
enum : uint32_t {
  Input = 1,
  Output = 2,
  Name = 3,
  OpType = 4,
  Attribute = 5,
  DocString = 6,
  Domain = 7,
  Overload = 8,
  MetadataProps = 9,
};
} // namespace Node

namespace Attribute {
enum : uint32_t {
  Name = 1,
  F = 2,
  I = 3,
  S = 4,
  T = 5,
  G = 6,
  Floats = 7,
  Ints = 8,
  Strings = 9,
  Tensors = 10,
  Graphs = 11,
  DocString = 13,
  Tp = 14,
  TypeProtos = 15,
  Type = 20,
  RefAttrName = 21,
  SparseTensor = 22,
  SparseTensors = 23,
};
} // namespace Attribute

namespace Tensor {
enum : uint32_t {
  Dims = 1,
  DataType = 2,
  Segment = 3,
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  Name = 8,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11,
  DocString = 12,
  ExternalData = 13,
  DataLocation = 14,
  MetadataProps = 16,
};
} // namespace Tensor

namespace ValueInfo {
enum : uint32_t { Name = 1, Type = 2, DocString = 3, MetadataProps = 4 };
} // namespace ValueInfo

namespace Type {
enum : uint32_t {
  Tensor = 1,
  Sequence = 4,
  Map = 5,
  Opaque = 7,
  SparseTensor = 8,
  Optional = 9,
};
} // namespace Type

/// TypeProto.Tensor and .SparseTensor.
namespace TensorType {
enum : uint32_t { ElemType = 1, Shape = 2 };
} // namespace TensorType

/// TypeProto.Sequence and .Optional.
namespace ElementOf {
enum : uint32_t { ElemType = 1 };
} // namespace ElementOf

namespace MapType {
enum : uint32_t { KeyType = 1, ValueType = 2 };
} // namespace MapType

namespace Shape {
enum : uint32_t { Dim = 1 };
} // namespace Shape

namespace Dimension {
enum : uint32_t { Value = 1, Param = 2 };
} // namespace Dimension

} // namespace spyre::onnxfile::field

#endif // SPYRE_LIB_ONNXFILE_FIELDS_H
