// Integer arithmetic against __int128.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/emulator/alu/evaluate.h"

namespace emu::testing {
namespace {

using Big = __int128;

template <class T>
std::string Suffix() {
  return (std::is_signed_v<T> ? ".s" : ".u") + std::to_string(8 * sizeof(T));
}

template <class T>
std::uint64_t Low(Big value) {
  return Bits(static_cast<T>(static_cast<std::make_unsigned_t<T>>(value)));
}

template <class T>
class IntegerTest : public ::testing::Test {
 protected:
  // `expected` gets the operands' values; what it returns is cut to T.
  static void Check2(const std::string& name, const std::function<Big(Big, Big)>& expected) {
    const auto values = Cross(Integers<T>(20), 2);
    const auto results =
        Evaluate(name + Suffix<T>() + " %d, %a, %b;", sizeof(T), {ColumnOf(values[0]), ColumnOf(values[1])});
    for (std::size_t i = 0; i < results.size(); ++i) {
      ASSERT_EQ(results[i], Low<T>(expected(values[0][i], values[1][i])))
          << name << " " << +values[0][i] << " " << +values[1][i];
    }
  }
  static void Check3(const std::string& name, const std::function<Big(Big, Big, Big)>& expected) {
    const auto values = Cross(Integers<T>(4), 3);
    const auto results = Evaluate(name + Suffix<T>() + " %d, %a, %b, %c;", sizeof(T),
                                  {ColumnOf(values[0]), ColumnOf(values[1]), ColumnOf(values[2])});
    for (std::size_t i = 0; i < results.size(); ++i) {
      ASSERT_EQ(results[i], Low<T>(expected(values[0][i], values[1][i], values[2][i])))
          << name << " " << +values[0][i] << " " << +values[1][i] << " " << +values[2][i];
    }
  }
};

using Types =
    ::testing::Types<std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(IntegerTest, Types);

// Without going through the product of 128 bits, which two 64-bit numbers overflow: by halves of b.
template <class T>
Big High(Big a, Big b) {
  if (sizeof(T) < 8) return (a * b) >> (8 * sizeof(T));
  const Big low = b & 0xffff'ffff, high = b >> 32;
  return (a * high + (a * low >> 32)) >> 32;
}

TYPED_TEST(IntegerTest, AddSubMul) {
  using T = TypeParam;
  this->Check2("add", [](Big a, Big b) { return a + b; });
  this->Check2("sub", [](Big a, Big b) { return a - b; });
  this->Check2("mul.lo", [](Big a, Big b) {
    return static_cast<Big>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
  });
  this->Check2("mul.hi", [](Big a, Big b) { return High<T>(a, b); });
  this->Check3("mad.lo", [](Big a, Big b, Big c) {
    return static_cast<Big>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)) + c;
  });
  this->Check3("mad.hi", [](Big a, Big b, Big c) { return High<T>(a, b) + c; });
  this->Check3("sad", [](Big a, Big b, Big c) { return c + (a < b ? b - a : a - b); });
}

TYPED_TEST(IntegerTest, DivisionMinMax) {
  this->Check2("div", [](Big a, Big b) { return b == 0 ? -1 : a / b; });
  this->Check2("rem", [](Big a, Big b) { return b == 0 ? -1 : a % b; });
  this->Check2("min", [](Big a, Big b) { return std::min(a, b); });
  this->Check2("max", [](Big a, Big b) { return std::max(a, b); });
}

template <class T, class D>
void CheckWide() {
  const auto values = Cross(Integers<T>(20), 2);
  const auto products = Evaluate("mul.wide" + Suffix<T>() + " %d, %a, %b;", sizeof(D),
                                 {ColumnOf(values[0]), ColumnOf(values[1])});
  std::vector<D> addends;
  for (std::size_t i = 0; i < products.size(); ++i) addends.push_back(static_cast<D>(0x9e3779b97f4a7c15u * i));
  const auto sums = Evaluate("mad.wide" + Suffix<T>() + " %d, %a, %b, %c;", sizeof(D),
                             {ColumnOf(values[0]), ColumnOf(values[1]), ColumnOf(addends)});
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Big product = static_cast<Big>(values[0][i]) * values[1][i];
    ASSERT_EQ(products[i], Low<D>(product));
    ASSERT_EQ(sums[i], Low<D>(product + addends[i]));
  }
}

