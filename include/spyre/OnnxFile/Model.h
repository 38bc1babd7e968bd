// SPDX-License-Identifier: Apache-2.0
//
// An ONNX model as plain structs that mirror the messages of onnx.proto. Names
// and attributes are owned; the data of a weight stays in the file, as a range
// of one of the model's mapped files, so that opening a model of many
// gigabytes copies none of it.
//
// Names are UTF-8 text of any characters but NUL, line breaks and quotes among
// them: show them with quote() (spyre/Support/Quote.h).

#ifndef SPYRE_ONNXFILE_MODEL_H
#define SPYRE_ONNXFILE_MODEL_H

#include "spyre/OnnxFile/DataType.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace spyre::onnxfile {

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// One entry of metadata_props or external_data. Values are UTF-8.
struct Property {
  std::string key;
  std::string value;
};

/// The value of the first entry with this key; null if there is none.
const std::string *findProperty(std::span<const Property> properties,
                                std::string_view key);

/// A domain and the version of its operators that the model was written for.
/// The domain "ai.onnx" is read as "", here and everywhere else.
struct OpsetImport {
  std::string domain;
  int64_t version = 0;
};

/// A file whose bytes tensors refer to. `owner` keeps the bytes alive; it is
/// null where the caller of the parser owns them.
struct SourceFile {
  std::string path;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Bytes of a file: Model::files[file], from `offset` on.
struct FileRange {
  uint32_t file = 0;
  int64_t offset = 0;
  int64_t sizeBytes = 0;
};

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// How the message held a tensor's data: in raw_data, in the field of its type
/// (float_data, int32_data, ...), or in another file.
enum class Storage : uint8_t { Raw, Typed, External };

/// A constant. After reading, dims and size are checked: rank at most 64, no
/// dim negative, sizes fit int64_t, and the data has exactly the bytes that
/// type and dims ask for.
struct Tensor {
  std::string name;
  DataType dataType = DataType::Undefined;
  std::vector<int64_t> dims;

  Storage storage = Storage::Raw;
  /// Data decoded from a typed field: dense little-endian, as raw_data would
  /// hold it. Empty if the data is `range` (or there is none).
  std::vector<std::byte> owned;
  /// Data in a file: raw_data, external data, and typed fields whose bytes
  /// already are dense. Not aligned to anything.
  FileRange range;
  /// Elements of a String tensor, arbitrary bytes each.
  std::vector<std::string> strings;
  /// The entries of external_data as written (Storage::External only).
  std::vector<Property> externalData;

  std::string docString;
  std::vector<Property> metadata;

  /// Bytes of the data, of String tensors 0.
  int64_t sizeBytes() const {
    return owned.empty() ? range.sizeBytes : static_cast<int64_t>(owned.size());
  }
};

/// The data of a tensor: dense, little-endian, elements below 8 bits packed
/// (see denseBytes). Points into the tensor or a file; empty for Strings.
std::span<const std::byte> dataOf(const Tensor &tensor,
                                  std::span<const SourceFile> files);

//===----------------------------------------------------------------------===//
// Types of values
//===----------------------------------------------------------------------===//

/// One dim of a shape: a number, a name shared by equal dims, or neither.
struct Dim {
  enum class Kind : uint8_t { Unknown, Value, Param };
  Kind kind = Kind::Unknown;
  /// Kind::Value: zero or more.
  int64_t value = 0;
  /// Kind::Param: not empty.
  std::string param;
};

enum class TypeKind : uint8_t {
  /// The model states no type.
  None,
  Tensor,
  SparseTensor,
  Sequence,
  Optional,
  Map,
  Opaque
};

struct Type {
  TypeKind kind = TypeKind::None;
  /// Tensor, SparseTensor: the element type, Undefined if not stated. Map: the
  /// key type.
  DataType elemType = DataType::Undefined;
  /// Tensor, SparseTensor: whether a shape (a rank) is stated.
  bool hasShape = false;
  std::vector<Dim> dims;
  /// Sequence, Optional, Map: the element or value type; one entry.
  std::vector<Type> element;
};

/// Name and type of a value.
struct ValueInfo {
  std::string name;
  Type type;
  std::string docString;
  std::vector<Property> metadata;
};

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// onnx.AttributeProto.AttributeType.
enum class AttributeType : uint8_t {
  Undefined = 0,
  Float = 1,
  Int = 2,
  String = 3,
  Tensor = 4,
  Graph = 5,
  Floats = 6,
  Ints = 7,
  Strings = 8,
  Tensors = 9,
  Graphs = 10,
  SparseTensor = 11,
  SparseTensors = 12,
  TypeProto = 13,
  TypeProtos = 14,
};
inline constexpr int kNumAttributeTypes = 15;

/// "float", "int", "string", "tensor", "graph", "floats", ...
std::string_view toString(AttributeType type);
std::optional<AttributeType> parseAttributeType(std::string_view name);

struct Graph;

/// A named argument of a node. Only the field of `type` is meaningful; Tensor,
/// Graph and TypeProto have one entry in the list of their kind.
struct Attribute {
  std::string name;
  AttributeType type = AttributeType::Undefined;
  /// In a function's body: the value is that of this attribute of the call,
  /// and no other field is set. Otherwise empty.
  std::string refAttrName;
  float f = 0;
  int64_t i = 0;
  /// Arbitrary bytes.
  std::string s;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
  std::vector<Tensor> tensors;
  std::vector<Graph> graphs;
  std::vector<Type> types;
  std::string docString;
};

/// An operation. "" among inputs or outputs is an optional one that is absent.
struct Node {
  /// May be empty, and need not be unique.
  std::string name;
  std::string domain;
  std::string opType;
  /// Chooses among the model's functions of one domain and name.
  std::string overload;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;
  std::vector<Property> metadata;
  std::string docString;
  /// Position in the file's list of nodes, which stays when nodes are sorted.
  int64_t index = 0;

