// Bit operations and shifts against loops over bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/emulator/alu/evaluate.h"

namespace emu::testing {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

bool Bit(U64 value, int index) { return (value >> index & 1) != 0; }

int CountBits(U64 value) {
  int count = 0;
  for (int i = 0; i < 64; ++i) count += Bit(value, i);
  return count;
}

template <class T>
void CheckUnary(const std::string& name, std::uint32_t result_bytes, const std::function<U64(U64)>& expected) {
  const auto values = Integers<T>(200);
  const auto results = Evaluate(name + " %d, %a;", result_bytes, {ColumnOf(values)});
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(results[i], expected(values[i])) << name << " " << values[i];
}

template <int kBits>
U64 LeadingZeros(U64 a) {
  int count = 0;
  while (count < kBits && !Bit(a, kBits - 1 - count)) ++count;
  return count;
}
template <int kBits>
U64 Reversed(U64 a) {
  U64 result = 0;
  for (int i = 0; i < kBits; ++i) result |= U64{Bit(a, i)} << (kBits - 1 - i);
  return result;
}
template <int kBits, bool kSigned, bool kShift>
U64 HighestUnlikeSign(U64 a) {
  const bool sign = kSigned && Bit(a, kBits - 1);
  for (int i = kBits - 1; i >= 0; --i) {
    if (Bit(a, i) != sign) return kShift ? kBits - 1 - i : i;
  }
  return 0xffff'ffff;
}

TEST(Bits, Counting) {
  CheckUnary<U32>("popc.b32", 4, CountBits);
  CheckUnary<U64>("popc.b64", 4, CountBits);
  CheckUnary<U32>("clz.b32", 4, LeadingZeros<32>);
  CheckUnary<U64>("clz.b64", 4, LeadingZeros<64>);
  CheckUnary<U32>("brev.b32", 4, Reversed<32>);
  CheckUnary<U64>("brev.b64", 8, Reversed<64>);
  CheckUnary<U32>("bfind.u32", 4, HighestUnlikeSign<32, false, false>);
  CheckUnary<U32>("bfind.s32", 4, HighestUnlikeSign<32, true, false>);
  CheckUnary<U64>("bfind.shiftamt.u64", 4, HighestUnlikeSign<64, false, true>);
  CheckUnary<U64>("bfind.shiftamt.s64", 4, HighestUnlikeSign<64, true, true>);
}

TEST(Bits, NotCnot) {
  CheckUnary<U32>("not.b32", 4, [](U64 a) { return ~a & 0xffff'ffff; });
  CheckUnary<U64>("not.b64", 8, [](U64 a) { return ~a; });
  CheckUnary<std::uint16_t>("not.b16", 2, [](U64 a) { return ~a & 0xffff; });
  CheckUnary<U32>("cnot.b32", 4, [](U64 a) { return a == 0; });
  CheckUnary<std::uint16_t>("cnot.b16", 2, [](U64 a) { return a == 0; });
}

// Operand values that matter for positions and lengths.
const std::vector<U32> kSmall = {0,  1,  5,  8,  15,  16,  17,  31,  32,         33,
                                 47, 63, 64, 65, 128, 255, 256, 288, 0xffff'ffff};

template <class T>
std::vector<Column> WithSmall(int small_columns) {
  const auto data = Integers<T>(6);
  std::vector<std::vector<U32>> small = Cross(kSmall, small_columns);
  std::vector<Column> columns = {{sizeof(T), {}}};
  for (int i = 0; i < small_columns; ++i) columns.push_back({4, {}});
  for (const T value : data) {
    for (std::size_t row = 0; row < small[0].size(); ++row) {
      columns[0].values.push_back(value);
      for (int i = 0; i < small_columns; ++i)
        columns[static_cast<std::size_t>(i) + 1].values.push_back(small[i][row]);
    }
  }
  return columns;
}

template <class T, bool kSigned>
void CheckShifts(const std::string& suffix) {
  constexpr int kBits = 8 * sizeof(T);
  const auto columns = WithSmall<T>(1);
  const auto right = Evaluate("shr." + suffix + " %d, %a, %b;", sizeof(T), columns);
  for (std::size_t i = 0; i < right.size(); ++i) {
    const U64 a = columns[0].values[i], amount = columns[1].values[i];
    U64 expected = 0;
    for (int bit = 0; bit < kBits; ++bit) {
      const U64 from = bit + amount;
      const bool set = from < kBits ? Bit(a, static_cast<int>(from)) : kSigned && Bit(a, kBits - 1);
      expected |= U64{set} << bit;
    }
    ASSERT_EQ(right[i], expected) << suffix << " " << a << " " << amount;
  }
  if (suffix[0] != 'b') return;
  const auto left = Evaluate("shl." + suffix + " %d, %a, %b;", sizeof(T), columns);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const U64 a = columns[0].values[i], amount = columns[1].values[i];
    U64 expected = 0;
    for (int bit = 0; bit < kBits; ++bit) {
      if (static_cast<U64>(bit) >= amount) expected |= U64{Bit(a, bit - static_cast<int>(amount))} << bit;
    }
    ASSERT_EQ(left[i], expected) << suffix << " " << a << " " << amount;
  }
}

TEST(Bits, Shifts) {
  CheckShifts<std::uint16_t, false>("b16");
  CheckShifts<std::uint16_t, true>("s16");
  CheckShifts<U32, false>("b32");
  CheckShifts<U32, false>("u32");
  CheckShifts<U32, true>("s32");
  CheckShifts<U64, false>("b64");
  CheckShifts<U64, true>("s64");
}

TEST(Bits, FunnelShifts) {
  const auto columns = WithSmall<U32>(1);
  for (const bool wrap : {false, true}) {
    for (const bool left : {false, true}) {
      const std::string name = std::string("shf.") + (left ? "l." : "r.") + (wrap ? "wrap" : "clamp");
      // b is the complement of a.
      const auto results = Evaluate("not.b32 %r0, %a;\n" + name + ".b32 %d, %a, %r0, %b;", 4, columns);
      for (std::size_t i = 0; i < results.size(); ++i) {
        const U64 a = columns[0].values[i], c = columns[1].values[i];
        const U64 n = wrap ? c % 32 : std::min<U64>(c, 32);
        const U64 pair = (~a & 0xffff'ffff) << 32 | a;
        U64 expected = 0;
        for (int bit = 0; bit < 32; ++bit) {
          expected |= U64{Bit(pair, static_cast<int>(left ? 32 + bit - n : bit + n))} << bit;
        }
        ASSERT_EQ(results[i], expected) << name << " " << a << " " << c;
      }
    }
  }
}

template <class T>
void CheckFields(bool is_signed) {
  constexpr int kBits = 8 * sizeof(T);
  const auto columns = WithSmall<T>(2);
  const std::string bits = std::to_string(kBits);
  const auto extracted =
      Evaluate("bfe." + std::string(is_signed ? "s" : "u") + bits + " %d, %a, %b, %c;", sizeof(T), columns);
  for (std::size_t i = 0; i < extracted.size(); ++i) {
    const U64 a = columns[0].values[i];
    const int pos = columns[1].values[i] & 0xff, len = columns[2].values[i] & 0xff;
    const bool sign = is_signed && len != 0 && Bit(a, std::min(pos + len - 1, kBits - 1));
    U64 expected = 0;
    for (int bit = 0; bit < kBits; ++bit) {
      expected |= U64{bit < len && pos + bit < kBits ? Bit(a, pos + bit) : sign} << bit;
    }
    ASSERT_EQ(extracted[i], expected) << a << " " << pos << " " << len;
  }
  const auto inserted =
      Evaluate("not.b" + bits + " %d, %a;\nbfi.b" + bits + " %d, %a, %d, %b, %c;", sizeof(T), columns);
  for (std::size_t i = 0; i < inserted.size(); ++i) {
    const U64 a = columns[0].values[i];
    const int pos = columns[1].values[i] & 0xff, len = columns[2].values[i] & 0xff;
    U64 expected = 0;
    for (int bit = 0; bit < kBits; ++bit) {
      const bool from_a = bit >= pos && bit - pos < len;
      expected |= U64{from_a ? Bit(a, bit - pos) : !Bit(a, bit)} << bit;
    }
    ASSERT_EQ(inserted[i], expected) << a << " " << pos << " " << len;
  }
}

TEST(Bits, Fields) {
  CheckFields<U32>(false);
  CheckFields<U32>(true);
  CheckFields<U64>(false);
  CheckFields<U64>(true);
}

TEST(Bits, MasksAndExtensions) {
  const auto small = Cross(kSmall, 2);
  const std::vector<Column> columns = {ColumnOf(small[0]), ColumnOf(small[1])};
  for (const bool wrap : {false, true}) {
    const std::string mode = wrap ? ".wrap" : ".clamp";
    const auto masks = Evaluate("bmsk" + mode + ".b32 %d, %a, %b;", 4, columns);
    for (std::size_t i = 0; i < masks.size(); ++i) {
      U64 start = small[0][i], width = small[1][i];
      if (wrap) start %= 32, width %= 32;
      U64 expected = 0;
      for (U64 bit = 0; bit < 32; ++bit) expected |= U64{bit >= start && bit - start < width} << bit;
      ASSERT_EQ(masks[i], expected) << mode << " " << start << " " << width;
    }
  }
  const auto data = WithSmall<U32>(1);
  for (const bool wrap : {false, true}) {
    for (const bool is_signed : {false, true}) {
      const std::string name =
          std::string("szext.") + (wrap ? "wrap" : "clamp") + (is_signed ? ".s32" : ".u32");
      const auto results = Evaluate(name + " %d, %a, %b;", 4, data);
      for (std::size_t i = 0; i < results.size(); ++i) {
        const U64 a = data[0].values[i];
        const U64 width = wrap ? data[1].values[i] % 32 : std::min<U64>(data[1].values[i], 32);
        U64 expected = 0;
        for (U64 bit = 0; bit < 32; ++bit) {
          const bool sign = is_signed && width != 0 && Bit(a, static_cast<int>(width) - 1);
          expected |= U64{bit < width ? Bit(a, static_cast<int>(bit)) : sign} << bit;
        }
        ASSERT_EQ(results[i], expected) << name << " " << a << " " << width;
      }
    }
  }
}

// The ISA's own examples, and a search that is written otherwise.
TEST(Bits, FindNthSet) {
  Column masks{4, {}}, bases{4, {}}, offsets{4, {}};
  for (const U32 mask : {0xaaaa'aaaau, 0u, 0xffff'ffffu, 0x8000'0001u, 0x0012'3400u}) {
    for (U32 base = 0; base < 32; base += 3) {
      for (int offset = -20; offset <= 20; ++offset) {
        masks.values.push_back(mask), bases.values.push_back(base),
            offsets.values.push_back(static_cast<U32>(offset));
      }
    }
  }
  const auto results = Evaluate("fns.b32 %d, %a, %b, %c;", 4, {masks, bases, offsets});
  for (std::size_t i = 0; i < results.size(); ++i) {
    const int base = static_cast<int>(bases.values[i]), offset = static_cast<std::int32_t>(offsets.values[i]);
    std::vector<int> found;  // in the order of the search
    if (offset >= 0) {
      for (int bit = base; bit < (offset == 0 ? base + 1 : 32); ++bit) {
        if (Bit(masks.values[i], bit)) found.push_back(bit);
      }
    } else {
      for (int bit = base; bit >= 0; --bit) {
        if (Bit(masks.values[i], bit)) found.push_back(bit);
      }
    }
    const std::size_t nth = offset == 0 ? 1 : std::abs(offset);
    const U64 expected = nth <= found.size() ? static_cast<U64>(found[nth - 1]) : 0xffff'ffff;
    ASSERT_EQ(results[i], expected) << masks.values[i] << " " << base << " " << offset;
  }
}

}  // namespace
}  // namespace emu::testing
