// Allocations: where they begin and end, what they hold at first, and what the driver knows of them.
#include <array>

#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

// One thread reads a byte at the address and writes it to another.
std::string CopyByte() {
  return Module(Kernel("copy_byte", ".param .u64 to, .param .u64 from", R"(
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [from];
  ld.global.u8 %h1, [%rd2];
  st.global.u8 [%rd1], %h1;
  ret;)"),
                "sm_80");
}

CUresult CopiesByte(CUdeviceptr to, CUdeviceptr from) {
  const CUmodule module = Load(CopyByte());
  const CUresult launched = Launch(FunctionOf(module, "copy_byte"), {.threads = 1}, to, from);
  return launched == CUDA_SUCCESS ? cuCtxSynchronize() : launched;
}

TEST_F(Gpu, AllocationsAreAlignedAndApart) {
  CUdeviceptr a = 0, b = 0;
  ASSERT_CU(cuMemAlloc(&a, 1));
  ASSERT_CU(cuMemAlloc(&b, 1));
  EXPECT_EQ(0u, a % 512);
  EXPECT_EQ(0u, b % 512);
  EXPECT_GE(a < b ? b - a : a - b, 4096u);
  EXPECT_CU(CUDA_SUCCESS, cuMemFree(a));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemFree(a));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemFree(b + 1));
  EXPECT_CU(CUDA_SUCCESS, cuMemFree(0));
  EXPECT_CU(CUDA_SUCCESS, cuMemFree(b));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&a, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(nullptr, 4));
}

TEST_F(Gpu, MemoryEndsWhereTheDeviceEnds) {
  std::size_t free = 0, total = 0, now = 0;
  ASSERT_CU(cuMemGetInfo(&free, &total));
  CUdeviceptr address = 0;
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&address, free + 1));
  ASSERT_CU(cuMemAlloc(&address, free));
  EXPECT_CU(CUDA_SUCCESS, cuMemGetInfo(&now, &total));
  EXPECT_EQ(0u, now);
  CUdeviceptr other = 0;
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&other, 1));
  EXPECT_CU(CUDA_SUCCESS, cuMemFree(address));
  EXPECT_CU(CUDA_SUCCESS, cuMemAlloc(&other, 1));
}

TEST_F(Gpu, FreshMemoryIsPoisonedAlsoWhenItIsLarge) {
  for (const std::size_t bytes : {std::size_t{5}, std::size_t{100000}, std::size_t{40} << 20}) {
    CUdeviceptr address = 0;
    ASSERT_CU(cuMemAlloc(&address, bytes));
    unsigned char first = 0, last = 0;
    EXPECT_CU(CUDA_SUCCESS, cuMemcpyDtoH(&first, address, 1));
    EXPECT_CU(CUDA_SUCCESS, cuMemcpyDtoH(&last, address + bytes - 1, 1));
    EXPECT_EQ(0xff, first);
    EXPECT_EQ(0xff, last);
    EXPECT_CU(CUDA_SUCCESS, cuMemFree(address));
  }
}

class Edges : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    ASSERT_CU(cuMemAlloc(&odd_, kBytes));
    ASSERT_CU(cuMemAlloc(&other_, 4));
  }
  // What the context says, and the sentence about the address.
  void Found(CUresult result, const std::string& sentence) {
    EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, result);
    EXPECT_NE(std::string::npos, LastReport().find("out of bounds")) << LastReport();
    EXPECT_NE(std::string::npos, LastReport().find("in copy_byte, PTX line ")) << LastReport();
    EXPECT_NE(std::string::npos, LastReport().find(sentence)) << LastReport();
  }
  static constexpr std::size_t kBytes = 1001;
  CUdeviceptr odd_ = 0, other_ = 0;
};

TEST_F(Edges, TheFirstAndTheLastByteAreFree) {
  EXPECT_CU(CUDA_SUCCESS, CopiesByte(odd_, other_));
  EXPECT_CU(CUDA_SUCCESS, CopiesByte(odd_ + kBytes - 1, other_));
  EXPECT_CU(CUDA_SUCCESS, CopiesByte(other_, odd_ + kBytes - 1));
}
TEST_F(Edges, AReadBehindIsFound) { Found(CopiesByte(other_, odd_ + kBytes), "0 bytes past the end"); }
TEST_F(Edges, AReadBeforeIsFound) { Found(CopiesByte(other_, odd_ - 1), "1 bytes before"); }
TEST_F(Edges, AWriteBehindIsFound) { Found(CopiesByte(odd_ + kBytes, other_), "0 bytes past the end"); }
TEST_F(Edges, AWriteBeforeIsFound) { Found(CopiesByte(odd_ - 1, other_), "1 bytes before"); }
TEST_F(Edges, ANullPointerIsFound) { Found(CopiesByte(0, other_), "a null pointer"); }
TEST_F(Edges, FreedMemoryIsFound) {
  EXPECT_CU(CUDA_SUCCESS, cuMemFree(odd_));
  Found(CopiesByte(other_, odd_ + 3), "(which was freed)");
}
TEST_F(Edges, CopiesAndFillsEndWithTheAllocation) {
  char bytes[8] = {};
  EXPECT_CU(CUDA_SUCCESS, cuMemcpyHtoD(odd_ + kBytes - 8, bytes, 8));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(odd_ + kBytes - 7, bytes, 8));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(bytes, odd_ + kBytes - 7, 8));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD(other_, odd_, 5));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD8(odd_, 1, kBytes));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(odd_, 1, kBytes + 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(odd_ - 1, 1, 2));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(odd_ + 1, 1, 1)) << "not aligned";
}

