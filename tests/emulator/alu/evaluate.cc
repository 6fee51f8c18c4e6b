#include "tests/emulator/alu/evaluate.h"

#include <gtest/gtest.h>

#include "tests/emulator/support/run_ptx.h"
#include "tools/emulator/alu/lanes.h"
#include "tools/emulator/base/random.h"

namespace emu::testing {
namespace {

constexpr char kNames[] = {'a', 'b', 'c', 'e'};
constexpr std::uint32_t kThreads = 64;

constexpr char kRegisters[] =
    ".reg .pred %p<10>, %odd, %out;\n.reg .b16 %h<10>;\n.reg .b32 %r<10>, %i, %n, %third;\n"
    ".reg .b64 %l<10>, %base, %address;\n.reg .b128 %q<10>;\n";

std::string Declare(char name, std::uint32_t bytes) {
  return ".reg .b" + std::to_string(8 * bytes) + " %" + name + ";\n";
}

std::string Access(const std::string& instruction, char name, std::uint32_t bytes, int parameter, bool load) {
  const std::string type = ".global.b" + std::to_string(8 * bytes), reg = std::string("%") + name;
  std::string text = "ld.param.b64 %base, [p" + std::to_string(parameter) + "];\n";
  text += "mad.wide.u32 %address, %i, " + std::to_string(bytes) + ", %base;\n";
  return text + instruction + type + (load ? " " + reg + ", [%address];\n" : " [%address], " + reg + ";\n");
}

// The body three times, each for the lanes with another remainder by three, so that no warp is ever whole.
std::string ByThirds(const std::string& body) {
  std::string text = "rem.u32 %third, %i, 3;\n";
  for (int third = 0; third < 3; ++third) {
    const std::string label = "SKIP" + std::to_string(third);
    text += "setp.ne.u32 %odd, %third, " + std::to_string(third) + ";\n@%odd bra " + label + ";\n" + body +
            "\n" + label + ":\n";
  }
  return text;
}

std::string Kernel(const std::string& body, std::uint32_t result_bytes, const std::vector<Column>& columns,
                   bool thirds) {
  std::string params = ".param .b32 n, .param .b64 p0";
  std::string text = kRegisters + Declare('d', result_bytes);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    params += ", .param .b64 p" + std::to_string(i + 1);
    text += Declare(kNames[i], columns[i].bytes);
  }
  text += "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %i, %r0, " + std::to_string(kThreads) +
          ", %r1;\n";
  text += "ld.param.b32 %n, [n];\nsetp.ge.u32 %out, %i, %n;\n@%out bra DONE;\n";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += Access("ld", kNames[i], columns[i].bytes, static_cast<int>(i) + 1, true);
  }
  text += thirds ? ByThirds(body) : body + "\n";
  text += Access("st", 'd', result_bytes, 0, false);
  return PtxModule(params, text + "DONE:\nret;\n", "sm_100a");
}

std::vector<std::byte> Bytes(const Column& column, std::size_t rows) {
  std::vector<std::byte> bytes(rows * column.bytes);
  for (std::size_t i = 0; i < column.values.size(); ++i)
    std::memcpy(&bytes[i * column.bytes], &column.values[i], column.bytes);
  return bytes;
}

std::vector<std::uint64_t> Run(const std::string& text, std::uint32_t result_bytes,
                               const std::vector<Column>& columns) {
  const std::size_t rows = columns[0].values.size();
  PtxLaunch launch;
  launch.threads = {kThreads, 1, 1};
  launch.blocks = {static_cast<std::uint32_t>((rows + kThreads - 1) / kThreads), 1, 1};
  launch.arguments.push_back(testing::Value(static_cast<std::uint32_t>(rows)));
  launch.arguments.push_back({true, std::vector<std::byte>(rows * result_bytes)});
  for (const Column& column : columns) launch.arguments.push_back({true, Bytes(column, rows)});
  const PtxResult result = RunPtx(text, "", launch);
  EXPECT_TRUE(result.ok()) << result.message() << text;
  std::vector<std::uint64_t> values(rows);
  if (!result.ok()) return values;
  for (std::size_t i = 0; i < rows; ++i)
    std::memcpy(&values[i], &result.buffers[1][i * result_bytes], result_bytes);
  return values;
}

}  // namespace

