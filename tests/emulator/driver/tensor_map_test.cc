// cuTensorMapEncodeTiled's constraints (CUDA Driver API, "Tensor Map Object Management"), each with the last value that is allowed
// and the first that is not.
#include <array>
#include <cstring>
#include <functional>

#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

// Arguments that are allowed.
struct Arguments {
  alignas(64) std::array<unsigned char, 256> memory{};
  void* map = memory.data();
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  cuuint32_t rank = 3;
  std::uintptr_t address = 0x10000;
  std::array<cuuint64_t, 5> dims{64, 32, 16, 8, 4};
  std::array<cuuint64_t, 4> strides{128, 4096, 65536, 1 << 20};
  std::array<cuuint32_t, 5> box{32, 8, 4, 2, 1};
  std::array<cuuint32_t, 5> element_strides{1, 1, 1, 1, 1};
  const cuuint64_t* dims_pointer = dims.data();
  const cuuint64_t* strides_pointer = strides.data();
  const cuuint32_t* box_pointer = box.data();
  const cuuint32_t* element_strides_pointer = element_strides.data();
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
};

using Change = std::function<void(Arguments&)>;

CUresult Encode(Arguments& arguments, std::string* said = nullptr) {
  ::testing::internal::CaptureStderr();
  const CUresult result = cuTensorMapEncodeTiled(
      static_cast<CUtensorMap*>(arguments.map), arguments.type, arguments.rank,
      reinterpret_cast<void*>(arguments.address), arguments.dims_pointer, arguments.strides_pointer,
      arguments.box_pointer, arguments.element_strides_pointer, arguments.interleave, arguments.swizzle,
      arguments.promotion, arguments.fill);
  const std::string heard = ::testing::internal::GetCapturedStderr();
  if (said != nullptr) *said = heard;
  return result;
}

class TensorMaps : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_CU(cuInit(0)); }
  void Allowed(const Change& change) {
    Arguments arguments;
    change(arguments);
    const auto before = arguments.memory;
    std::string said;
    EXPECT_CU(CUDA_SUCCESS, Encode(arguments, &said));
    EXPECT_EQ("", said);
    EXPECT_NE(before, arguments.memory);
  }
  // `argument` is what the sentence on stderr names.
  void Refused(const std::string& argument, const Change& change) {
    Arguments arguments;
    change(arguments);
    const auto before = arguments.memory;
    std::string said;
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Encode(arguments, &said));
    EXPECT_EQ(0u, said.find("emulator: cuTensorMapEncodeTiled: " + argument)) << said;
    EXPECT_EQ(before, arguments.memory);
  }
};

TEST_F(TensorMaps, AreAlignedTo64Bytes) {
  Allowed([](Arguments& a) { a.map = a.memory.data() + 64; });
  Refused("tensorMap", [](Arguments& a) { a.map = a.memory.data() + 32; });
  Refused("tensorMap", [](Arguments& a) { a.map = nullptr; });
}

TEST_F(TensorMaps, HaveOneToFiveDimensions) {
  for (cuuint32_t rank = 1; rank <= 5; ++rank) Allowed([&](Arguments& a) { a.rank = rank; });
  Refused("tensorRank", [](Arguments& a) { a.rank = 0; });
  Refused("tensorRank", [](Arguments& a) { a.rank = 6; });
}

TEST_F(TensorMaps, OfInterleavedTensorsHaveThreeOrMore) {
  const auto interleaved = [](Arguments& a) { a.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; };
  Allowed(interleaved);
  Refused("tensorRank", [&](Arguments& a) { interleaved(a), a.rank = 2; });
}

TEST_F(TensorMaps, BeginAt16Bytes) {
  Allowed([](Arguments& a) { a.address += 16; });
  Refused("globalAddress", [](Arguments& a) { a.address += 8; });
}

TEST_F(TensorMaps, OfTensorsInterleavedBy32BeginAt32Bytes) {
  const auto interleaved = [](Arguments& a) {
    a.interleave = CU_TENSOR_MAP_INTERLEAVE_32B, a.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
  };
  Allowed([&](Arguments& a) { interleaved(a), a.address += 32; });
  Refused("globalAddress", [&](Arguments& a) { interleaved(a), a.address += 16; });
}

TEST_F(TensorMaps, HaveSizesUpTo2To32) {
  Allowed([](Arguments& a) { a.dims[1] = cuuint64_t{1} << 32; });
  Refused("globalDim[1]", [](Arguments& a) { a.dims[1] = (cuuint64_t{1} << 32) + 1; });
  Refused("globalDim[2]", [](Arguments& a) { a.dims[2] = 0; });
}

