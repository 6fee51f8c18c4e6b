// Kernels around wgmma for tests, and matrices in shared memory as the ISA's canonical layouts have them.
#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "tests/emulator/support/run_ptx.h"
#include "tests/emulator/tensor/values.h"

namespace emu::testing {

constexpr int kImageBytes = 65536;

// A matrix of [mn][k] elements in shared memory.
struct Placement {
  bool mn_major = false;
  int swizzle = 0;              // 0, 1, 2, 3: Swizzle<0..3, 4, 3>
  int start = 0;                // bytes
  int leading = 0, stride = 0;  // bytes
  int base_offset = 0;
};

inline std::uint64_t DescriptorOf(const Placement& at) {
  constexpr std::uint64_t kMode[] = {0, 3, 2, 1};
  const auto field = [](int bytes) { return static_cast<std::uint64_t>((bytes & 0x3ffff) >> 4); };
  return field(at.start) | field(at.leading) << 16 | field(at.stride) << 32 |
         static_cast<std::uint64_t>(at.base_offset) << 49 | kMode[at.swizzle] << 62;
}

// Where element (mn, k) of `bits` bits starts, in bits: the canonical layouts in units of 16 bytes, then the swizzle on the
// address: its bits 4.. exclusive-or its bits 7.., counted from where the base offset says that the pattern starts.
inline int PlaceOf(const Placement& at, int mn, int k, int bits) {
  const int t = 128 / bits, w = 1 << at.swizzle;
  int unit_offset = 0, in_unit = 0;
  if (!at.mn_major) {
    in_unit = k % t;
    const int column = k / t;
    unit_offset = mn % 8 * w * 16 + mn / 8 * at.stride + (at.swizzle == 0 ? column * at.leading : column * 16);
  } else {
    in_unit = mn % t;
    const int row = mn / t;
    const int repeat = row / w, far_k = k / 8;
    unit_offset = row % w * 16 + k % 8 * w * 16;
    unit_offset +=
        at.swizzle == 0 ? repeat * at.stride + far_k * at.leading : repeat * at.leading + far_k * at.stride;
  }
  int address = at.start + unit_offset;
  for (int bit = 0; bit < at.swizzle; ++bit) {
    const int line = address / 128 - at.base_offset;
    address ^= (line >> bit & 1) << (4 + bit);
  }
  return address * 8 + in_unit * bits;
}

// `matrix` is [mn][k].
inline void Place(const Matrix& matrix, const Placement& at, std::vector<std::uint32_t>* image) {
  const int bits = BitsOfType(matrix.type);
  for (int mn = 0; mn < matrix.rows; ++mn) {
    for (int k = 0; k < matrix.columns; ++k) {
      PutElement(image, static_cast<std::size_t>(PlaceOf(at, mn, k, bits) / bits), bits, matrix(mn, k));
    }
  }
}

struct WgmmaShape {
  int n = 8, k = 16;
  std::string d = "f32", a = "f16", b = "f16";
  int d_registers() const { return n / 2 * BitsOfType(d) / 32; }
};

inline std::string RegisterList(const std::string& prefix, int count, int first = 0) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", prefix, first + i);
  return "{" + text + "}";
}

inline std::string WgmmaName(const WgmmaShape& shape) {
  return fmt::format("wgmma.mma_async.sync.aligned.m64n{}k{}.{}.{}.{}", shape.n, shape.k, shape.d, shape.a,
                     shape.b);
}

// A kernel of `threads` threads: shared memory from p0 (one copy through the generic proxy, fenced), accumulators %d from p1,
// four registers %a from p2, descriptors %desc_a and %desc_b from p3; then `middle`; then accumulators to p1. A register of a
// warp lies in 128 bytes; a warp's registers follow each other. %zero is false, %one is true. `before_barrier` is what the
// threads do between their writes and the barrier.
inline std::string WgmmaKernel(const WgmmaShape& shape, const std::string& middle, int threads = 128,
                               const std::string& before_barrier = "fence.proxy.async;",
                               int image_bytes = kImageBytes, const std::string& declarations = "") {
  const int count = shape.d_registers();
  std::string body = fmt::format(
      ".reg .b32 %d<{0}>, %a<4>, %t, %warp, %lane, %x, %address, %i; .reg .b64 %p<4>, %q, %o, %desc_a, "
      "%desc_b, %base;\n"
      ".reg .pred %zero, %one, %more; {1}\n"
      "mov.u32 %t, %tid.x; shr.u32 %warp, %t, 5; and.b32 %lane, %t, 31;\n"
      "setp.eq.u32 %one, %t, %t; setp.ne.u32 %zero, %t, %t;\n"
      "ld.param.u64 %p0, [p0]; ld.param.u64 %p1, [p1]; ld.param.u64 %p2, [p2]; ld.param.u64 %p3, [p3];\n",
      count + 1, declarations);
  body += fmt::format(
      "mov.u32 %address, memory; mov.u32 %i, %t; mad.wide.u32 %q, %t, 4, %p0; mad.lo.u32 %address, %t, 4, "
      "%address;\n"
      "COPY: ld.global.b32 %x, [%q]; st.shared.b32 [%address], %x; add.s64 %q, %q, {0}; add.u32 %address, "
      "%address, {0};\n"
      "add.u32 %i, %i, {1}; setp.lt.u32 %more, %i, {2}; @%more bra COPY;\n{3}\nbar.sync 0;\n",
      threads * 4, threads, image_bytes / 4, before_barrier);
  body += fmt::format("mul.wide.u32 %o, %warp, {}; mad.wide.u32 %o, %lane, 4, %o; add.s64 %p1, %p1, %o;\n",
                      count * 128);
  body += "mul.wide.u32 %o, %warp, 512; mad.wide.u32 %o, %lane, 4, %o; add.s64 %p2, %p2, %o;\n";
  for (int i = 0; i < count; ++i) body += fmt::format("ld.global.b32 %d{}, [%p1+{}];\n", i, i * 128);
  for (int i = 0; i < 4; ++i) body += fmt::format("ld.global.b32 %a{}, [%p2+{}];\n", i, i * 128);
  // The descriptors are relative to the variable.
  body +=
      "ld.global.b64 %desc_a, [%p3]; ld.global.b64 %desc_b, [%p3+8]; mov.u32 %x, memory; shr.u32 %x, %x, 4;\n"
      "and.b32 %x, %x, 16383; cvt.u64.u32 %base, %x; add.s64 %desc_a, %desc_a, %base; add.s64 %desc_b, "
      "%desc_b, %base;\n";
  body += middle + "\n";
  for (int i = 0; i < count; ++i) body += fmt::format("st.global.b32 [%p1+{}], %d{};\n", i * 128, i);
  return fmt::format(
      ".version 8.0\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 memory[{}];\n"
      ".visible .entry kernel(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 "
      "p3)\n{{\n{}ret;\n}}\n",
      image_bytes, body);
}

inline PtxLaunch WgmmaLaunch(const std::vector<std::uint32_t>& image, const std::vector<std::uint32_t>& d,
                             const std::vector<std::uint32_t>& a, std::uint64_t desc_a, std::uint64_t desc_b,
                             std::uint32_t threads = 128) {
  PtxLaunch launch;
  launch.threads = {threads, 1, 1};
  launch.arguments = {Buffer(image), Buffer(d), Buffer(a), Buffer(std::vector<std::uint64_t>{desc_a, desc_b})};
  return launch;
}

}  // namespace emu::testing
