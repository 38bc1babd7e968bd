// SPDX-License-Identifier: Apache-2.0

#include "External.h"

#include "Wire.h"

#include "spyre/Support/MappedFile.h"
#include "spyre/Support/Quote.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace spyre::onnxfile {
namespace fs = std::filesystem;
namespace {

/// True if `path` is `folder` or below it; both are resolved. By component,
/// so that /models-2 is not inside of /models.
bool isInside(const fs::path &path, const fs::path &folder) {
  const auto [end, unused] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

fs::path folderOf(const fs::path &file) {
  const fs::path folder = file.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

void addResolved(const fs::path &folder, std::vector<fs::path> &list) {
  std::error_code error;
  const fs::path resolved = fs::canonical(folder, error);
  if (!error) {
    list.push_back(resolved);
  }
}

/// The entry of this key; null if there is none.
const std::string *entry(const Tensor &tensor, std::string_view key) {
  const auto matches = [&](const Property &property) {
    return property.key == key;
  };
  if (std::count_if(tensor.externalData.begin(), tensor.externalData.end(),
                    matches) > 1) {
    fail(ErrorCode::OnnxExternalData,
         fmt::format("its external data states {} twice", quote(key)));
  }
  return findProperty(tensor.externalData, key);
}

/// A non-negative decimal number; `missing` if there is no entry.
int64_t numberEntry(const Tensor &tensor, std::string_view key,
                    int64_t missing) {
  const std::string *text = entry(tensor, key);
  if (!text) {
    return missing;
  }
  int64_t number = -1;
  const char *end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || stop != end || number < 0) {
    fail(ErrorCode::OnnxExternalData,
         fmt::format("the {} of its external data is {}, not a number from 0 "
                     "to 2^63 - 1",
                     key, quote(*text)));
  }
  return number;
}

[[noreturn]] void cannotOpen(const fs::path &path, const std::string &reason) {
  fail(ErrorCode::OnnxExternalData,
       fmt::format("its external data is in {}, which cannot be opened: {}",
                   quote(path.string()), reason));
}

} // namespace

ExternalFiles::ExternalFiles(const std::string &modelPath,
                             std::span<const std::string> allowedDirs,
                             std::vector<SourceFile> &files)
    : files(files) {
  folders.push_back(folderOf(modelPath));
  addResolved(folders.front(), allowed);
  std::error_code error;
  const fs::path target = fs::canonical(modelPath, error);
  if (!error) {
    folders.push_back(folderOf(target));
    addResolved(folders.back(), allowed);
  }
  for (const std::string &dir : allowedDirs) {
    addResolved(dir, allowed);
  }
}

uint32_t ExternalFiles::fileAt(const std::string &location) {
  if (const auto it = byLocation.find(location); it != byLocation.end()) {
    return it->second;
  }
  const fs::path relative(location);
  const bool climbs =
      std::find(relative.begin(), relative.end(), "..") != relative.end();
  const bool isPlain =
      std::all_of(location.begin(), location.end(),
                  [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
  if (location.empty() || relative.is_absolute() || climbs || !isPlain) {
    fail(ErrorCode::OnnxExternalData,
         fmt::format("the location of its external data is {}, not a relative "
                     "path without .. and control characters",
                     quote(location)));
  }
  fs::path path;
  std::error_code error;
  for (const fs::path &folder : folders) {
    path = fs::canonical(folder / relative, error);
    if (!error) {
      break;
    }
  }
  if (error) {
    cannotOpen(folders.front() / relative, error.message());
  }
  const bool isAllowed =
      std::any_of(allowed.begin(), allowed.end(), [&](const fs::path &folder) {
        return isInside(path, folder);
      });
  if (!isAllowed) {
    fail(ErrorCode::OnnxExternalData,
         fmt::format("its external data {} leads outside of the model's folder",
                     quote(location)),
         {fmt::format("it leads to {}", quote(path.string()))});
  }
  const auto [it, isNew] =
      byPath.emplace(path, static_cast<uint32_t>(files.size()));
  if (isNew) {
    Expected<std::shared_ptr<const MappedFile>> file =
        MappedFile::open(path.string(), ErrorCode::OnnxExternalData);
    if (!file) {
      cannotOpen(path, file.error().message);
    }
    files.push_back({path.string(), (*file)->bytes(), *file});
  }
  byLocation.emplace(location, it->second);
  return it->second;
}

void ExternalFiles::resolve(Tensor &tensor) {
  const std::string *location = entry(tensor, "location");
  if (!location) {
    fail(ErrorCode::OnnxExternalData, "its external data states no location");
  }
  const uint32_t file = fileAt(*location);
  const auto size = static_cast<int64_t>(files[file].bytes.size());
  const int64_t offset = numberEntry(tensor, "offset", 0);
  // Without a length, the data reaches to the end of the file.
  const int64_t length =
      numberEntry(tensor, "length", std::max<int64_t>(0, size - offset));
  if (length > size || offset > size - length) {
    fail(ErrorCode::OnnxExternalData,
         fmt::format("its external data has {} bytes at offset {}, the file {} "
                     "has {} bytes",
                     length, offset, quote(files[file].path), size));
  }
  tensor.range = {file, offset, length};
}

} // namespace spyre::onnxfile