TEST_F(TensorMaps, HaveStridesOf16BytesBelow2To40) {
  Allowed([](Arguments& a) { a.strides[0] = 144; });
  Refused("globalStrides[0]", [](Arguments& a) { a.strides[0] = 136; });
  Allowed([](Arguments& a) { a.strides[1] = (cuuint64_t{1} << 40) - 16; });
  Refused("globalStrides[1]", [](Arguments& a) { a.strides[1] = cuuint64_t{1} << 40; });
}

TEST_F(TensorMaps, OfTensorsInterleavedBy32HaveStridesOf32Bytes) {
  const auto interleaved = [](Arguments& a) {
    a.interleave = CU_TENSOR_MAP_INTERLEAVE_32B, a.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
  };
  Allowed([&](Arguments& a) { interleaved(a), a.strides[1] = 160; });
  Refused("globalStrides[1]", [&](Arguments& a) { interleaved(a), a.strides[1] = 144; });
}

TEST_F(TensorMaps, HaveBoxesUpTo256) {
  Allowed([](Arguments& a) { a.box[0] = 256; });
  Refused("boxDim[0]", [](Arguments& a) { a.box[0] = 264; });
  Allowed([](Arguments& a) { a.box[1] = 256; });
  Refused("boxDim[1]", [](Arguments& a) { a.box[1] = 257; });
  Refused("boxDim[2]", [](Arguments& a) { a.box[2] = 0; });
}

TEST_F(TensorMaps, HaveRowsOf16Bytes) {
  Allowed([](Arguments& a) { a.box[0] = 24; });
  Refused("boxDim[0]", [](Arguments& a) { a.box[0] = 20; });
  Allowed([](Arguments& a) { a.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, a.box[0] = 20; });
  // Interleaved ones do not.
  Allowed([](Arguments& a) { a.interleave = CU_TENSOR_MAP_INTERLEAVE_16B, a.box[0] = 20; });
}

TEST_F(TensorMaps, HaveRowsWithinTheirSwizzle) {
  const struct {
    CUtensorMapSwizzle swizzle;
    cuuint32_t halves;
  } spans[] = {
      {CU_TENSOR_MAP_SWIZZLE_32B, 16}, {CU_TENSOR_MAP_SWIZZLE_64B, 32}, {CU_TENSOR_MAP_SWIZZLE_128B, 64}};
  for (const auto& span : spans) {
    Allowed([&](Arguments& a) { a.swizzle = span.swizzle, a.box[0] = span.halves; });
    Refused("boxDim[0]", [&](Arguments& a) { a.swizzle = span.swizzle, a.box[0] = span.halves + 8; });
  }
}

TEST_F(TensorMaps, HaveElementStridesOfOneToEight) {
  Allowed([](Arguments& a) { a.element_strides[1] = 8; });
  Refused("elementStrides[1]", [](Arguments& a) { a.element_strides[1] = 9; });
  Refused("elementStrides[2]", [](Arguments& a) { a.element_strides[2] = 0; });
}

TEST_F(TensorMaps, InterleavedBy32AreSwizzledBy32) {
  const auto swizzled = [](CUtensorMapSwizzle swizzle) {
    return [swizzle](Arguments& a) {
      a.interleave = CU_TENSOR_MAP_INTERLEAVE_32B, a.swizzle = swizzle, a.box[0] = 16;
    };
  };
  Allowed(swizzled(CU_TENSOR_MAP_SWIZZLE_32B));
  Refused("swizzle", swizzled(CU_TENSOR_MAP_SWIZZLE_NONE));
  Refused("swizzle", swizzled(CU_TENSOR_MAP_SWIZZLE_64B));
}

TEST_F(TensorMaps, FillWithNanWhatHasNan) {
  const auto nan = [](CUtensorMapDataType type) {
    return [type](Arguments& a) { a.type = type, a.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; };
  };
  for (const auto type : {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                          CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32}) {
    Allowed(nan(type));
  }
  Refused("oobFill", nan(CU_TENSOR_MAP_DATA_TYPE_UINT16));
  Refused("oobFill", nan(CU_TENSOR_MAP_DATA_TYPE_INT32));
}

TEST_F(TensorMaps, HaveArgumentsThatExist) {
  Refused("tensorDataType", [](Arguments& a) { a.type = static_cast<CUtensorMapDataType>(99); });
  Refused("interleave", [](Arguments& a) { a.interleave = static_cast<CUtensorMapInterleave>(3); });
  Refused("swizzle", [](Arguments& a) { a.swizzle = static_cast<CUtensorMapSwizzle>(99); });
  Refused("l2Promotion", [](Arguments& a) { a.promotion = static_cast<CUtensorMapL2promotion>(4); });
  Refused("oobFill", [](Arguments& a) { a.fill = static_cast<CUtensorMapFloatOOBfill>(2); });
  Refused("globalDim", [](Arguments& a) { a.dims_pointer = nullptr; });
  Refused("globalStrides", [](Arguments& a) { a.strides_pointer = nullptr; });
  Allowed([](Arguments& a) { a.strides_pointer = nullptr, a.rank = 1; });
  Refused("boxDim", [](Arguments& a) { a.box_pointer = nullptr; });
  Refused("elementStrides", [](Arguments& a) { a.element_strides_pointer = nullptr; });
}