TEST_F(Gpu, HostMemoryIsTheDevicesToo) {
  void* host = nullptr;
  ASSERT_CU(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP));
  CUdeviceptr address = 0;
  EXPECT_CU(CUDA_SUCCESS, cuMemHostGetDevicePointer(&address, host, 0));
  unsigned flags = 0;
  EXPECT_CU(CUDA_SUCCESS, cuMemHostGetFlags(&flags, host));
  EXPECT_NE(0u, flags & CU_MEMHOSTALLOC_DEVICEMAP);
  auto* const words = static_cast<std::uint32_t*>(host);
  words[0] = 5;
  EXPECT_CU(CUDA_SUCCESS,
            Launch(FunctionOf(Load(AddModule()), "add"), {.threads = 1}, address + 4, address, 3u));
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
  EXPECT_EQ(8u, words[1]);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemFree(address));
  EXPECT_CU(CUDA_SUCCESS, cuMemFreeHost(host));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc(&host, 64, 1u << 20));
}

TEST_F(Gpu, RegisteredMemoryIsTheDevicesWhileItIsRegistered) {
  std::vector<std::uint32_t> words = {5, 0, 0};
  ASSERT_CU(cuMemHostRegister(words.data(), 8, 0));
  EXPECT_CU(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(words.data() + 1, 8, 0));
  const auto address = reinterpret_cast<CUdeviceptr>(words.data());
  const CUfunction add = FunctionOf(Load(AddModule()), "add");
  EXPECT_CU(CUDA_SUCCESS, Launch(add, {.threads = 1}, address + 4, address, 3u));
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
  EXPECT_EQ(8u, words[1]);
  EXPECT_CU(CUDA_SUCCESS, cuMemHostUnregister(words.data()));
  EXPECT_CU(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(words.data()));
  EXPECT_CU(CUDA_SUCCESS, Launch(add, {.threads = 1}, address + 4, address, 3u));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

TEST_F(Gpu, ManagedMemoryIsBoths) {
  CUdeviceptr address = 0;
  ASSERT_CU(cuMemAllocManaged(&address, 8, CU_MEM_ATTACH_GLOBAL));
  auto* const words = reinterpret_cast<std::uint32_t*>(address);
  words[0] = 1;
  EXPECT_CU(CUDA_SUCCESS,
            Launch(FunctionOf(Load(AddModule()), "add"), {.threads = 1}, address + 4, address, 1u));
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
  EXPECT_EQ(2u, words[1]);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&address, 8, 0));
}

template <class T>
T Attribute(CUpointer_attribute attribute, CUdeviceptr address) {
  T value{};
  EXPECT_CU(CUDA_SUCCESS, cuPointerGetAttribute(&value, attribute, address)) << attribute;
  return value;
}

TEST_F(Gpu, PointersHaveAttributes) {
  CUdeviceptr device = 0, managed = 0;
  void* host = nullptr;
  ASSERT_CU(cuMemAlloc(&device, 100));
  ASSERT_CU(cuMemAllocManaged(&managed, 100, CU_MEM_ATTACH_GLOBAL));
  ASSERT_CU(cuMemAllocHost(&host, 100));
  const auto pinned = reinterpret_cast<CUdeviceptr>(host);
  EXPECT_EQ(unsigned(CU_MEMORYTYPE_DEVICE), Attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 99));
  EXPECT_EQ(unsigned(CU_MEMORYTYPE_DEVICE), Attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, managed));
  EXPECT_EQ(unsigned(CU_MEMORYTYPE_HOST), Attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pinned));
  EXPECT_EQ(context(), Attribute<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, device));
  EXPECT_EQ(device, Attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, device + 50));
  EXPECT_EQ(100u, Attribute<std::size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, device + 50));
  EXPECT_EQ(0, Attribute<int>(CU_POINTER_ATTRIBUTE_IS_MANAGED, device));
  EXPECT_EQ(1, Attribute<int>(CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
  EXPECT_EQ(host, Attribute<void*>(CU_POINTER_ATTRIBUTE_HOST_POINTER, pinned));
  EXPECT_EQ(0, Attribute<int>(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device));
  EXPECT_NE(Attribute<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, device),
            Attribute<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, managed));
  void* none = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&none, CU_POINTER_ATTRIBUTE_HOST_POINTER, device));
  unsigned type = 99;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 100));
  // Several at once: what is unknown is no error.
  int local = 0, managed_too = 7;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void* outs[] = {&type, &managed_too};
  EXPECT_CU(CUDA_SUCCESS, cuPointerGetAttributes(2, attributes, outs, reinterpret_cast<CUdeviceptr>(&local)));
  EXPECT_EQ(0u, type);
  EXPECT_EQ(0, managed_too);
  CUdeviceptr begin = 0;
  std::size_t bytes = 0;
  EXPECT_CU(CUDA_SUCCESS, cuMemGetAddressRange(&begin, &bytes, device + 99));
  EXPECT_EQ(device, begin);
  EXPECT_EQ(100u, bytes);
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&begin, &bytes, device + 100));
}