TEST(IntegerWide, Products) {
  CheckWide<std::uint16_t, std::uint32_t>();
  CheckWide<std::int16_t, std::int32_t>();
  CheckWide<std::uint32_t, std::uint64_t>();
  CheckWide<std::int32_t, std::int64_t>();
}

Big Clamp32(Big x) { return std::clamp<Big>(x, INT32_MIN, INT32_MAX); }

using Signed32 = IntegerTest<std::int32_t>;
TEST_F(Signed32, Saturating) {
  Check2("add.sat", [](Big a, Big b) { return Clamp32(a + b); });
  Check2("sub.sat", [](Big a, Big b) { return Clamp32(a - b); });
  Check3("mad.hi.sat", [](Big a, Big b, Big c) { return Clamp32((a * b >> 32) + c); });
  Check2("min.relu", [](Big a, Big b) { return std::max<Big>(0, std::min(a, b)); });
  Check2("max.relu", [](Big a, Big b) { return std::max<Big>(0, std::max(a, b)); });
}

template <class T>
Big Low24(Big x) {
  const Big low = x & 0xff'ffff;
  return std::is_signed_v<T> && low >= 0x80'0000 ? low - 0x100'0000 : low;
}

TEST_F(Signed32, TwentyFourBits) {
  using T = std::int32_t;
  Check2("mul24.lo", [](Big a, Big b) { return Low24<T>(a) * Low24<T>(b); });
  Check2("mul24.hi", [](Big a, Big b) { return Low24<T>(a) * Low24<T>(b) >> 16; });
  Check3("mad24.lo", [](Big a, Big b, Big c) { return Low24<T>(a) * Low24<T>(b) + c; });
  Check3("mad24.hi", [](Big a, Big b, Big c) { return (Low24<T>(a) * Low24<T>(b) >> 16) + c; });
  Check3("mad24.hi.sat", [](Big a, Big b, Big c) {
    return Clamp32(static_cast<std::int32_t>(Low24<T>(a) * Low24<T>(b) >> 16) + c);
  });
}

using Unsigned32 = IntegerTest<std::uint32_t>;
TEST_F(Unsigned32, TwentyFourBits) {
  using T = std::uint32_t;
  Check2("mul24.lo", [](Big a, Big b) { return Low24<T>(a) * Low24<T>(b); });
  Check2("mul24.hi", [](Big a, Big b) { return Low24<T>(a) * Low24<T>(b) >> 16; });
  Check3("mad24.hi", [](Big a, Big b, Big c) { return (Low24<T>(a) * Low24<T>(b) >> 16) + c; });
}

template <class T>
void CheckAbsNeg() {
  const auto values = Integers<T>(100);
  const auto abs = Evaluate("abs" + Suffix<T>() + " %d, %a;", sizeof(T), {ColumnOf(values)});
  const auto neg = Evaluate("neg" + Suffix<T>() + " %d, %a;", sizeof(T), {ColumnOf(values)});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Big value = values[i];
    ASSERT_EQ(abs[i], Low<T>(value < 0 ? -value : value));
    ASSERT_EQ(neg[i], Low<T>(-value));
  }
}

TEST(IntegerUnary, AbsNeg) {
  CheckAbsNeg<std::int16_t>();
  CheckAbsNeg<std::int32_t>();
  CheckAbsNeg<std::int64_t>();
}

// Halves of a 32-bit register, each by `expected`.
template <class T>
void CheckHalves(const std::string& name, const std::function<int(int, int)>& expected) {
  const auto values = Cross(Integers<std::uint32_t>(30), 2);
  const auto results = Evaluate(name + " %d, %a, %b;", 4, {ColumnOf(values[0]), ColumnOf(values[1])});
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (int shift : {0, 16}) {
      const int a = static_cast<T>(values[0][i] >> shift), b = static_cast<T>(values[1][i] >> shift);
      ASSERT_EQ(static_cast<std::uint16_t>(results[i] >> shift), static_cast<std::uint16_t>(expected(a, b)))
          << name;
    }
  }
}

