// SPDX-License-Identifier: Apache-2.0
//
// Properties on many inputs: random models are read as they were made, and no
// damage of a file leads to anything but an error or a sound model.

#include "Invariants.h"
#include "Support.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

using namespace spyre;
using namespace spyre::onnxfile;
using namespace spyre::onnxfile::test;

namespace {

constexpr ReadOptions kUnresolved{{}, false};

/// Reads bytes in a buffer of exactly their size, so that a sanitizer sees any
/// access beyond, and checks what comes of it. Returns true if they are valid.
bool readsSoundly(std::string_view bytes) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  const std::span<const std::byte> span(
      reinterpret_cast<const std::byte *>(exact.data()), exact.size());
  const Expected<Model> model = parseModel(span, "damaged", kUnresolved);
  if (!model) {
    EXPECT_FALSE(model.error().message.empty());
    EXPECT_FALSE(model.error().subject.empty());
    return false;
  }
  EXPECT_EQ(text::brokenInvariant(*model, false), "");
  return true;
}

TEST(Damage, NoTruncationIsACrash) {
  for (const std::filesystem::path &path : corpusTexts()) {
    SCOPED_TRACE(path.filename());
    const std::string bytes = bytesOfText(contentsOf(path));
    EXPECT_TRUE(readsSoundly(bytes));
    for (size_t length = 0; length < bytes.size(); ++length) {
      readsSoundly(std::string_view(bytes).substr(0, length));
    }
  }
}

TEST(Damage, NoChangedByteIsACrash) {
  // Every byte of every seed, with 8 other values each: about 40000 files.
  std::mt19937 random(1);
  int64_t numRead = 0;
  int64_t numValid = 0;
  for (const std::filesystem::path &path : corpusTexts()) {
    SCOPED_TRACE(path.filename());
    std::string bytes = bytesOfText(contentsOf(path));
    for (char &byte : bytes) {
      const char original = byte;
      for (char value :
           {'\0', '\x01', '\x7f', '\x80', '\xff',
            static_cast<char>(original + 1), static_cast<char>(original - 1),
            static_cast<char>(random())}) {
        byte = value;
        numValid += readsSoundly(bytes) ? 1 : 0;
        ++numRead;
      }
      byte = original;
    }
  }
  EXPECT_GT(numRead, 20000);
  // Most bytes are names or values, which may be any.
  EXPECT_GT(numValid, numRead / 10);
}

TEST(Damage, NoSplicedFileIsACrash) {
  // Pieces of two seeds joined, as a broken download or a fuzzer makes them.
  std::mt19937 random(2);
  std::vector<std::string> seeds;
  for (const std::filesystem::path &path : corpusTexts()) {
    seeds.push_back(bytesOfText(contentsOf(path)));
  }
  for (int round = 0; round < 5000; ++round) {
    const std::string &a = seeds[random() % seeds.size()];
    const std::string &b = seeds[random() % seeds.size()];
    readsSoundly(a.substr(0, random() % a.size()) +
                 b.substr(random() % b.size()));
  }
}

TEST(Damage, NoRandomBytesAreACrash) {
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char &byte : bytes) {
      byte = static_cast<char>(random());
    }
    readsSoundly(bytes);
    const Expected<TensorFile> tensor = parseTensor(asBytes(bytes), "random");
    if (tensor) {
      EXPECT_EQ(text::brokenInvariant(tensor->tensor, tensor->files, true), "");
    }
  }
}

//===----------------------------------------------------------------------===//
// Random models
//===----------------------------------------------------------------------===//

/// Makes the text of a model whose nodes are in order, and can shuffle them.
class RandomGraph {
public:
  explicit RandomGraph(unsigned seed) : random(seed) {}

  /// The nodes of a graph that sees `visible`, appended to.
  std::vector<std::string> nodes(std::vector<std::string> &visible, int depth) {
    std::vector<std::string> result;
    const int count = 1 + static_cast<int>(random() % 8);
    for (int i = 0; i < count; ++i) {
      std::string attributes;
      if (depth < 3 && random() % 4 == 0) {
        attributes = "<body = " + graph(visible, depth + 1) + ">";
      }
      std::string inputs;
      for (unsigned k = random() % 4; k > 0; --k) {
        inputs +=
            random() % 8 == 0 ? "\"\"" : visible[random() % visible.size()];
        inputs += k > 1 ? ", " : "";
      }
      const std::string output = fmt::format("v{}", numValues++);
      const std::string absent = random() % 8 == 0 ? "\"\", " : "";
      result.push_back(fmt::format("[n{0}] {1}{2} = Op{0}{3}({4})", numNodes++,
                                   absent, output, attributes, inputs));
      visible.push_back(output);
    }
    return result;
  }

  std::string graph(std::vector<std::string> visible, int depth) {
    const std::vector<std::string> list = nodes(visible, depth);
    return fmt::format("graph () => (float {}) {{ {} }}",
                       visible[random() % visible.size()],
                       fmt::join(shuffled(list), " "));
  }

  /// A list in any order, most often in its own.
  std::vector<std::string> shuffled(std::vector<std::string> list) {
    if (random() % 3 == 0) {
      std::shuffle(list.begin(), list.end(), random);
    }
    return list;
  }

  std::mt19937 random;
  int numNodes = 0;
  int numValues = 0;
};

TEST(RandomModels, AreReadAsTheyWereMade) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph graph(seed);
    std::vector<std::string> visible = {"x", "w"};
    const std::vector<std::string> inOrder = graph.nodes(visible, 1);
    std::vector<size_t> order(inOrder.size());
    std::iota(order.begin(), order.end(), 0);
    const bool isShuffled = seed % 2 == 1;
    if (isShuffled) {
      std::shuffle(order.begin(), order.end(), graph.random);
    }
    std::string list;
    for (size_t position : order) {
      list += inOrder[position] + "\n";
    }
    const ReadResult result = readText(withHeader(
        fmt::format("graph (float x) => (float {}) <float[2] w = {{1, 2}}> {{ "
                    "{} }}",
                    visible.back(), list)));
    ASSERT_TRUE(result.model) << result.error() << list;
    const Model &model = *result.model;
    EXPECT_EQ(text::brokenInvariant(model, true), "");
    ASSERT_EQ(model.graph.nodes.size(), inOrder.size());
    for (size_t i = 0; i < inOrder.size(); ++i) {
      const Node &node = model.graph.nodes[i];
      // The node at this place of the file is the one that was written there.
      const std::string &written =
          inOrder[order[static_cast<size_t>(node.index)]];
      EXPECT_TRUE(written.starts_with("[" + node.name + "]"));
      if (!isShuffled) {
        EXPECT_EQ(node.index, static_cast<int64_t>(i));
      }
    }
  }
}

} // namespace