TEST_F(Gpu, RowsArePadded) {
  CUdeviceptr address = 0;
  std::size_t pitch = 0;
  ASSERT_CU(cuMemAllocPitch(&address, &pitch, 1001, 7, 4));
  EXPECT_EQ(1024u, pitch);
  std::size_t bytes = 0;
  EXPECT_CU(CUDA_SUCCESS, cuMemGetAddressRange(nullptr, &bytes, address));
  EXPECT_EQ(7 * pitch, bytes);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&address, &pitch, 1001, 7, 3));
}

std::uint64_t Used(CUmemoryPool pool, CUmemPool_attribute attribute) {
  cuuint64_t bytes = 0;
  EXPECT_CU(CUDA_SUCCESS, cuMemPoolGetAttribute(pool, attribute, &bytes));
  return bytes;
}

TEST_F(Gpu, PoolsCountWhatStreamsTookAndGaveBack) {
  CUmemoryPool pool = nullptr, own = nullptr, current = nullptr;
  CUstream stream = nullptr;
  ASSERT_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_CU(cuDeviceGetDefaultMemPool(&pool, 0));
  const std::uint64_t before = Used(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
  CUdeviceptr address = 0;
  ASSERT_CU(cuMemAllocAsync(&address, 1000, stream));
  EXPECT_EQ(before + 1000, Used(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD8Async(address, 3, 1000, stream));
  unsigned char byte = 0;
  EXPECT_CU(CUDA_SUCCESS, cuMemcpyDtoHAsync(&byte, address + 999, 1, stream));
  EXPECT_CU(CUDA_SUCCESS, cuMemFreeAsync(address, stream));
  EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(stream));
  EXPECT_EQ(3, byte);
  EXPECT_EQ(before, Used(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
  EXPECT_GE(Used(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), before + 1000);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(address, stream));

  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  ASSERT_CU(cuMemPoolCreate(&own, &properties));
  EXPECT_CU(CUDA_SUCCESS, cuDeviceSetMemPool(0, own));
  EXPECT_CU(CUDA_SUCCESS, cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(own, current);
  EXPECT_CU(CUDA_SUCCESS, cuMemAllocAsync(&address, 500, stream));
  EXPECT_EQ(500u, Used(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
  EXPECT_CU(CUDA_SUCCESS, cuMemFree(address));
  EXPECT_CU(CUDA_SUCCESS, cuMemAllocFromPoolAsync(&address, 600, own, stream));
  EXPECT_EQ(600u, Used(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
  EXPECT_CU(CUDA_SUCCESS, cuMemFreeAsync(address, stream));
  EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(stream));
  EXPECT_CU(CUDA_SUCCESS, cuMemPoolDestroy(own));
  EXPECT_CU(CUDA_SUCCESS, cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(pool, current);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(pool)) << "the default one stays";
}

// A kernel that is queued before the memory goes back may use it; one behind may not.
TEST_F(Gpu, MemoryIsFreedInTheOrderOfTheStream) {
  const CUfunction copy = FunctionOf(Load(CopyByte()), "copy_byte");
  CUdeviceptr address = 0, to = ToDevice<std::uint32_t>({0});
  ASSERT_CU(cuMemAllocAsync(&address, 16, nullptr));
  EXPECT_CU(CUDA_SUCCESS, Launch(copy, {.threads = 1}, to, address));
  EXPECT_CU(CUDA_SUCCESS, cuMemFreeAsync(address, nullptr));
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
  EXPECT_CU(CUDA_SUCCESS, Launch(copy, {.threads = 1}, to, address));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  EXPECT_NE(std::string::npos, LastReport().find("which was freed")) << LastReport();
}

}  // namespace
}  // namespace emu::testing
