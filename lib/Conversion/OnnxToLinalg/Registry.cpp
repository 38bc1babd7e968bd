// SPDX-License-Identifier: Apache-2.0

#include "Registry.h"

#include "spyre/Conversion/OnnxToLinalg/SupportedOps.h"

namespace spyre {

const DecoderRegistry &DecoderRegistry::get() {
  static const DecoderRegistry registry = [] {
    DecoderRegistry all;
    addActivationDecoders(all);
    addAttentionDecoders(all);
    addContribDecoders(all);
    addContribAttentionDecoders(all);
    addControlFlowDecoders(all);
    addConvTransposeDecoders(all);
    addConvolutionDecoders(all);
    addEinsumDecoders(all);
    addEmbedLayerNormDecoders(all);
    addElementwiseDecoders(all);
    addGatherDecoders(all);
    addGeneratorDecoders(all);
    addMatMulDecoders(all);
    addMovementDecoders(all);
    addNormalizationDecoders(all);
    addPadDecoders(all);
    addPoolingDecoders(all);
    addQuantizationDecoders(all);
    addQuantizedValueDecoders(all);
    addReductionDecoders(all);
    addResizeDecoders(all);
    addScatterDecoders(all);
    addShapeDecoders(all);
    addTopKDecoders(all);
    return all;
  }();
  return registry;
}

void DecoderRegistry::add(llvm::StringRef domain, llvm::StringRef op,
                          int64_t since, DecodeFunction decode,
                          DecoderTraits traits) {
  decoders[{domain.str(), op.str(), since}] = {decode, traits,
                                               ControlFlow::None};
}

const Decoder *DecoderRegistry::find(llvm::StringRef domain, llvm::StringRef op,
                                     int64_t version,
                                     std::string &reason) const {
  // The entries of an operator are adjacent, in ascending order of version.
  auto next = decoders.upper_bound({domain.str(), op.str(), version});
  if (next != decoders.begin()) {
    auto found = std::prev(next);
    if (std::get<0>(found->first) == domain &&
        std::get<1>(found->first) == op) {
      return &found->second;
    }
  }
  if (next != decoders.end() && std::get<0>(next->first) == domain &&
      std::get<1>(next->first) == op) {
    reason = "it is supported from opset " +
             std::to_string(std::get<2>(next->first)) + " on";
    return nullptr;
  }
  reason = "no lowering for it";
  return nullptr;
}

std::vector<SupportedOp> supportedOnnxOps() {
  std::vector<SupportedOp> ops;
  for (const auto &entry : DecoderRegistry::get().entries()) {
    const auto &[domain, op, since] = entry.first;
    ops.push_back({domain, op, since, entry.second.traits.condition});
  }
  return ops;
}

} // namespace spyre
