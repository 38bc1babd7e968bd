// SPDX-License-Identifier: Apache-2.0
//
// spyre-onnx-text: text to .onnx for tests, and back.

#include "OnnxText.h"

#include "spyre/OnnxFile/Reader.h"
#include "spyre/Support/Quote.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>

using namespace spyre;
using namespace spyre::onnxfile;

namespace {

struct Options {
  std::string input = "-";
  std::string output = "-";
  std::string externalFile;
  int64_t maxElements = INT64_MAX;
  bool toText = false;
  bool isTensor = false;
  bool unpacked = false;
};

std::string readText(const std::string &path) {
  if (path == "-") {
    return {std::istreambuf_iterator<char>(std::cin), {}};
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw std::runtime_error("cannot read " + quote(path));
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

void writeFile(const std::string &path, std::string_view bytes) {
  if (path == "-") {
    std::cout << bytes << std::flush;
    return;
  }
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << bytes << std::flush;
  if (!stream) {
    throw std::runtime_error("cannot write " + quote(path));
  }
}

template <typename T> T check(Expected<T> value) {
  if (!value) {
    throw std::runtime_error(value.error().str());
  }
  return std::move(*value);
}

/// Moves the raw data of the graph's initializers to a file beside the output,
/// each at a multiple of 64 bytes.
void moveToExternal(Model &model, const Options &options) {
  std::string bytes;
  for (Tensor &tensor : model.graph.initializers) {
    if (tensor.storage != Storage::Raw) {
      continue;
    }
    bytes.resize((bytes.size() + 63) / 64 * 64);
    const std::span<const std::byte> data = model.dataOf(tensor);
    tensor.storage = Storage::External;
    tensor.externalData = {{"location", options.externalFile},
                           {"offset", fmt::to_string(bytes.size())},
                           {"length", fmt::to_string(data.size())}};
    bytes.append(reinterpret_cast<const char *>(data.data()), data.size());
  }
  const size_t slash = options.output.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "" : options.output.substr(0, slash + 1);
  writeFile(folder + options.externalFile, bytes);
}

void run(const Options &options) {
  if (options.toText) {
    const Model model = check(openModel(options.input, {{}, false}));
    writeFile(options.output, text::printModel(model, {options.maxElements}));
    return;
  }
  const text::WriteOptions write{!options.unpacked};
  const std::string text = readText(options.input);
  if (options.isTensor) {
    const text::TextTensor tensor =
        check(text::parseTensorText(text, options.input));
    writeFile(options.output,
              text::writeTensor(tensor.tensor, tensor.files, write));
    return;
  }
  Model model = check(text::parseModelText(text, options.input));
  if (!options.externalFile.empty()) {
    moveToExternal(model, options);
  }
  writeFile(options.output, text::writeModel(model, write));
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Makes an .onnx file from the text of a model, for tests");
  app.add_option("input", options.input, "The text, - for standard input");
  app.add_option("-o,--output", options.output, "The file to write");
  app.add_flag("--to-text", options.toText,
               "The input is an .onnx file, the output its text");
  app.add_option("--max-elements", options.maxElements,
                 "With --to-text, leave out the data of larger tensors");
  app.add_flag("--tensor", options.isTensor,
               "The text is one tensor, the output a TensorProto");
  app.add_option("--external", options.externalFile,
                 "Write the data of initializers to this file, beside the "
                 "output");
  app.add_flag("--unpacked", options.unpacked,
               "Write the entries of typed fields one by one");
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
