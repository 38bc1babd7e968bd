# SPDX-License-Identifier: Apache-2.0
#
# The lit suite: every test below test/ that has RUN lines, and (as the suite
# Spyre-examples) every dialects/*/examples/*.mlir, which is round-tripped even
# when it has no RUN line. With `--param roundtrip=1` spyre-opt also verifies,
# in each test that runs it, that its input survives printing and parsing.

import os

import lit.formats

roundtrip = lit_config.params.get("roundtrip", "0") == "1"
examples = getattr(config, "spyre_examples_suite", False)

config.suffixes = [".mlir", ".test"]
# Models, artifacts and GoogleTest sources are not tests; packaging is a test
# of ctest's own.
config.excludes = ["Inputs", "golden", "packaging", "unit"]

source_dir = config.spyre_source_dir
tools_dir = config.spyre_tools_dir
check_roundtrip = os.path.join(source_dir, "test", "Inputs", "check-roundtrip")

if examples:
    config.name = "Spyre-examples"
    config.test_source_root = os.path.join(source_dir, "dialects")
    config.test_format = lit.formats.ShTest(
        execute_external=False,
        preamble_commands=["%check-roundtrip %t.roundtrip %s"],
    )
else:
    config.name = "Spyre"
    config.test_source_root = os.path.join(source_dir, "test")
    config.test_format = lit.formats.ShTest(execute_external=False)

config.test_exec_root = os.path.join(config.spyre_binary_dir, "test", "lit")
if roundtrip:
    # Runs beside the plain suite: its own folder for temporary files. Tests
    # that drive the finished tools have nothing that a second run would add.
    config.name += "-roundtrip"
    config.test_exec_root += "-roundtrip"
    config.excludes += ["e2e", "tools"]
if examples:
    config.test_exec_root += "-examples"

path = os.pathsep.join(
    [tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
)
config.environment["PATH"] = path
# A failing tool prints its stack with symbols.
config.environment["LLVM_SYMBOLIZER_PATH"] = os.path.join(
    config.llvm_tools_dir, "llvm-symbolizer"
)
# Older OpenBLAS builds choose wrong kernels on newer processors; where it is
# told which to take (or where to find things), the references need that too.
for variable in ["OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "TMPDIR"]:
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]


def tool(name, directory, extra=""):
    """Replaces the whole word NAME in RUN lines by the tool's path."""
    pattern = r"(?<![\w./%{-])" + name + r"(?![\w./-])"
    config.substitutions.append((pattern, os.path.join(directory, name) + extra))


config.substitutions += [
    ("%check-roundtrip", "%python " + check_roundtrip + " " + tools_dir + "/spyre-opt"),
    ("%reference", "%python " + os.path.join(source_dir, "test", "e2e", "reference.py")),
    ("%check-mlp", "%python " + os.path.join(source_dir, "test", "e2e", "check_mlp.py")),
    ("%check-stats", "%python " + os.path.join(source_dir, "test", "e2e", "check_stats.py")),
    # %status N COMMAND: passes if the command exits with exactly N.
    ("%status", "%python " + os.path.join(source_dir, "test", "Inputs", "expect-status")),
    ("%examples", os.path.join(source_dir, "examples")),
    ("%source-dir", source_dir),
    ("%target", "spyre-32"),
    # Debian's python, which has numpy; another may come first on PATH.
    ("%python", config.spyre_python),
]
for name in ["FileCheck", "not", "count", "split-file"]:
    tool(name, config.llvm_tools_dir)
tool("spyre-opt", tools_dir, " --verify-roundtrip" if roundtrip else "")
for name in [
    "spyre-compile",
    "spyre-run",
    "spyre-objdump",
    "spyre-check",
    "spyre-docgen",
    "spyre-onnx-text",
    "spyre-lsp-server",
]:
    tool(name, tools_dir)

# The references import each other from the source folder.
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
# FileCheck reports what a failing test printed.
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=all --color=0"