TEST(IntegerPacked, Halves) {
  using U = std::uint16_t;
  using S = std::int16_t;
  CheckHalves<U>("add.u16x2", [](int a, int b) { return a + b; });
  CheckHalves<S>("add.s16x2", [](int a, int b) { return a + b; });
  CheckHalves<U>("min.u16x2", [](int a, int b) { return std::min(a, b); });
  CheckHalves<S>("min.s16x2", [](int a, int b) { return std::min(a, b); });
  CheckHalves<U>("max.u16x2", [](int a, int b) { return std::max(a, b); });
  CheckHalves<S>("max.relu.s16x2", [](int a, int b) { return std::max({0, a, b}); });
  CheckHalves<S>("min.relu.s16x2", [](int a, int b) { return std::max(0, std::min(a, b)); });
}

int Byte(std::uint32_t word, int index, bool is_signed) {
  const int byte = static_cast<int>(word >> 8 * index & 0xff);
  return is_signed && byte >= 128 ? byte - 256 : byte;
}
int Half(std::uint32_t word, int index, bool is_signed) {
  const int half = static_cast<int>(word >> 16 * index & 0xffff);
  return is_signed && half >= 32768 ? half - 65536 : half;
}

TEST(IntegerDot, Dp4aDp2a) {
  const auto values = Cross(Integers<std::uint32_t>(4), 3);
  const std::vector<Column> columns = {ColumnOf(values[0]), ColumnOf(values[1]), ColumnOf(values[2])};
  for (int signs = 0; signs < 4; ++signs) {
    const bool a_signed = signs & 1, b_signed = signs & 2;
    const std::string types =
        std::string(a_signed ? ".s32" : ".u32") + (b_signed ? ".s32" : ".u32") + " %d, %a, %b, %c;";
    const auto four = Evaluate("dp4a" + types, 4, columns);
    const auto low = Evaluate("dp2a.lo" + types, 4, columns);
    const auto high = Evaluate("dp2a.hi" + types, 4, columns);
    for (std::size_t i = 0; i < four.size(); ++i) {
      const std::uint32_t a = values[0][i], b = values[1][i];
      Big sum4 = values[2][i], sum_low = sum4, sum_high = sum4;
      for (int j = 0; j < 4; ++j) sum4 += Byte(a, j, a_signed) * Byte(b, j, b_signed);
      for (int j = 0; j < 2; ++j) sum_low += Half(a, j, a_signed) * Byte(b, j, b_signed);
      for (int j = 0; j < 2; ++j) sum_high += Half(a, j, a_signed) * Byte(b, j + 2, b_signed);
      ASSERT_EQ(four[i], static_cast<std::uint32_t>(sum4)) << types;
      ASSERT_EQ(low[i], static_cast<std::uint32_t>(sum_low)) << types;
      ASSERT_EQ(high[i], static_cast<std::uint32_t>(sum_high)) << types;
    }
  }
}

// 128-bit operands as two columns each: results by halves.
class CarryTest : public ::testing::Test {
 protected:
  CarryTest() {
    const auto cross = Cross(Integers<std::uint64_t>(0), 4);
    for (const auto& column : cross) columns_.push_back(ColumnOf(column));
    rows_ = cross[0].size();
  }
  Big First(std::size_t row) const { return Join(columns_[1].values[row], columns_[0].values[row]); }
  Big Second(std::size_t row) const { return Join(columns_[3].values[row], columns_[2].values[row]); }
  static Big Join(std::uint64_t high, std::uint64_t low) {
    return static_cast<Big>(static_cast<unsigned __int128>(high) << 64 | low);
  }
  void Check(const std::string& chain, const std::function<Big(Big, Big)>& expected) {
    const auto low = Evaluate(chain + "mov.b64 %d, %l0;", 8, columns_);
    const auto high = Evaluate(chain + "mov.b64 %d, %l1;", 8, columns_);
    for (std::size_t i = 0; i < rows_; ++i) {
      const auto sum = static_cast<unsigned __int128>(expected(First(i), Second(i)));
      ASSERT_EQ(low[i], static_cast<std::uint64_t>(sum)) << chain;
      ASSERT_EQ(high[i], static_cast<std::uint64_t>(sum >> 64)) << chain;
    }
  }