std::vector<std::uint64_t> Evaluate(const std::string& body, std::uint32_t result_bytes,
                                    const std::vector<Column>& columns) {
  const std::string whole = Kernel(body, result_bytes, columns, false);
  const auto fast = Run(whole, result_bytes, columns);
  alu::ForbidFast(true);
  const auto plain = Run(whole, result_bytes, columns);
  alu::ForbidFast(false);
  EXPECT_EQ(fast, plain) << body;
  EXPECT_EQ(fast, Run(Kernel(body, result_bytes, columns, true), result_bytes, columns)) << body;
  return fast;
}

std::string WhyRefused(const std::string& body) {
  const PtxResult result =
      RunPtx(PtxModule("",
                       std::string(kRegisters) + ".reg .f32 %f<10>;\n.reg .f64 %g<10>;\n.reg .b8 %b<10>;\n" +
                           body + "\nret;\n",
                       "sm_100a"),
             "", {});
  return result.message();
}

template <class T>
std::vector<T> Integers(int random_count) {
  using U = std::make_unsigned_t<T>;
  constexpr int kBits = 8 * sizeof(T);
  std::vector<T> values;
  for (const std::uint64_t bits :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}, ~std::uint64_t{0},
        ~std::uint64_t{1}, std::uint64_t{1} << (kBits - 1), (std::uint64_t{1} << (kBits - 1)) - 1,
        (std::uint64_t{1} << (kBits - 1)) + 1, std::uint64_t{1} << kBits / 2,
        (std::uint64_t{1} << kBits / 2) - 1, std::uint64_t{0x5a}}) {
    values.push_back(static_cast<T>(static_cast<U>(bits)));
  }
  Random random(sizeof(T) + std::is_signed_v<T>);
  for (int i = 0; i < random_count; ++i) {
    values.push_back(static_cast<T>(static_cast<U>(random.Next() >> random.Below(kBits))));
  }
  return values;
}
template std::vector<std::uint16_t> Integers(int);
template std::vector<std::int16_t> Integers(int);
template std::vector<std::uint32_t> Integers(int);
template std::vector<std::int32_t> Integers(int);
template std::vector<std::uint64_t> Integers(int);
template std::vector<std::int64_t> Integers(int);

std::vector<std::uint64_t> Floats(int exponent_bits, int mantissa_bits, int random_count) {
  const std::uint64_t one = std::uint64_t{1} << mantissa_bits, sign = one << exponent_bits;
  const std::uint64_t infinity = sign - one, unit = ((one << (exponent_bits - 1)) - one);
  std::vector<std::uint64_t> values;
  for (const std::uint64_t magnitude :
       {std::uint64_t{0}, std::uint64_t{1}, one - 1, one, one + 1, unit - 1, unit, unit + 1, unit + one / 2,
        unit + one, unit + one + 1, unit - one * std::uint64_t(mantissa_bits), infinity - one, infinity - 1,
        infinity, infinity + 1, infinity + one / 2}) {
    values.push_back(magnitude);
    values.push_back(magnitude | sign);
  }
  Random random(static_cast<std::uint64_t>(mantissa_bits));
  for (int i = 0; i < random_count; ++i) {
    const std::uint64_t bits = random.Next();
    // One of three is near 1, so that operands meet.
    const std::uint64_t near = unit + one * random.Below(6) - 3 * one + (bits & (one - 1));
    values.push_back(i % 3 == 0 ? (near | (bits >> 32 & 1) * sign) : bits & (2 * sign - 1));
  }
  return values;
}

}  // namespace emu::testing
