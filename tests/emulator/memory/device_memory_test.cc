#include "tools/emulator/memory/device_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace emu {
namespace {

constexpr std::uint64_t kGigabyte = std::uint64_t{1} << 30;

const unsigned char* Bytes(std::uint64_t address) { return reinterpret_cast<const unsigned char*>(address); }

TEST(DeviceMemory, AllocationsAreAlignedPoisonedAndCounted) {
  DeviceMemory memory(kGigabyte);
  std::uint64_t total = 0;
  for (std::uint64_t bytes : {1u, 511u, 4096u, 4097u, 1u << 20}) {
    const std::uint64_t address = memory.Allocate(bytes);
    ASSERT_NE(address, 0u);
    EXPECT_EQ(address % 512, 0u);
    EXPECT_TRUE(
        std::all_of(Bytes(address), Bytes(address) + bytes, [](unsigned char byte) { return byte == 0xFF; }));
    total += bytes;
    EXPECT_EQ(memory.used(), total);
  }
}

TEST(DeviceMemory, RefusesWhatDoesNotFit) {
  DeviceMemory memory(1000);
  EXPECT_EQ(memory.Allocate(0), 0u);
  EXPECT_EQ(memory.Allocate(1001), 0u);
  const std::uint64_t first = memory.Allocate(600);
  ASSERT_NE(first, 0u);
  EXPECT_EQ(memory.Allocate(401), 0u);
  EXPECT_NE(memory.Allocate(400), 0u);
  EXPECT_EQ(memory.Allocate(1), 0u);
  EXPECT_TRUE(memory.Free(first));
  EXPECT_NE(memory.Allocate(600), 0u);
  EXPECT_EQ(DeviceMemory(~std::uint64_t{0}).Allocate(std::uint64_t{1} << 60), 0u);
}

TEST(DeviceMemory, LargeAllocationsCostOnlyWhatIsWritten) {
  DeviceMemory memory(64 * kGigabyte);
  const std::uint64_t bytes = 48 * kGigabyte;
  const std::uint64_t address = memory.Allocate(bytes);
  ASSERT_NE(address, 0u);
  for (std::uint64_t at : {std::uint64_t{0}, kGigabyte + 5, bytes - 1}) EXPECT_EQ(Bytes(address + at)[0], 0xFF);
  *reinterpret_cast<unsigned char*>(address + 12345) = 7;
  // The same place of every repetition of the poison.
  EXPECT_EQ(Bytes(address + 12345)[0], 7);
  EXPECT_EQ(Bytes(address + (16u << 20) + 12345)[0], 0xFF);
  EXPECT_TRUE(memory.Free(address));
}

TEST(DeviceMemory, FreeTakesOnlyStartsOfLiveAllocations) {
  DeviceMemory memory(kGigabyte);
  const std::uint64_t address = memory.Allocate(4096);
  EXPECT_FALSE(memory.Free(0));
  EXPECT_FALSE(memory.Free(address + 512));
  EXPECT_TRUE(memory.Free(address));
  EXPECT_FALSE(memory.Free(address));
  EXPECT_EQ(memory.used(), 0u);
}

TEST(DeviceMemory, ContainsIsExact) {
  DeviceMemory memory(kGigabyte);
  std::vector<std::uint64_t> addresses;
  for (int i = 0; i < 9; ++i) addresses.push_back(memory.Allocate(1000));
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t address : addresses) {
      EXPECT_TRUE(memory.Contains(address, 1000));
      EXPECT_TRUE(memory.Contains(address + 999, 1));
      EXPECT_FALSE(memory.Contains(address + 999, 2));
      EXPECT_FALSE(memory.Contains(address, 1001));
      EXPECT_FALSE(memory.Contains(address, ~std::uint64_t{0}));
      EXPECT_FALSE(memory.Contains(address + 1000, 1));
      EXPECT_FALSE(memory.Contains(address - 1, 1));
    }
  }
  EXPECT_TRUE(memory.Free(addresses[4]));
  EXPECT_FALSE(memory.Contains(addresses[4], 1));
  EXPECT_TRUE(memory.Contains(addresses[5], 1));
}

TEST(DeviceMemory, FindsTheAllocationAroundAnAddress) {
  DeviceMemory memory(kGigabyte);
  const std::uint64_t address = memory.Allocate(1000);
  std::uint64_t begin = 0, bytes = 0;
  ASSERT_TRUE(memory.Find(address + 999, &begin, &bytes));
  EXPECT_EQ(begin, address);
  EXPECT_EQ(bytes, 1000u);
  EXPECT_FALSE(memory.Find(address + 1000, &begin, &bytes));
  EXPECT_TRUE(memory.Free(address));
  EXPECT_FALSE(memory.Find(address, &begin, &bytes));
}

TEST(DeviceMemory, DescribesAddresses) {
  DeviceMemory memory(kGigabyte);
  EXPECT_EQ(memory.Describe(0), "a null pointer");
  EXPECT_EQ(memory.Describe(24), "24 bytes from a null pointer");
  EXPECT_EQ(memory.Describe(1u << 20), "far from every allocation");
  const std::uint64_t address = memory.Allocate(1000);
  const auto has = [&](std::uint64_t at, const char* text) { return memory.Describe(at).find(text) == 0; };
  EXPECT_TRUE(has(address + 996, "996 bytes into the allocation of 1000 bytes at 0x"))
      << memory.Describe(address + 996);
  EXPECT_TRUE(has(address + 1012, "12 bytes past the end of the allocation of 1000 bytes at 0x"));
  EXPECT_TRUE(has(address - 16, "16 bytes before the allocation of 1000 bytes at 0x"));
  EXPECT_TRUE(memory.Free(address));
  EXPECT_NE(memory.Describe(address + 8).find("(which was freed)"), std::string::npos);
}

TEST(DeviceMemory, FreedAddressesAreNotGivenOutAgainSoon) {
  DeviceMemory memory(kGigabyte);
  const std::uint64_t first = memory.Allocate(4096);
  EXPECT_TRUE(memory.Free(first));
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t next = memory.Allocate(4096);
    EXPECT_TRUE(i >= 4000 || next != first);
    ASSERT_NE(next, 0u);
    ASSERT_TRUE(memory.Free(next));
  }
  EXPECT_EQ(memory.used(), 0u);
}

using DeviceMemoryDeathTest = ::testing::Test;

TEST(DeviceMemoryDeathTest, TheHostCannotTouchTheZonesOrFreedMemory) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  DeviceMemory memory(kGigabyte);
  const std::uint64_t address = memory.Allocate(4096);
  EXPECT_DEATH(*reinterpret_cast<volatile char*>(address - 1) = 0, "");
  EXPECT_DEATH(*reinterpret_cast<volatile char*>(address + 4096) = 0, "");
  EXPECT_TRUE(memory.Free(address));
  EXPECT_DEATH(*reinterpret_cast<volatile char*>(address) = 0, "");
}

TEST(DeviceMemory, AdoptsMemoryOfOthers) {
  DeviceMemory memory(100);
  std::vector<char> host(1000);
  const auto address = reinterpret_cast<std::uint64_t>(host.data());
  memory.Adopt(address, host.size());
  EXPECT_TRUE(memory.Contains(address, 1000));
  EXPECT_FALSE(memory.Free(address));
  EXPECT_EQ(memory.used(), 0u);
  memory.Forget(address);
  EXPECT_FALSE(memory.Contains(address, 1));
}

}  // namespace
}  // namespace emu
