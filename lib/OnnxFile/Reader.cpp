// SPDX-License-Identifier: Apache-2.0

#include "spyre/OnnxFile/Reader.h"

#include "Decode.h"
#include "External.h"

#include "spyre/OnnxFile/Validate.h"
#include "spyre/Support/MappedFile.h"
#include "spyre/Support/Quote.h"

#include <optional>

namespace spyre::onnxfile {
namespace {

/// Runs the decoder; the one place where its failures become errors.
template <typename Decode>
auto guarded(const std::string &origin, const Decode &decode)
    -> Expected<decltype(decode())> {
  try {
    return decode();
  } catch (DecodeFailure &failure) {
    failure.error.subject = "file " + quote(origin);
    return tl::unexpected<Error>(std::move(failure.error));
  }
}

Expected<Model> readModel(SourceFile source, const ReadOptions &options) {
  const std::string origin = source.path;
  const std::span<const std::byte> bytes = source.bytes;
  std::vector<SourceFile> files = {std::move(source)};
  Expected<Model> model = guarded(origin, [&] {
    std::optional<ExternalFiles> external;
    if (options.resolveExternal) {
      external.emplace(origin, options.allowedExternalDirs, files);
    }
    return Decoder(bytes, external ? &*external : nullptr).decodeModel();
  });
  if (!model) {
    return model;
  }
  model->files = std::move(files);
  if (Status status = validateModel(*model); !status) {
    Error error = std::move(status.error());
    error.subject = "file " + quote(origin);
    return tl::unexpected<Error>(std::move(error));
  }
  return model;
}

Expected<TensorFile> readTensor(SourceFile source, const ReadOptions &options) {
  const std::string origin = source.path;
  const std::span<const std::byte> bytes = source.bytes;
  TensorFile result;
  result.files = {std::move(source)};
  Expected<Tensor> tensor = guarded(origin, [&] {
    std::optional<ExternalFiles> external;
    if (options.resolveExternal) {
      external.emplace(origin, options.allowedExternalDirs, result.files);
    }
    return Decoder(bytes, external ? &*external : nullptr).decodeTensor();
  });
  if (!tensor) {
    return tl::unexpected<Error>(std::move(tensor.error()));
  }
  result.tensor = std::move(*tensor);
  return result;
}

Expected<SourceFile> mapFile(const std::string &path) {
  Expected<std::shared_ptr<const MappedFile>> file =
      MappedFile::open(path, ErrorCode::OnnxOpen);
  if (!file) {
    return tl::unexpected<Error>(std::move(file.error()));
  }
  return SourceFile{path, (*file)->bytes(), *file};
}

} // namespace

Expected<Model> openModel(const std::string &path, const ReadOptions &options) {
  Expected<SourceFile> source = mapFile(path);
  if (!source) {
    return tl::unexpected<Error>(std::move(source.error()));
  }
  return readModel(std::move(*source), options);
}

Expected<Model> parseModel(std::span<const std::byte> bytes,
                           const std::string &origin,
                           const ReadOptions &options) {
  return readModel(SourceFile{origin, bytes, nullptr}, options);
}

Expected<TensorFile> readTensorFile(const std::string &path,
                                    const ReadOptions &options) {
  Expected<SourceFile> source = mapFile(path);
  if (!source) {
    return tl::unexpected<Error>(std::move(source.error()));
  }
  return readTensor(std::move(*source), options);
}

Expected<TensorFile> parseTensor(std::span<const std::byte> bytes,
                                 const std::string &origin,
                                 const ReadOptions &options) {
  return readTensor(SourceFile{origin, bytes, nullptr}, options);
}

} // namespace spyre::onnxfile
