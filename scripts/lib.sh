# SPDX-License-Identifier: Apache-2.0
#
# Shell functions shared by the scripts. To be sourced from bash; leaves the
# caller in the project's folder, so that every path below is relative to it.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C.UTF-8
# A clone in another folder finds what this one compiled.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=true

# Debian's python: another one, without numpy, may come first on PATH.
PYTHON=/usr/bin/python3

# What a build and its tests need (docs/dependencies.md says why each).
PACKAGES=(
  # compilers and build tools
  cmake ninja-build ccache g++ clang-22 lld-22 libclang-rt-22-dev
  clang-format-22 clang-tidy-22
  # MLIR and its test tools, and what its CMake files look for
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  zlib1g-dev libzstd-dev libxml2-dev libffi-dev
  # libraries
  libprotozero-dev nlohmann-json3-dev libcli11-dev libxxhash-dev libfmt-dev
  libexpected-dev
  # tests, benchmarks, packaging
  libgtest-dev libgmock-dev libeigen3-dev python3 python3-numpy
  libonnx-testdata
  dpkg-dev file
)

say() {
  printf '\n== %s (%s s)\n' "$1" "$SECONDS"
}

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 1
}

# The packages of PACKAGES that are not installed, one a line.
missing_packages() {
  local package status
  for package in "${PACKAGES[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    if [ "$status" != installed ]; then
      printf '%s\n' "$package"
    fi
  done
}

# configure PRESET: configures build/PRESET; quiet when it works.
configure() {
  local log="build/$1/configure.log"
  mkdir -p "build/$1"
  say "configure $1"
  if ! cmake --preset "$1" >"$log" 2>&1; then
    cat "$log"
    fail "configuring preset $1 failed"
  fi
}

# build PRESET [TARGET...]: builds all, or the targets.
build() {
  local preset=$1
  shift
  say "build $preset"
  if [ $# -gt 0 ]; then
    cmake --build --preset "$preset" --target "$@"
  else
    cmake --build --preset "$preset"
  fi
}
