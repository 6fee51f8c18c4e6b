#include "common/driver/code_choice.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace gemm::driver {
namespace {

struct Target {
  int major = 0;
  int minor = 0;
  char letter = 0;  // 'a': this architecture alone; 'f': its family; 0: none
};

// "sm_90a", "compute_80", "sm_120f": the last digit is the minor version.
std::optional<Target> Parse(const Code& code) {
  const char* prefix = code.is_ptx ? "compute_" : "sm_";
  if (std::strncmp(code.target, prefix, std::strlen(prefix)) != 0) return std::nullopt;
  const char* digits = code.target + std::strlen(prefix);
  char* end = nullptr;
  const long number = std::strtol(digits, &end, 10);
  if (end == digits || number < 10 || number > 999) return std::nullopt;
  if (*end != 0 && ((*end != 'a' && *end != 'f') || end[1] != 0)) return std::nullopt;
  return Target{static_cast<int>(number / 10), static_cast<int>(number % 10), *end};
}

bool Fits(const Target& target, bool is_ptx, int major, int minor) {
  const bool exact = target.major == major && target.minor == minor;
  const bool same_major = target.major == major && target.minor <= minor;
  if (target.letter == 'a') return exact;
  if (target.letter == 'f' || !is_ptx) return same_major;
  return target.major < major || same_major;
}

// Higher is tried earlier. Newer code before older, then 'a' before 'f' before none.
int Rank(const Target& target) {
  const int letter = target.letter == 'a' ? 2 : target.letter == 'f' ? 1 : 0;
  return 10 * (10 * target.major + target.minor) + letter;
}

}  // namespace

std::vector<std::size_t> CodesToTry(const Image& image, const char* source, int major, int minor) {
  struct Candidate {
    std::size_t index;
    bool is_ptx;
    int rank;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < image.count; ++i) {
    const Code& code = image.codes[i];
    if (std::strcmp(code.source, source) != 0) continue;
    const std::optional<Target> target = Parse(code);
    if (target && Fits(*target, code.is_ptx, major, minor))
      candidates.push_back({i, code.is_ptx, Rank(*target)});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
    if (x.is_ptx != y.is_ptx) return !x.is_ptx;
    if (x.rank != y.rank) return x.rank > y.rank;
    return x.index < y.index;
  });
  std::vector<std::size_t> indices;
  for (const Candidate& candidate : candidates) indices.push_back(candidate.index);
  return indices;
}

int CompiledFor(const Code& code) {
  const std::optional<Target> target = Parse(code);
  return target ? 10 * target->major + target->minor : 0;
}

}  // namespace gemm::driver
