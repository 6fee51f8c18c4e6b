// A progress bar on stderr, when that is a terminal; otherwise nothing.
#pragma once

#include <chrono>
#include <string>

namespace gemm::tool {

class Progress {
 public:
  // `label` stands before the bar. Nothing is drawn before the first Update.
  explicit Progress(std::string label);
  // Erases the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Redraws, at most ten times a second. `fraction` is in [0, 1]; `note` stands behind the bar. One thread at a
  // time.
  void Update(double fraction, const std::string& note = "");
  // Erases the bar until the next Update, so that a line can be printed.
  void Hide();

  static bool IsTerminal();

 private:
  std::string label_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_;
};

// "40 s", "3.5 minutes", "2.1 hours".
std::string DurationText(double seconds);

}  // namespace gemm::tool
