// SPDX-License-Identifier: Apache-2.0
//
// spyre-objdump: shows what is inside a launch plan. Exit status 0: printed;
// 1: the file cannot be read; 2: a wrong command line.

#include "Dump.h"

#include <CLI/CLI.hpp>
#include <cstdio>

namespace {

constexpr int kInputFailure = 1;
constexpr int kWrongCommandLine = 2;

int report(const spyre::Error &error) {
  std::string text = error.str() + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
  return kInputFailure;
}

} // namespace

int main(int argc, char **argv) {
  std::string path;
  std::string format = "text";
  spyre::objdump::DumpOptions options;
  spyre::launch::ReadOptions readOptions;
  // A look inside does not read gigabytes of weights.
  readOptions.verifyWeights = false;

  CLI::App app{"Shows what is inside a launch plan (model.spyre)."};
  app.add_option("artifact", path, "launch plan written by spyre-compile")
      ->required();
  app.add_option("--format", format, "text (default) or json")
      ->check(CLI::IsMember({"text", "json"}));
  CLI::Option *section =
      app.add_option("--section", options.section,
                     "only this part: header, manifest, plan or weights")
          ->check(CLI::IsMember({"header", "manifest", "plan", "weights"}));
  app.add_option("--program", options.program, "only the program of this name")
      ->excludes(section);
  app.add_flag("--verify", readOptions.verifyWeights,
               "also check the hash of the weights (reads all of them)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : kWrongCommandLine;
  }
  options.json = format == "json";

  spyre::Expected<spyre::launch::Artifact> artifact =
      spyre::launch::readArtifact(path, readOptions);
  if (!artifact) {
    return report(artifact.error());
  }
  spyre::Expected<std::string> text = spyre::objdump::dump(*artifact, options);
  if (!text) {
    return report(text.error());
  }
  std::fwrite(text->data(), 1, text->size(), stdout);
  return std::fflush(stdout) == 0 ? 0 : kInputFailure;
}
