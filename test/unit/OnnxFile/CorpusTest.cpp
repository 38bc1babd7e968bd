// SPDX-License-Identifier: Apache-2.0
//
// Exported models, where they are at hand: the folder that the environment
// variable SPYRE_SHARED_DIR names, or ../shared of the source folder.

#include "Invariants.h"
#include "Support.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>

using namespace spyre;
using namespace spyre::onnxfile;
namespace fs = std::filesystem;

namespace {

class Corpus : public testing::Test {
protected:
  void SetUp() override {
    const char *shared = std::getenv("SPYRE_SHARED_DIR");
    models =
        fs::path(shared ? shared : SPYRE_SOURCE_DIR "/../shared") / "models";
    if (!fs::is_directory(models)) {
      std::cerr << "SKIPPED: no exported models in " << models
                << " (set SPYRE_SHARED_DIR)\n";
      GTEST_SKIP();
    }
  }

  /// All files below the folder of models with this name.
  std::vector<fs::path> filesLike(const std::string &stem,
                                  const std::string &extension) {
    std::vector<fs::path> paths;
    for (const auto &entry : fs::recursive_directory_iterator(models)) {
      const fs::path &path = entry.path();
      if (path.extension() == extension &&
          path.stem().string().starts_with(stem)) {
        paths.push_back(path);
      }
    }
    return paths;
  }

  fs::path models;
};

TEST_F(Corpus, EveryModelIsReadSoundly) {
  const std::vector<fs::path> paths = filesLike("model", ".onnx");
  EXPECT_GT(paths.size(), 50U);
  for (const fs::path &path : paths) {
    SCOPED_TRACE(path);
    const Expected<Model> model = openModel(path.string());
    ASSERT_TRUE(model) << model.error().str();
    EXPECT_EQ(text::brokenInvariant(*model, true), "");
    EXPECT_FALSE(model->graph.outputs.empty());
    // The corpus has no unsorted model, so nothing was moved.
    for (size_t i = 0; i < model->graph.nodes.size(); ++i) {
      ASSERT_EQ(model->graph.nodes[i].index, static_cast<int64_t>(i));
    }
  }
}

TEST_F(Corpus, KnownNumbers) {
  // reference/onnx.md: 239 of the 415 nodes of resnet50 have no name.
  const Expected<Model> resnet =
      openModel((models / "light/resnet50/model.onnx").string());
  ASSERT_TRUE(resnet);
  size_t unnamed = 0;
  for (const Node &node : resnet->graph.nodes) {
    unnamed += node.name.empty() ? 1 : 0;
  }
  EXPECT_EQ(resnet->graph.nodes.size(), 415U);
  EXPECT_EQ(unnamed, 239U);
  // 6 of the 71 weights of blazeface are in typed fields.
  const Expected<Model> blazeface =
      openModel((models / "real/blazeface_front/model.onnx").string());
  ASSERT_TRUE(blazeface);
  size_t typed = 0;
  for (const Tensor &tensor : blazeface->graph.initializers) {
    typed += tensor.storage == Storage::Typed ? 1 : 0;
  }
  EXPECT_EQ(blazeface->graph.initializers.size(), 71U);
  EXPECT_EQ(typed, 6U);
}

TEST_F(Corpus, EveryInputFileIsATensor) {
  const std::vector<fs::path> paths = filesLike("input_", ".pb");
  EXPECT_GT(paths.size(), 50U);
  for (const fs::path &path : paths) {
    const Expected<TensorFile> tensor = readTensorFile(path.string());
    ASSERT_TRUE(tensor) << tensor.error().str();
    EXPECT_EQ(text::brokenInvariant(tensor->tensor, tensor->files, true), "");
  }
}

} // namespace