TEST_F(TensorMaps, OfPackedTypesNeedANewerDevice) {
  Refused("tensorDataType", [](Arguments& a) { a.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B; });
  Refused("swizzle", [](Arguments& a) { a.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B; });
}

TEST_F(TensorMaps, ForIm2colAreRefusedByName) {
  Arguments arguments;
  const int corner[] = {0};
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED,
            cuTensorMapEncodeIm2col(static_cast<CUtensorMap*>(arguments.map), arguments.type, arguments.rank,
                                    reinterpret_cast<void*>(arguments.address), arguments.dims_pointer,
                                    arguments.strides_pointer, corner, corner, 8, 8,
                                    arguments.element_strides_pointer, arguments.interleave, arguments.swizzle,
                                    arguments.promotion, arguments.fill));
  EXPECT_EQ("emulator: cuTensorMapEncodeIm2col: tensor maps for im2col are not emulated\n", LastReport());
}

TEST_F(TensorMaps, TakeAnotherAddress) {
  Arguments arguments, moved;
  ASSERT_CU(Encode(arguments));
  moved.address += 4096;
  ASSERT_CU(Encode(moved));
  auto* const map = static_cast<CUtensorMap*>(arguments.map);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cuTensorMapReplaceAddress(map, reinterpret_cast<void*>(moved.address + 8)));
  EXPECT_CU(CUDA_SUCCESS, cuTensorMapReplaceAddress(map, reinterpret_cast<void*>(moved.address)));
  EXPECT_EQ(moved.memory, arguments.memory);
  std::memset(map, 0, sizeof *map);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress(map, reinterpret_cast<void*>(moved.address)));
}

// On a device of compute capability 12. The types of 4 and 6 bits that are spread over 16 bytes.
TEST(TensorMapsOfPackedTypes, HaveTheirOwnConstraints) {
  InProcess({{"GPU_EMULATOR_PROFILE", "rtx5070ti"}}, [] {
    ASSERT_CU(cuInit(0));
    const auto encode = [](CUtensorMapDataType type, const Change& change) {
      Arguments arguments;
      arguments.type = type;
      arguments.dims[0] = 256;
      arguments.box[0] = 128;
      change(arguments);
      return Encode(arguments);
    };
    const auto unchanged = [](Arguments&) {};
    for (const auto type : {CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B}) {
      EXPECT_CU(CUDA_SUCCESS, encode(type, unchanged));
      EXPECT_CU(CUDA_ERROR_INVALID_VALUE, encode(type, [](Arguments& a) { a.dims[0] = 192; }));
      EXPECT_CU(CUDA_ERROR_INVALID_VALUE, encode(type, [](Arguments& a) { a.box[0] = 64; }));
      EXPECT_CU(CUDA_ERROR_INVALID_VALUE, encode(type, [](Arguments& a) { a.address += 16; }));
      EXPECT_CU(CUDA_ERROR_INVALID_VALUE, encode(type, [](Arguments& a) { a.strides[0] += 16; }));
      EXPECT_CU(CUDA_SUCCESS, encode(type, [](Arguments& a) { a.swizzle = CU_TENSOR_MAP_SWIZZLE_128B; }));
      EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
                encode(type, [](Arguments& a) { a.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; }));
      EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
                encode(type, [](Arguments& a) { a.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; }));
    }
    const auto apart = [](Arguments& a) { a.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B; };
    EXPECT_CU(CUDA_SUCCESS, encode(CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B, apart));
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, encode(CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, apart));
    const auto interleaved = [](Arguments& a) { a.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; };
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, encode(CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B, interleaved));
    EXPECT_CU(CUDA_SUCCESS, encode(CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, unchanged));
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
              encode(CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, [](Arguments& a) { a.dims[0] = 255; }));
  });
}

TEST(TensorMapsBefore90, AreRefused) {
  InProcess({{"GPU_EMULATOR_PROFILE", "rtx4090"}}, [] {
    ASSERT_CU(cuInit(0));
    Arguments arguments;
    std::string said;
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Encode(arguments, &said));
    EXPECT_NE(std::string::npos, said.find("compute capability 9")) << said;
  });
}

}  // namespace
}  // namespace emu::testing
