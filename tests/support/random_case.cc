#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "common/base/data_type.h"
#include "tests/support/case.h"

namespace gemm::tests {
namespace {

class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t index) : seed_(Mix(seed, index)) { aligned_ = Once(2); }

  // Half of the cases keep every row on the 16-byte grid, so that the fast paths get their share.
  bool aligned() const { return aligned_; }

  // Uniform in [0, count).
  int Roll(int count) {
    return static_cast<int>((Mix(seed_, draws_++) >> 16) % static_cast<std::uint64_t>(count));
  }
  bool Once(int in) { return Roll(in) == 0; }
  const char* Pick(std::initializer_list<const char*> values) {
    return values.begin()[Roll(static_cast<int>(values.size()))];
  }

  // Log-uniform in [1, limit], half the time pulled next to a multiple of 8, where tiles and vectors end; in
  // aligned cases a multiple of 8.
  int Size(int limit) {
    const double exponent = std::log2(static_cast<double>(limit)) * (Roll(4096) + 1) / 4096.0;
    int size = static_cast<int>(std::exp2(exponent));
    if (aligned_) return std::max(size / 8 * 8, 8);
    if (size >= 8 && Once(2)) size = size / 8 * 8 + Roll(3) - 1;
    return std::clamp(size, 1, limit);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  bool aligned_ = false;
};

void AppendPlacement(Dice* dice, const char* name, int element_bytes, std::string* line) {
  char text[64];
  if (dice->Once(4)) {
    std::snprintf(text, sizeof text, " ld%s=+%d", name,
                  dice->Once(2) && !dice->aligned() ? dice->Roll(16) : 8 * (1 + dice->Roll(4)));
    *line += text;
  }
  if (dice->Once(6) && !dice->aligned()) {
    std::snprintf(text, sizeof text, " off%s=%d", name, element_bytes * dice->Roll(16 / element_bytes));
    *line += text;
  }
}

void AppendBatch(Dice* dice, std::string* line) {
  if (!dice->Once(4)) return;
  const int batch = 2 + dice->Roll(5);
  *line += " batch=" + std::to_string(batch);
  for (const char* name : {"sa", "sb", "sc", "sd"}) {
    if (!dice->Once(3)) continue;
    const bool broadcast = name[1] != 'd' && dice->Once(2);
    *line += std::string(" ") + name + "=" +
             (broadcast ? "0" : "+" + std::to_string(8 * dice->Roll(5) + dice->Roll(dice->aligned() ? 1 : 2)));
  }
}

}  // namespace

Case RandomCase(std::uint64_t seed, std::uint64_t index) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    Dice dice(seed, index + (attempt << 32));
    const int m = dice.Size(768);
    const int n = dice.Size(768);
    const int k = dice.Once(24) ? 0 : dice.Size(1536);
    std::string line = std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(k);
    const std::string in = dice.Pick({"bf16", "bf16", "fp16", "fp16", "fp32"});
    const std::string out = dice.Pick({"same", "same", "fp32", "bf16", "fp16"});
    line += " in=" + in + " out=" + out + " a=" + dice.Pick({"r", "c"}) + " b=" + dice.Pick({"r", "c"}) +
            " d=" + dice.Pick({"r", "r", "r", "c"});
    const int in_bytes = in == "fp32" ? 4 : 2;
    const int out_bytes = (out == "same" ? in : out) == "fp32" ? 4 : 2;
    AppendPlacement(&dice, "a", in_bytes, &line);
    AppendPlacement(&dice, "b", in_bytes, &line);
    AppendPlacement(&dice, "d", out_bytes, &line);
    AppendBatch(&dice, &line);
    line += std::string(" alpha=") + dice.Pick({"1", "1", "-0.5", "2", "0.25", "0"});
    const bool inplace = dice.Once(4);
    if (dice.Once(2)) {
      line += std::string(" beta=") + dice.Pick({"1", "-1", "0.5", "2"});
      line += inplace ? " cmode=inplace" : " cmode=distinct";
    } else {
      line += std::string(" cmode=") + dice.Pick({"none", "poisoned"});
    }
    if (!inplace) {
      line += std::string(" c=") + dice.Pick({"same", "same", "r", "c"});
      AppendPlacement(&dice, "c", out_bytes, &line);
    }
    if (dice.Once(4)) line += " scalars=device";
    if (dice.Once(8)) {
      line += " compute=fp32";
    } else if (in == "fp32" && dice.Once(2)) {
      line += " compute=tf32";
    }
    line += std::string(" fill=") + dice.Pick({"integers", "normal"});
    line += " seed=" + std::to_string(Mix(seed, index) >> 40);
    std::vector<Case> cases;
    std::string error;
    const std::string origin = "random case " + std::to_string(index) + " of seed " + std::to_string(seed);
    // A combination that makes no sense (a device scalar without a C, say) is drawn again.
    if (ParseCaseLine(line, origin, &cases, &error)) return cases.front();
  }
}

}  // namespace gemm::tests
