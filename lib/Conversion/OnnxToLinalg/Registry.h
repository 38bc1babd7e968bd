// SPDX-License-Identifier: Apache-2.0
//
// The table of decoders. A decoder is found by domain, operator and the opset
// version that the model imports: the one with the largest first version that
// is not above it.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_REGISTRY_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_REGISTRY_H

#include "DecodeContext.h"

#include <map>
#include <tuple>

namespace spyre {

using DecodeFunction = mlir::LogicalResult (*)(DecodeContext &);

struct DecoderTraits {
  /// Leading inputs that must be present.
  unsigned numRequired = 1;
  /// Whether unsigned and other exotic element types are fine, because the
  /// operator only moves elements.
  bool anyElement = false;
  /// For documentation: which uses of the operator are supported, or not.
  /// Empty: all of them.
  std::string condition = {};
};

/// Nodes with graphs, which the converter itself takes.
enum class ControlFlow { None, If, Loop };

struct Decoder {
  /// Null for control flow.
  DecodeFunction decode = nullptr;
  DecoderTraits traits;
  ControlFlow controlFlow = ControlFlow::None;
};

class DecoderRegistry {
public:
  /// The operators of all families.
  static const DecoderRegistry &get();

  void add(llvm::StringRef domain, llvm::StringRef op, int64_t since,
           DecodeFunction decode, DecoderTraits traits = {});
  /// The same for the default domain.
  void add(llvm::StringRef op, int64_t since, DecodeFunction decode,
           DecoderTraits traits = {}) {
    add("", op, since, decode, traits);
  }
  void add(llvm::StringRef op, int64_t since, ControlFlow controlFlow,
           const std::string &condition) {
    decoders[{"", op.str(), since}] = {
        nullptr, {.condition = condition}, controlFlow};
  }

  /// Null if there is none for the version; `reason` says why.
  const Decoder *find(llvm::StringRef domain, llvm::StringRef op,
                      int64_t version, std::string &reason) const;

  using Key = std::tuple<std::string, std::string, int64_t>;
  const std::map<Key, Decoder> &entries() const { return decoders; }

private:
  std::map<Key, Decoder> decoders;
};

inline constexpr llvm::StringLiteral kMicrosoft = "com.microsoft";

// One function for each family, in the file of its name.
void addActivationDecoders(DecoderRegistry &registry);
void addAttentionDecoders(DecoderRegistry &registry);
void addContribDecoders(DecoderRegistry &registry);
void addContribAttentionDecoders(DecoderRegistry &registry);
void addControlFlowDecoders(DecoderRegistry &registry);
void addConvTransposeDecoders(DecoderRegistry &registry);
void addConvolutionDecoders(DecoderRegistry &registry);
void addEinsumDecoders(DecoderRegistry &registry);
void addEmbedLayerNormDecoders(DecoderRegistry &registry);
void addElementwiseDecoders(DecoderRegistry &registry);
void addGatherDecoders(DecoderRegistry &registry);
void addGeneratorDecoders(DecoderRegistry &registry);
void addMatMulDecoders(DecoderRegistry &registry);
void addMovementDecoders(DecoderRegistry &registry);
void addNormalizationDecoders(DecoderRegistry &registry);
void addPadDecoders(DecoderRegistry &registry);
void addPoolingDecoders(DecoderRegistry &registry);
void addQuantizationDecoders(DecoderRegistry &registry);
void addQuantizedValueDecoders(DecoderRegistry &registry);
void addReductionDecoders(DecoderRegistry &registry);
void addResizeDecoders(DecoderRegistry &registry);
void addScatterDecoders(DecoderRegistry &registry);
void addShapeDecoders(DecoderRegistry &registry);
void addTopKDecoders(DecoderRegistry &registry);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_REGISTRY_H
