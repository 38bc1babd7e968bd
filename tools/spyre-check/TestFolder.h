// SPDX-License-Identifier: Apache-2.0
//
// A test in the shape of ONNX's backend tests: a model and its data sets. Only
// names of files are looked at here.

#ifndef SPYRE_TOOLS_SPYRE_CHECK_TESTFOLDER_H
#define SPYRE_TOOLS_SPYRE_CHECK_TESTFOLDER_H

#include "spyre/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spyre::tools {

/// Files by k, as in input_k.pb.
using NumberedFiles = std::map<int64_t, std::string>;

struct DataSet {
  /// N of test_data_set_N.
  int64_t number = 0;
  std::string folder;
  /// input_k.pb and output_k.pb, or .npy where there is no .pb.
  NumberedFiles inputs;
  NumberedFiles outputs;
  /// ref32_k.npy of golden/ (set 0) or golden_N/: a sharper yardstick than
  /// output_k where the model's outputs are rounded to f16.
  NumberedFiles goldens;
};

struct TestFolder {
  std::string path;
  /// The folder's own name.
  std::string name;
  /// One of ONNX's node tests, which are called test_*.
  bool isNodeTest = false;
  /// By number.
  std::vector<DataSet> sets;

  std::string modelPath() const { return path + "/model.onnx"; }
};

/// The name of a test, from the path of its folder.
std::string testName(const std::string &path);

/// Lists a test. Errors: no model.onnx (OnnxOpen), no data set or a folder that
/// cannot be read (FileUnreadable).
Expected<TestFolder> findTest(const std::string &path);

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_CHECK_TESTFOLDER_H
