// Which CTAs the multiprocessors have room for.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/emulator/exec/profile.h"

namespace emu {

struct CtaNeeds {
  std::uint32_t threads = 0;
  std::uint32_t shared = 0;     // bytes, the reserved ones included
  std::uint32_t registers = 0;  // 0: unknown
};

class Residency {
 public:
  explicit Residency(const DeviceLimits& limits) : limits_(limits), sms_(limits.sms) {}

  // Places `count` such CTAs, all or none: the multiprocessor of each.
  bool Take(const CtaNeeds& needs, std::uint32_t count, std::vector<std::uint32_t>* sms);
  void Give(const CtaNeeds& needs, const std::vector<std::uint32_t>& sms);

 private:
  struct Sm {
    std::uint32_t ctas = 0, threads = 0, shared = 0, registers = 0;
  };
  bool Fits(const Sm& sm, const CtaNeeds& needs) const;

  DeviceLimits limits_;
  std::vector<Sm> sms_;
  std::uint32_t next_ = 0;
};

}  // namespace emu
