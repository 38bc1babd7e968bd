// SPDX-License-Identifier: Apache-2.0

#include "Support.h"

#include "spyre/Runtime/TensorFile.h"

#include <gmock/gmock.h>
#include <protozero/pbf_writer.hpp>
#include <random>

using namespace spyre;
using namespace spyre::rt;
using namespace spyre::rt::test;
using launch::HostType;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Field numbers of onnx.TensorProto.
enum Field {
  kDims = 1,
  kType = 2,
  kFloat = 4,
  kInt32 = 5,
  kInt64 = 7,
  kRaw = 9,
  kDouble = 10,
  kLocation = 14
};

template <typename Fill> std::vector<std::byte> message(Fill fill) {
  std::string text;
  protozero::pbf_writer writer(text);
  fill(writer);
  return bytesOf(std::string_view(text));
}

void addDims(protozero::pbf_writer &writer, std::vector<int64_t> dims) {
  writer.add_packed_int64(kDims, dims.begin(), dims.end());
}

TEST(TensorProtoTest, ReadsRawData) {
  const std::vector<std::byte> file = message([](auto &writer) {
    addDims(writer, {2});
    writer.add_int32(kType, 1);
    writer.add_string(8, "a name, skipped");
    const float values[] = {1.5F, -2.0F};
    writer.add_bytes(kRaw, reinterpret_cast<const char *>(values), 8);
  });
  const Expected<HostTensor> tensor = parseTensorProto(file, "t");
  ASSERT_TRUE(tensor) << textOf(tensor);
  EXPECT_EQ(tensor->type, HostType::F32);
  EXPECT_THAT(valuesOf<float>(tensor->bytes), ElementsAre(1.5F, -2.0F));
}

TEST(TensorProtoTest, ReadsTypedData) {
  const auto read = [](int32_t type, auto add) {
    const Expected<HostTensor> tensor =
        parseTensorProto(message([&](auto &writer) {
                           // Not packed, as some writers do.
                           writer.add_int64(kDims, 2);
                           writer.add_int32(kType, type);
                           add(writer);
                         }),
                         "t");
    EXPECT_TRUE(tensor) << textOf(tensor);
    return tensor.value_or(HostTensor{});
  };
  const auto int32s = [](auto &writer) {
    const std::vector<int32_t> values = {1, 0x3C00};
    writer.add_packed_int32(kInt32, values.begin(), values.end());
  };
  const HostTensor f16 = read(10, int32s);
  EXPECT_EQ(f16.type, HostType::F16);
  EXPECT_EQ(elementAsDouble(f16, 1), 1.0);
  EXPECT_EQ(read(16, int32s).type, HostType::BF16);
  EXPECT_THAT(valuesOf<uint8_t>(read(9, int32s).bytes), ElementsAre(1, 1));
  EXPECT_THAT(valuesOf<int32_t>(read(6, int32s).bytes), ElementsAre(1, 15360));
  EXPECT_THAT(valuesOf<int16_t>(read(5, int32s).bytes), ElementsAre(1, 15360));
  EXPECT_THAT(valuesOf<uint8_t>(read(2, int32s).bytes), ElementsAre(1, 0));
  EXPECT_THAT(valuesOf<int8_t>(read(3, int32s).bytes), ElementsAre(1, 0));
  EXPECT_THAT(valuesOf<int64_t>(read(7,
                                     [](auto &writer) {
                                       writer.add_int64(kInt64, -5);
                                       writer.add_int64(kInt64, 6);
                                     })
                                    .bytes),
              ElementsAre(-5, 6));
  EXPECT_THAT(valuesOf<double>(read(11,
                                    [](auto &writer) {
                                      writer.add_double(kDouble, 0.5);
                                      writer.add_double(kDouble, 2);
                                    })
                                   .bytes),
              ElementsAre(0.5, 2));
  EXPECT_THAT(valuesOf<float>(read(1,
                                   [](auto &writer) {
                                     writer.add_float(kFloat, 3);
                                     writer.add_float(kFloat, 4);
                                   })
                                  .bytes),
              ElementsAre(3, 4));
}

TEST(TensorProtoTest, RefusesMalformedMessages) {
  const std::vector<std::vector<std::byte>> files = {
      // The size does not follow from the dims.
      message([](auto &writer) {
        addDims(writer, {3});
        writer.add_int32(kType, 1);
        writer.add_float(kFloat, 1);
      }),
      message([](auto &writer) {
        addDims(writer, {-1});
        writer.add_int32(kType, 1);
      }),
      message([](auto &writer) {
        addDims(writer, {int64_t{1} << 40, int64_t{1} << 40});
        writer.add_int32(kType, 7);
      }),
      message([](auto &writer) {
        addDims(writer, std::vector<int64_t>(33, 1));
        writer.add_int32(kType, 3);
        writer.add_int32(kInt32, 1);
      }),
      message([](auto &writer) {
        writer.add_int32(kType, 1);
        writer.add_int32(kLocation, 1);
      }),
      // Foreign wire types.
      message([](auto &writer) { writer.add_string(kType, "f32"); }),
      message([](auto &writer) { writer.add_int64(kRaw, 5); }),
      message([](auto &writer) { writer.add_int64(kFloat, 5); }),
      bytesOf(std::string_view("\xff\xff\xff\xff\xff\xff", 6)),
      // Raw data of 100 bytes of which 1 follows.
      bytesOf(std::string_view("\x4a\x64\x00", 3))};
  for (size_t i = 0; i < files.size(); ++i) {
    EXPECT_THAT(textOf(parseTensorProto(files[i], "t")), HasSubstr("E0803"))
        << i;
  }
}

TEST(TensorProtoTest, RefusesOtherTypes) {
  // 0 undefined, 8 string, 12 uint32, 14 complex64, 17 float8.
  for (int32_t type : {0, 8, 12, 14, 17, -1}) {
    EXPECT_THAT(textOf(parseTensorProto(message([&](auto &writer) {
                                          writer.add_int32(kType, type);
                                        }),
                                        "t")),
                HasSubstr("E0804"))
        << type;
  }
}

TEST(TensorProtoTest, AnyBytesAreHandled) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes(random() % 24);
    for (std::byte &byte : bytes) {
      byte = static_cast<std::byte>(random());
    }
    const Expected<HostTensor> tensor = parseTensorProto(bytes, "t");
    if (tensor) {
      EXPECT_EQ(static_cast<size_t>(*denseBytes(tensor->type, tensor->shape)),
                tensor->bytes.size());
    }
  }
}

} // namespace
