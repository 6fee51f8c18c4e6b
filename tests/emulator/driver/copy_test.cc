// cuMemcpy* and cuMemset*, each kind.
#include <numeric>

#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes Counting(std::size_t count) {
  Bytes bytes(count);
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
  return bytes;
}

TEST_F(Gpu, CopiesBetweenAllPlaces) {
  const Bytes source = Counting(100);
  const CUdeviceptr a = ToDevice(source), b = ToDevice(Bytes(100));
  EXPECT_CU(CUDA_SUCCESS, cuMemcpyDtoD(b, a, 50));
  EXPECT_CU(CUDA_SUCCESS, cuMemcpy(b + 50, a + 50, 30));
  Bytes result(100);
  EXPECT_CU(CUDA_SUCCESS, cuMemcpy(reinterpret_cast<CUdeviceptr>(result.data()), b, 100));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(i < 80 ? source[i] : 0, result[i]) << i;
  EXPECT_CU(CUDA_SUCCESS, cuMemcpyHtoD(b, source.data(), 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(0, source.data(), 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(b, nullptr, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD(b, reinterpret_cast<CUdeviceptr>(source.data()), 1))
      << "that is no device memory";
}

TEST_F(Gpu, AnAsynchronousCopyReadsPageableMemoryAtOnceAndPinnedMemoryLater) {
  CUstream stream = nullptr;
  void* pinned = nullptr;
  ASSERT_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_CU(cuMemAllocHost(&pinned, 1));
  Bytes pageable = {1};
  *static_cast<unsigned char*>(pinned) = 1;
  const CUdeviceptr to = ToDevice(Bytes{0, 0});
  EXPECT_CU(CUDA_SUCCESS, cuMemcpyHtoDAsync(to, pageable.data(), 1, stream));
  EXPECT_CU(CUDA_SUCCESS, cuMemcpyHtoDAsync(to + 1, pinned, 1, stream));
  pageable[0] = 2;
  *static_cast<unsigned char*>(pinned) = 2;
  EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(stream));
  EXPECT_EQ((Bytes{1, 2}), FromDevice<unsigned char>(to, 2));
}

// Rows of 5 bytes, from the third byte of the second row of a pitch of 8, to a pitch of 16.
TEST_F(Gpu, CopiesRows) {
  const Bytes source = Counting(64);
  const CUdeviceptr to = ToDevice(Bytes(64));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = source.data();
  copy.srcPitch = 8, copy.srcXInBytes = 2, copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = to;
  copy.dstPitch = 16, copy.dstXInBytes = 1, copy.dstY = 1;
  copy.WidthInBytes = 5, copy.Height = 3;
  EXPECT_CU(CUDA_SUCCESS, cuMemcpy2D(&copy));
  Bytes expected(64);
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 5; ++i) expected[(row + 1) * 16 + 1 + i] = source[(row + 1) * 8 + 2 + i];
  }
  EXPECT_EQ(expected, FromDevice<unsigned char>(to, 64));
  copy.WidthInBytes = 7;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&copy)) << "2 + 7 bytes are more than the pitch of 8";
  copy.WidthInBytes = 5, copy.Height = 4;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&copy)) << "a row behind the allocation";
  copy.Height = 3, copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, cuMemcpy2D(&copy));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(nullptr));
}

TEST_F(Gpu, CopiesBoxes) {
  const Bytes source = Counting(4 * 3 * 2);
  const CUdeviceptr from = ToDevice(source), to = ToDevice(Bytes(8));
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from, copy.dstDevice = to;
  copy.srcPitch = 4, copy.srcHeight = 3;
  copy.dstPitch = 2, copy.dstHeight = 2;
  copy.srcXInBytes = 1, copy.srcY = 1;
  copy.WidthInBytes = 2, copy.Height = 2, copy.Depth = 2;
  CUstream stream = nullptr;
  ASSERT_CU(cuStreamCreate(&stream, 0));
  EXPECT_CU(CUDA_SUCCESS, cuMemcpy3DAsync(&copy, stream));
  Bytes expected;
  for (int z = 0; z < 2; ++z) {
    for (int y = 0; y < 2; ++y) {
      for (int x = 0; x < 2; ++x) expected.push_back(source[(z * 3 + y + 1) * 4 + x + 1]);
    }
  }
  EXPECT_EQ(expected, FromDevice<unsigned char>(to, 8));
}

TEST_F(Gpu, Fills) {
  const CUdeviceptr to = ToDevice(Bytes(24));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD8(to + 1, 0x11, 3));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD16(to + 4, 0x2233, 2));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32(to + 8, 0x44556677, 1));
  // Rows of 2 in a pitch of 4, the last two bytes of each left alone.
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD2D8(to + 12, 4, 0x88, 2, 3));
  EXPECT_EQ((Bytes{0,    0x11, 0x11, 0x11, 0x33, 0x22, 0x33, 0x22, 0x77, 0x66, 0x55, 0x44,
                   0x88, 0x88, 0,    0,    0x88, 0x88, 0,    0,    0x88, 0x88, 0,    0}),
            FromDevice<unsigned char>(to, 24));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD8Async(to, 0, 24, nullptr));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD16Async(to, 1, 1, nullptr));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(to + 4, 1, 1, nullptr));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD2D16(to + 8, 4, 2, 1, 2));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD2D32Async(to + 16, 8, 3, 1, 1, nullptr));
  EXPECT_EQ((std::vector<std::uint32_t>{1, 1, 2, 2, 3, 0}), FromDevice<std::uint32_t>(to, 6));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8(to, 1, 0, 2, 2)) << "a pitch of less than a row";
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemsetD16(to + 1, 0, 1));
}

TEST_F(Gpu, AFillOfHostMemoryIsDoneWhenItReturns) {
  void* pinned = nullptr;
  ASSERT_CU(cuMemAllocHost(&pinned, 4));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD8(reinterpret_cast<CUdeviceptr>(pinned), 9, 4));
  EXPECT_EQ(9, static_cast<unsigned char*>(pinned)[3]);
}

}  // namespace
}  // namespace emu::testing
