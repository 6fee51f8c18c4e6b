// Logic, lop3, predicates and prmt.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/emulator/alu/evaluate.h"

namespace emu::testing {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

bool Bit(U64 value, int index) { return (value >> index & 1) != 0; }

TEST(Logic, AndOrXor) {
  const auto values = Cross(Integers<U64>(10), 2);
  const std::vector<Column> columns = {ColumnOf(values[0]), ColumnOf(values[1])};
  const auto both = Evaluate("and.b64 %d, %a, %b;", 8, columns);
  const auto either = Evaluate("or.b64 %d, %a, %b;", 8, columns);
  const auto one = Evaluate("xor.b64 %d, %a, %b;", 8, columns);
  const auto narrow = Evaluate("cvt.u16.u64 %h0, %a; cvt.u16.u64 %h1, %b; xor.b16 %d, %h0, %h1;", 2, columns);
  const auto middle = Evaluate("cvt.u32.u64 %r0, %a; cvt.u32.u64 %r1, %b; and.b32 %d, %r0, %r1;", 4, columns);
  for (std::size_t i = 0; i < both.size(); ++i) {
    const U64 a = values[0][i], b = values[1][i];
    ASSERT_EQ(both[i], a & b);
    ASSERT_EQ(either[i], a | b);
    ASSERT_EQ(one[i], a ^ b);
    ASSERT_EQ(narrow[i], (a ^ b) & 0xffff);
    ASSERT_EQ(middle[i], a & b & 0xffff'ffff);
  }
}

TEST(Logic, Lop3EveryTable) {
  const std::vector<Column> columns = {
      {4, {0xf0f0'1234, 0xdead'beef}}, {4, {0xcccc'5678, 0x0123'4567}}, {4, {0xaaaa'9abc, 0x89ab'cdef}}};
  for (int table = 0; table < 256; table += 5) {
    const auto results = Evaluate("lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";", 4, columns);
    for (std::size_t i = 0; i < results.size(); ++i) {
      U64 expected = 0;
      for (int bit = 0; bit < 32; ++bit) {
        const int row = Bit(columns[0].values[i], bit) * 4 + Bit(columns[1].values[i], bit) * 2 +
                        Bit(columns[2].values[i], bit);
        expected |= U64{Bit(table, row)} << bit;
      }
      ASSERT_EQ(results[i], expected) << table;
    }
  }
}

TEST(Logic, Lop3Predicate) {
  const std::vector<Column> columns = {{4, {0, 1, 0, 1, 6, 6}}, {4, {0, 0, 1, 1, 1, 3}}};
  // p = (a & b != 0) op q, q = (b == 1); d as well.
  const std::string body = "setp.eq.u32 %p1, %b, 1;\nlop3.";
  const std::string tail = ".b32 %r1|%p0, %a, %b, 0, 0xc0, ";
  const std::string read = ";\nselp.u32 %r2, 0x100, 0, %p0;\nor.b32 %d, %r1, %r2;";
  const auto with_or = Evaluate(body + "or" + tail + "%p1" + read, 4, columns);
  const auto with_and = Evaluate(body + "and" + tail + "!%p1" + read, 4, columns);
  for (std::size_t i = 0; i < with_or.size(); ++i) {
    const U64 both = columns[0].values[i] & columns[1].values[i];
    const bool q = columns[1].values[i] == 1;
    ASSERT_EQ(with_or[i], both | (both != 0 || q ? 0x100 : 0));
    ASSERT_EQ(with_and[i], both | (both != 0 && !q ? 0x100 : 0));
  }
}

TEST(Logic, Predicates) {
  Column a{4, {}}, b{4, {}};
  for (U32 i = 0; i < 40; ++i) a.values.push_back(i & 1), b.values.push_back(i >> 1 & 1);
  const std::string load = "setp.ne.u32 %p0, %a, 0;\nsetp.ne.u32 %p1, %b, 0;\n";
  const std::string store = "\nselp.u32 %d, 1, 0, %p2;";
  const struct {
    std::string body;
    std::function<bool(bool, bool)> expected;
  } kCases[] = {
      {"and.pred %p2, %p0, %p1;", [](bool x, bool y) { return x && y; }},
      {"or.pred %p2, %p0, !%p1;", [](bool x, bool y) { return x || !y; }},
      {"xor.pred %p2, !%p0, %p1;", [](bool x, bool y) { return x == y; }},
      {"not.pred %p2, %p0;", [](bool x, bool) { return !x; }},
      {"mov.pred %p2, !%p1;", [](bool, bool y) { return !y; }},
      {"mov.pred %p2, 1;", [](bool, bool) { return true; }},
      {"mov.pred %p2, 0;", [](bool, bool) { return false; }},
      {"and.pred %p2, %p0, -1;", [](bool x, bool) { return x; }},
      {"mov.pred %p2, %p0;\n@%p1 mov.pred %p2, 0;", [](bool x, bool y) { return x && !y; }},
  };
  for (const auto& test : kCases) {
    const auto results = Evaluate(load + test.body + store, 4, {a, b});
    for (std::size_t i = 0; i < results.size(); ++i) {
      ASSERT_EQ(results[i], test.expected(a.values[i], b.values[i])) << test.body << " " << i;
    }
  }
}

TEST(Logic, Permute) {
  const std::vector<U32> selectors = {0x3210, 0x7654,     0x5410, 0x7632, 0xfedc,
                                      0x08f7, 0xffff3210, 0x4b3d, 0x1111, 0x6420};
  Column a{4, {}}, b{4, {}}, c{4, {}};
  for (const U32 selector : selectors) {
    for (const U32 data : {0x80ff'017fu, 0x1234'5678u}) {
      a.values.push_back(data), b.values.push_back(~data * 3), c.values.push_back(selector);
    }
  }
  for (std::uint64_t& value : b.values) value &= 0xffff'ffff;
  const auto byte = [&](std::size_t i, U32 index) {
    return static_cast<U32>((index < 4 ? a.values[i] : b.values[i]) >> 8 * (index % 4)) & 0xff;
  };
  const auto generic = Evaluate("prmt.b32 %d, %a, %b, %c;", 4, {a, b, c});
  for (std::size_t i = 0; i < generic.size(); ++i) {
    U32 expected = 0;
    for (int j = 0; j < 4; ++j) {
      const U32 selector = static_cast<U32>(c.values[i] >> 4 * j) & 0xf, value = byte(i, selector & 7);
      expected |= (selector < 8 ? value : value >= 0x80 ? 0xff : 0) << 8 * j;
    }
    ASSERT_EQ(generic[i], expected);
  }
  // What lands in byte j for the low two bits of c, by the words of the ISA.
  const struct {
    const char* mode;
    std::function<int(int, int)> source;
  } kModes[] = {
      {"f4e", [](int n, int j) { return n + j; }},
      {"b4e", [](int n, int j) { return (n - j + 8) % 8; }},
      {"rc8", [](int n, int) { return n; }},
      {"ecl", [](int n, int j) { return std::max(n, j); }},
      {"ecr", [](int n, int j) { return std::min(n, j); }},
      {"rc16", [](int n, int j) { return n % 2 * 2 + j % 2; }},
  };
  for (const auto& mode : kModes) {
    for (int n = 0; n < 4; ++n) {
      const auto results = Evaluate(
          std::string("prmt.b32.") + mode.mode + " %d, %a, %b, " + std::to_string(n + 4) + ";", 4, {a, b});
      for (std::size_t i = 0; i < results.size(); ++i) {
        U32 expected = 0;
        for (int j = 0; j < 4; ++j) expected |= byte(i, static_cast<U32>(mode.source(n, j))) << 8 * j;
        ASSERT_EQ(results[i], expected) << mode.mode << " " << n;
      }
    }
  }
}

}  // namespace
}  // namespace emu::testing
