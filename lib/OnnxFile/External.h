// SPDX-License-Identifier: Apache-2.0
//
// Data of tensors in other files than the model's. The file names are
// untrusted: only regular files in the folders that the user gave, after
// resolving every symbolic link, are opened.

#ifndef SPYRE_LIB_ONNXFILE_EXTERNAL_H
#define SPYRE_LIB_ONNXFILE_EXTERNAL_H

#include "spyre/OnnxFile/Model.h"

#include <filesystem>
#include <map>

namespace spyre::onnxfile {

class ExternalFiles {
public:
  /// Names are relative to the folder of `modelPath` (where a link to the
  /// model lies) or else of the file that it leads to. New files are mapped
  /// and appended to `files`.
  ExternalFiles(const std::string &modelPath,
                std::span<const std::string> allowedDirs,
                std::vector<SourceFile> &files);

  /// Sets the range of a tensor from its externalData. Throws DecodeFailure
  /// (OnnxExternalData). The range lies in the file; whether it has the size of
  /// the tensor is not checked.
  void resolve(Tensor &tensor);

private:
  uint32_t fileAt(const std::string &location);

  /// Where names are looked up, in this order.
  std::vector<std::filesystem::path> folders;
  /// Resolved folders in which files may lie.
  std::vector<std::filesystem::path> allowed;
  std::vector<SourceFile> &files;
  /// Index in `files` by location as written, and by resolved path.
  std::map<std::string, uint32_t> byLocation;
  std::map<std::filesystem::path, uint32_t> byPath;
};

} // namespace spyre::onnxfile

#endif // SPYRE_LIB_ONNXFILE_EXTERNAL_H