  /// The attribute of this name; null if there is none.
  const Attribute *findAttribute(std::string_view attributeName) const;
};

/// `node "name" (MatMul)`, or `node 17 (MatMul)` without a name, for messages.
std::string describe(const Node &node);

/// A list of nodes over named values, at the top of a model or in an
/// attribute. After validation every value has one definition, every use has
/// one, and nodes stand after the nodes that they use.
struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  /// An initializer of the same name is the default of an input.
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> valueInfos;
  /// In an attribute: values of enclosing graphs that this graph or the ones
  /// in it use, in order of first use. Found by validation, not in the file.
  std::vector<std::string> captures;
  std::string docString;
  std::vector<Property> metadata;
};

/// An operation that the model defines itself, found by (domain, name,
/// overload). Its body sees its inputs and attributes and nothing else.
struct Function {
  std::string domain;
  std::string name;
  std::string overload;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  /// Attributes that a call must give.
  std::vector<std::string> attributes;
  /// Attributes with a default.
  std::vector<Attribute> attributeDefaults;
  std::vector<Node> nodes;
  std::vector<OpsetImport> opsetImports;
  std::vector<ValueInfo> valueInfos;
  std::string docString;
  std::vector<Property> metadata;
};

struct Model {
  int64_t irVersion = 0;
  std::vector<OpsetImport> opsetImports;
  std::string producerName;
  std::string producerVersion;
  std::string domain;
  int64_t modelVersion = 0;
  Graph graph;
  std::vector<Function> functions;
  std::string docString;
  std::vector<Property> metadata;
  /// The model file first, then the files of external data, each once.
  std::vector<SourceFile> files;

  /// The data of one of this model's tensors, see onnxfile::dataOf.
  std::span<const std::byte> dataOf(const Tensor &tensor) const {
    return onnxfile::dataOf(tensor, files);
  }

  /// The version imported for a domain, in the body of `function` or, where
  /// that imports none, by the model; nothing if neither does.
  std::optional<int64_t> opsetVersion(std::string_view opDomain,
                                      const Function *function = nullptr) const;

  /// The function that a node of this model calls; null if it calls none. A
  /// linear search: for many nodes, use a FunctionTable.
  const Function *findFunction(const Node &node) const;
};

/// Finds functions of a model by domain, name and overload. Refers to the
/// model, whose functions must not change.
class FunctionTable {
public:
  explicit FunctionTable(const Model &model) {
    for (size_t i = 0; i < model.functions.size(); ++i) {
      const Function &function = model.functions[i];
      indices.emplace(Key{function.domain, function.name, function.overload},
                      i);
    }
  }

  /// Index in Model::functions; of equal functions the first.
  std::optional<size_t> find(const Node &node) const {
    return find(Key{node.domain, node.opType, node.overload});
  }
  std::optional<size_t> find(const Function &function) const {
    return find(Key{function.domain, function.name, function.overload});
  }

private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;

  std::optional<size_t> find(const Key &key) const {
    const auto it = indices.find(key);
    return it == indices.end() ? std::nullopt : std::optional(it->second);
  }

  std::map<Key, size_t> indices;
};

} // namespace spyre::onnxfile

#endif // SPYRE_ONNXFILE_MODEL_H
