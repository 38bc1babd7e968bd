// SPDX-License-Identifier: Apache-2.0
//
// Mutations that keep protobuf's lengths right, so that a fuzzer reaches what
// lies behind the decoder: a field deleted, doubled, moved or replaced by
// another one, and names that become equal to other names.

#ifndef SPYRE_TEST_FUZZ_WIREMUTATOR_H
#define SPYRE_TEST_FUZZ_WIREMUTATOR_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace spyre::fuzz {

/// Changes some bytes; returns the new ones, at most `maxBytes`.
using MutateBytes = std::function<std::string(std::string, size_t maxBytes)>;

/// One mutation of a message, chosen by `seed`. Bytes that are no message come
/// back as they are. `mutateBytes` is applied to single strings.
std::string mutateMessage(std::string_view message, unsigned seed,
                          const MutateBytes &mutateBytes);

} // namespace spyre::fuzz

#endif // SPYRE_TEST_FUZZ_WIREMUTATOR_H
