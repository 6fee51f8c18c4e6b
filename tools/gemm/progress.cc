#include "tools/gemm/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace gemm::tool {
namespace {

constexpr int kBarWidth = 30;
constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
// Returns to the line's start and erases it (ECMA-48 EL).
constexpr char kErase[] = "\r\033[K";

}  // namespace

Progress::Progress(std::string label)
    : label_(std::move(label)), terminal_(IsTerminal()), begin_(std::chrono::steady_clock::now()), last_() {}

Progress::~Progress() { Hide(); }

bool Progress::IsTerminal() { return ::isatty(STDERR_FILENO) == 1; }

void Progress::Hide() {
  if (drawn_) fmt::print(stderr, kErase);
  std::fflush(stderr);
  drawn_ = false;
}

void Progress::Update(double fraction, const std::string& note) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - last_ < kRedrawEvery) return;
  last_ = now;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const int full = static_cast<int>(std::lround(fraction * kBarWidth));
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const std::string left = fraction > 0.02 ? ", " + DurationText(elapsed / fraction - elapsed) + " left" : "";
  fmt::print(stderr, "{}{} [{}{}] {:3.0f}%{} {}", kErase, label_, std::string(full, '#'),
             std::string(kBarWidth - full, ' '), 100 * fraction, left, note);
  std::fflush(stderr);
  drawn_ = true;
}

std::string DurationText(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.1f} minutes", seconds / 60);
  return fmt::format("{:.1f} hours", seconds / 3600);
}

}  // namespace gemm::tool
