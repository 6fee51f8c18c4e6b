// Kernels on an emulated GPU whose memory the test fills itself, for tensor maps that need addresses.
#pragma once

#include <fmt/core.h>

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/emulator/async/tensor_map.h"
#include "tools/emulator/exec/machine.h"
#include "tools/emulator/exec/program.h"
#include "tools/emulator/memory/device_memory.h"

namespace emu::testing {

// What every kernel here begins with: registers, thread 0 in %p0, and the address of `tile` and the barrier.
inline const char kPrologue[] = R"(
    .shared .align 1024 .b8 tile[16384];
    .shared .align 8 .b64 bar;
    .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %d<16>; .reg .pred %p<8>;
    mov.u32 %r0, %tid.x;
    setp.eq.u32 %p0, %r0, 0;
    mov.u32 %r1, tile;
    mov.u32 %r2, bar;
)";

// Thread 0 makes the barrier for `arrivals`; all threads and the async proxy see it.
inline std::string MakeBarrier(int arrivals = 1) {
  return fmt::format(
      "@%p0 mbarrier.init.shared::cta.b64 [%r2], {};\n@%p0 fence.mbarrier_init.release.cluster;\n"
      "@%p0 fence.proxy.async;\nbar.sync 0;\n",
      arrivals);
}

// All threads wait for the end of the phase with `parity`.
inline std::string WaitFor(int parity, const std::string& label = "WAIT") {
  return fmt::format("{0}:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [%r2], {1};\n@!%p7 bra {0};\n", label,
                     parity);
}

// All threads copy `bytes` from shared address %r1 to [%d15].
inline std::string CopyOut(int bytes, const std::string& label = "OUT") {
  return fmt::format(R"(
    mov.u32 %r31, %ntid.x; shl.b32 %r31, %r31, 2;
    shl.b32 %r30, %r0, 2;
    {0}:
    setp.ge.u32 %p6, %r30, {1};
    @%p6 bra {0}_END;
    add.u32 %r29, %r1, %r30;
    ld.shared.u32 %r28, [%r29];
    cvt.u64.u32 %d14, %r30; add.u64 %d14, %d14, %d15;
    st.global.u32 [%d14], %r28;
    add.u32 %r30, %r30, %r31;
    bra {0};
    {0}_END:
)",
                     label, bytes);
}

// All threads copy `bytes` from [%d15] to shared address %r1, and make them visible to the async proxy.
inline std::string CopyIn(int bytes, const std::string& label = "IN") {
  return fmt::format(R"(
    mov.u32 %r31, %ntid.x; shl.b32 %r31, %r31, 2;
    shl.b32 %r30, %r0, 2;
    {0}:
    setp.ge.u32 %p6, %r30, {1};
    @%p6 bra {0}_END;
    add.u32 %r29, %r1, %r30;
    cvt.u64.u32 %d14, %r30; add.u64 %d14, %d14, %d15;
    ld.global.u32 %r28, [%d14];
    st.shared.u32 [%r29], %r28;
    add.u32 %r30, %r30, %r31;
    bra {0};
    {0}_END:
    fence.proxy.async;
    bar.sync 0;
)",
                     label, bytes);
}

class Gpu {
 public:
  template <class T>
  std::uint64_t Put(const std::vector<T>& content) {
    const std::uint64_t address = memory_.Allocate(content.size() * sizeof(T));
    std::memcpy(reinterpret_cast<void*>(address), content.data(), content.size() * sizeof(T));
    return address;
  }
  template <class T>
  std::vector<T> Get(std::uint64_t address, std::size_t count) const {
    std::vector<T> content(count);
    std::memcpy(content.data(), reinterpret_cast<const void*>(address), count * sizeof(T));
    return content;
  }

  Gpu& Threads(std::uint32_t threads) { return threads_ = threads, *this; }
  Gpu& Clusters(std::uint32_t ctas) { return cluster_ = ctas, *this; }
  Gpu& Seed(std::uint64_t seed) { return seed_ = seed, *this; }

  // Parameters "p0", "p1", ... of 8 bytes, and "map", the tensor map, when there is one. The body follows kPrologue.
  std::optional<Finding> Run(const std::string& body, const std::vector<std::uint64_t>& values,
                             const TensorMap* map = nullptr) {
    std::string params;
    std::vector<std::byte> bytes;
    if (map != nullptr) {
      params = ".param .align 64 .b8 map[128]";
      bytes.resize(kTensorMapBytes);
      Encode(*map, bytes.data());
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      params += fmt::format("{}.param .u64 p{}", params.empty() ? "" : ", ", i);
      const auto* value = reinterpret_cast<const std::byte*>(&values[i]);
      bytes.insert(bytes.end(), value, value + 8);
    }
    const std::string text = fmt::format(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry kernel({})\n{{{}{}\nret;\n}}\n",
        params, kPrologue, body);
    try {
      Image image(text, &memory_, AllFamilies());
      LaunchRequest request;
      request.program = image.Kernel("kernel");
      request.blocks = {cluster_, 1, 1}, request.cluster = {cluster_, 1, 1}, request.threads = {threads_, 1, 1};
      request.params = bytes;
      Machine(DeviceLimits{}, &memory_, seed_).Run({&request, 1});
    } catch (const Stop& stop) {
      return stop.finding();
    } catch (const ptx::SyntaxError& error) {
      return Finding{FindingKind::kUnsupported, "kernel", error.line(), error.what()};
    }
    return std::nullopt;
  }

 private:
  DeviceMemory memory_{std::uint64_t{1} << 30};
  std::uint32_t threads_ = 32, cluster_ = 1;
  std::uint64_t seed_ = 0;
};

inline std::string Text(const std::optional<Finding>& finding) { return finding ? ToString(*finding) : "none"; }

// Seeds that between them complete asynchronous work early, late and at random.
constexpr std::uint64_t kSeeds[] = {0, 1, 2, 3, 4, 5, 6, 7};

#define EXPECT_CLEAN(expression)                       \
  do {                                                 \
    const std::optional<Finding> found = (expression); \
    EXPECT_FALSE(found) << Text(found);                \
  } while (false)

#define EXPECT_FINDING(expression, wanted, part)                            \
  do {                                                                      \
    const std::optional<Finding> found = (expression);                      \
    ASSERT_TRUE(found) << "nothing was found";                              \
    EXPECT_EQ(found->kind, FindingKind::wanted) << Text(found);             \
    EXPECT_NE(found->message.find(part), std::string::npos) << Text(found); \
  } while (false)

}  // namespace emu::testing
