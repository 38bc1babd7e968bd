// SPDX-License-Identifier: Apache-2.0
//
// The bytes that weight references name.

#ifndef SPYRE_EXPORT_LAUNCHPLAN_WEIGHTFILES_H
#define SPYRE_EXPORT_LAUNCHPLAN_WEIGHTFILES_H

#include "spyre/Support/Error.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <span>
#include <string>

namespace spyre {

class WeightFiles {
public:
  /// Relative files are below `folder`; the file "" is the module's own
  /// constants, which must outlive what `map` gives.
  WeightFiles(std::string folder, mlir::ModuleOp module);

  /// Maps `bytes` bytes at `offset` of a weight's file, or computes them if the
  /// file is a #stick.dequantized. `subject` names the weight in errors.
  Expected<std::unique_ptr<llvm::MemoryBuffer>>
  map(mlir::Attribute file, int64_t offset, int64_t bytes,
      const std::string &subject) const;

  std::string pathOf(const std::string &file) const;

private:
  Expected<std::unique_ptr<llvm::MemoryBuffer>>
  mapFile(const std::string &file, int64_t offset, int64_t bytes,
          const std::string &subject) const;

  std::string folder;
  /// Bytes of the weights without a file, or null.
  mlir::DenseElementsAttr constants;
};

inline std::span<const std::byte> bytesOf(const llvm::MemoryBuffer &buffer) {
  return std::as_bytes(
      std::span(buffer.getBufferStart(), buffer.getBufferSize()));
}

} // namespace spyre

#endif // SPYRE_EXPORT_LAUNCHPLAN_WEIGHTFILES_H