  std::vector<Column> columns_;
  std::size_t rows_;
};

Big WrapAdd(Big a, Big b) {
  return static_cast<Big>(static_cast<unsigned __int128>(a) + static_cast<unsigned __int128>(b));
}
Big WrapSub(Big a, Big b) {
  return static_cast<Big>(static_cast<unsigned __int128>(a) - static_cast<unsigned __int128>(b));
}

TEST_F(CarryTest, SixtyFourBits) {
  Check("add.cc.u64 %l0, %a, %c; addc.u64 %l1, %b, %e;", WrapAdd);
  Check("sub.cc.s64 %l0, %a, %c; subc.s64 %l1, %b, %e;", WrapSub);
}

// Four words, with a carry that comes in and one that goes out in the middle; a subtraction between must not disturb it.
TEST_F(CarryTest, ThirtyTwoBits) {
  const std::string split =
      "mov.b64 {%r0, %r1}, %a; mov.b64 {%r2, %r3}, %b; mov.b64 {%r4, %r5}, %c; mov.b64 {%r6, %r7}, %e;\n";
  const std::string join = "mov.b64 %l0, {%r0, %r1}; mov.b64 %l1, {%r2, %r3};\n";
  Check(split +
            "add.cc.u32 %r0, %r0, %r4; addc.cc.u32 %r1, %r1, %r5; sub.u32 %r8, %r0, %r1; addc.cc.u32 %r2, %r2, "
            "%r6; "
            "addc.u32 %r3, %r3, %r7;\n" +
            join,
        WrapAdd);
  Check(split +
            "sub.cc.u32 %r0, %r0, %r4; subc.cc.u32 %r1, %r1, %r5; subc.cc.u32 %r2, %r2, %r6; subc.u32 %r3, "
            "%r3, %r7;\n" +
            join,
        WrapSub);
}

// a * c, 128 bits, by words.
TEST_F(CarryTest, Products) {
  const auto product = [](Big a, Big b) {
    return static_cast<Big>(static_cast<unsigned __int128>(static_cast<std::uint64_t>(a)) *
                            static_cast<std::uint64_t>(b));
  };
  Check("mul.lo.u64 %l0, %a, %c; mul.hi.u64 %l1, %a, %c;", product);
  Check(
      "mov.b64 {%r0, %r1}, %a; mov.b64 {%r2, %r3}, %c;\n"
      "mul.lo.u32 %r4, %r0, %r2; mul.hi.u32 %r5, %r0, %r2; mul.lo.u32 %r6, %r1, %r3; mul.hi.u32 %r7, %r1, "
      "%r3;\n"
      "mad.lo.cc.u32 %r5, %r0, %r3, %r5; madc.hi.cc.u32 %r6, %r0, %r3, %r6; addc.u32 %r7, %r7, 0;\n"
      "mad.lo.cc.u32 %r5, %r1, %r2, %r5; madc.hi.cc.u32 %r6, %r1, %r2, %r6; addc.u32 %r7, %r7, 0;\n"
      "mov.b64 %l0, {%r4, %r5}; mov.b64 %l1, {%r6, %r7};\n",
      product);
  // a * c + {e, b}: signs change nothing below, and the sum's carry is unsigned.
  const auto low = Evaluate("mad.lo.cc.s64 %l0, %a, %c, %b; madc.hi.u64 %d, %a, %c, %e;", 8, columns_);
  for (std::size_t i = 0; i < rows_; ++i) {
    const unsigned __int128 sum =
        static_cast<unsigned __int128>(columns_[0].values[i]) * columns_[2].values[i] +
        (static_cast<unsigned __int128>(columns_[3].values[i]) << 64 | columns_[1].values[i]);
    ASSERT_EQ(low[i], static_cast<std::uint64_t>(sum >> 64));
  }
}

}  // namespace
}  // namespace emu::testing
