// The arithmetic of wgmma: panels of 64 rows and 8 columns.

#include <bit>
#include <cstring>

#include "tools/emulator/tensor/descriptor.h"
#include "tools/emulator/tensor/product.h"
#include "tools/emulator/tensor/wgmma_call.h"

namespace emu {

namespace {

constexpr int kRows = 64, kColumns = 8, kWarpRows = 16;
constexpr int kMostK = 32;     // elements along k; of single bits, 8 words
constexpr int kBytesOfK = 32;  // of every type
constexpr int kWordsOfK = kBytesOfK / 4;

void Gather(const Warpgroup& group, const std::uint32_t* granules, int count, std::byte* to) {
  const std::byte* shared = group.warps[0]->cta().shared.data();
  for (int i = 0; i < count; ++i) std::memcpy(to + i * kGranule, shared + granules[i], kGranule);
}

// A as bytes of rows: from registers (PTX ISA, "Register Fragments": a warp's 16 rows are laid out as in mma of the same
// type: registers are rows `lane / 4` and that + 8 of the first 16 bytes along k, then of the second).
void GatherRegisters(const Warpgroup& group, const WgmmaDetails& details, std::byte* rows) {
  for (int w = 0; w < 4; ++w) {
    for (int reg = 0; reg < 4; ++reg) {
      const auto* lanes = group.warps[static_cast<std::size_t>(w)]->Lanes<std::byte>(
          details.a_registers[static_cast<std::size_t>(reg)]);
      for (int i = 0; i < 8; ++i) {
        const int row = w * kWarpRows + i + 8 * (reg % 2);
        std::memcpy(rows + row * kBytesOfK + reg / 2 * kGranule, lanes + i * kGranule, kGranule);
      }
    }
  }
}

// a[64][k].
void LoadA(const Warpgroup& group, const WgmmaCall& call, const WgmmaDetails& details, double* a) {
  std::byte bytes[kRows * kBytesOfK];
  const int k = details.shape.k;
  if (details.a_registers.empty()) {
    Gather(group, call.a_granules.data(), static_cast<int>(call.a_granules.size()), bytes);
  } else {
    GatherRegisters(group, details, bytes);
  }
  if (!details.a_transposed) {
    ToDoubles(details.a, bytes, kRows * k, a);
  } else {
    double columns[kRows * kMostK];
    ToDoubles(details.a, bytes, kRows * k, columns);
    for (int row = 0; row < kRows; ++row) {
      for (int kk = 0; kk < k; ++kk) a[row * k + kk] = columns[kk * kRows + row];
    }
  }
  if (!details.negative) return;
  for (int i = 0; i < kRows * k; ++i) a[i] = -a[i];
}

// b[k][8] of a panel.
void LoadB(const Warpgroup& group, const WgmmaCall& call, const WgmmaDetails& details, int panel, double* b) {
  std::byte bytes[kColumns * kBytesOfK];
  const int k = details.shape.k, panels = details.shape.n / kColumns;
  if (details.b_transposed) {
    std::uint32_t granules[kMostK];
    for (int kk = 0; kk < k; ++kk)
      granules[kk] = call.b_granules[static_cast<std::size_t>(kk * panels + panel)];
    Gather(group, granules, k, bytes);
    ToDoubles(details.b, bytes, k * kColumns, b);
    return;
  }
  Gather(group, call.b_granules.data() + panel * kColumns * 2, kColumns * 2, bytes);
  double columns[kColumns * kMostK];
  ToDoubles(details.b, bytes, kColumns * k, columns);
  for (int kk = 0; kk < k; ++kk) {
    for (int column = 0; column < kColumns; ++column) b[kk * kColumns + column] = columns[column * k + kk];
  }
}

typedef double Doubles __attribute__((vector_size(32), aligned(8), may_alias));
typedef float Floats __attribute__((vector_size(16), aligned(4), may_alias));
typedef std::int32_t Words __attribute__((vector_size(16), aligned(4), may_alias));

// to[2i], to[2i + 1] = even[i], odd[i] for a warp's lanes.
void Interleave(const float* even, const float* odd, double* to) {
  for (int lane = 0; lane < kWarpSize; lane += 4) {
    const auto& e = *reinterpret_cast<const Floats*>(even + lane);
    const auto& o = *reinterpret_cast<const Floats*>(odd + lane);
    const Floats first = __builtin_shufflevector(e, o, 0, 4, 1, 5);
    const Floats second = __builtin_shufflevector(e, o, 2, 6, 3, 7);
    *reinterpret_cast<Doubles*>(to + lane * 2) = __builtin_convertvector(first, Doubles);
    *reinterpret_cast<Doubles*>(to + lane * 2 + 4) = __builtin_convertvector(second, Doubles);
  }
}

// ToF32 of four.
Words RoundToF32(const double* from) {
  const Floats rounded = __builtin_convertvector(*reinterpret_cast<const Doubles*>(from), Floats);
  const Words is_nan = rounded != rounded;
  return (is_nan & 0x7fffffff) | (~is_nan & reinterpret_cast<Words>(rounded));
}

// even[i], odd[i] = ToF32 of from[2i], from[2i + 1].
void Separate(const double* from, std::uint32_t* even, std::uint32_t* odd) {
  for (int lane = 0; lane < kWarpSize; lane += 4) {
    const Words first = RoundToF32(from + lane * 2), second = RoundToF32(from + lane * 2 + 4);
    *reinterpret_cast<Words*>(even + lane) = __builtin_shufflevector(first, second, 0, 2, 4, 6);
    *reinterpret_cast<Words*>(odd + lane) = __builtin_shufflevector(first, second, 1, 3, 5, 7);
  }
}

// A register of 32 bits, or the pair of registers that holds the same 8 rows of the panel: lane 4r + c has columns 2c and
// 2c + 1 of row r ("Accumulator D"), so that lanes follow each other as the panel's elements do.
void LoadPart(const Warp& warp, const WgmmaDetails& details, std::size_t part, double* to) {
  const auto& registers = details.d_registers;
  if (details.d == Element::kF16) {
    ToDoubles(Element::kF16, warp.Lanes<std::byte>(registers[part]), kWarpSize * 2, to);
    return;
  }
  if (details.d == Element::kF32) {
    return Interleave(warp.Lanes<float>(registers[part * 2]), warp.Lanes<float>(registers[part * 2 + 1]), to);
  }
  for (std::size_t odd = 0; odd < 2; ++odd) {
    const auto* from = warp.Lanes<std::int32_t>(registers[part * 2 + odd]);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) to[lane * 2 + odd] = from[lane];
  }
}

void StorePart(Warp& warp, const WgmmaDetails& details, std::size_t part, const double* from) {
  const auto& registers = details.d_registers;
  if (details.d == Element::kF16) {
    auto* to = warp.Lanes<std::uint16_t>(registers[part]);
    for (std::size_t i = 0; i < kWarpSize * 2; ++i) to[i] = ToF16(from[i]);
    return;
  }
  if (details.d == Element::kF32) {
    return Separate(from, warp.Lanes<std::uint32_t>(registers[part * 2]),
                    warp.Lanes<std::uint32_t>(registers[part * 2 + 1]));
  }
  for (std::size_t odd = 0; odd < 2; ++odd) {
    auto* to = warp.Lanes<std::int32_t>(registers[part * 2 + odd]);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
      to[lane] = ToS32(from[lane * 2 + odd], details.saturate);
  }
}

constexpr int kPart = 8 * kColumns;  // elements

template <class Function>
void ForParts(const Warpgroup& group, int panel, Function function) {
  for (std::size_t w = 0; w < 4; ++w) {
    for (std::size_t half = 0; half < 2; ++half) {
      function(*group.warps[w], static_cast<std::size_t>(panel) * 2 + half, (w * 2 + half) * kPart);
    }
  }
}

void PerformBits(const Warpgroup& group, const WgmmaCall& call, const WgmmaDetails& details) {
  std::uint32_t a[kRows * kWordsOfK], b[kColumns * kWordsOfK];
  if (details.a_registers.empty()) {
    Gather(group, call.a_granules.data(), kRows * 2, reinterpret_cast<std::byte*>(a));
  } else {
    GatherRegisters(group, details, reinterpret_cast<std::byte*>(a));
  }
  for (int panel = 0; panel < details.shape.n / kColumns; ++panel) {
    Gather(group, call.b_granules.data() + panel * kColumns * 2, kColumns * 2, reinterpret_cast<std::byte*>(b));
    std::int32_t sums[kRows * kColumns] = {};
    AddProductBits(a, b, sums, kRows, kColumns, kWordsOfK, false);
    ForParts(group, panel, [&](Warp& warp, std::size_t part, std::size_t at) {
      double c[kPart] = {};
      if (call.add) LoadPart(warp, details, part, c);
      for (std::size_t i = 0; i < kPart; ++i) c[i] += sums[at + i];
      StorePart(warp, details, part, c);
    });
  }
}

}  // namespace

void PerformWgmma(Warpgroup& group, const WgmmaCall& call) {
  const WgmmaDetails& details = DetailsOf(*call.op);
  if (details.a == Element::kB1) {
    PerformBits(group, call, details);
    return;
  }
  alignas(64) double a[kRows * kMostK], b[kMostK * kColumns], c[kRows * kColumns];
  LoadA(group, call, details, a);
  for (int panel = 0; panel < details.shape.n / kColumns; ++panel) {
    LoadB(group, call, details, panel, b);
    if (call.add) {
      ForParts(group, panel,
               [&](Warp& warp, std::size_t part, std::size_t at) { LoadPart(warp, details, part, c + at); });
    } else {
      std::memset(c, 0, sizeof(c));
    }
    AddProduct(a, b, c, kRows, details.shape.k);
    ForParts(group, panel,
             [&](Warp& warp, std::size_t part, std::size_t at) { StorePart(warp, details, part, c + at); });
  }
}

}  // namespace emu
