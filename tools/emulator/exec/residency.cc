#include "tools/emulator/exec/residency.h"

namespace emu {

bool Residency::Fits(const Sm& sm, const CtaNeeds& needs) const {
  return sm.ctas + 1 <= limits_.max_blocks_per_sm && sm.threads + needs.threads <= limits_.max_threads_per_sm &&
         sm.shared + needs.shared <= limits_.shared_per_sm &&
         sm.registers + needs.registers <= limits_.registers_per_sm;
}

bool Residency::Take(const CtaNeeds& needs, std::uint32_t count, std::vector<std::uint32_t>* sms) {
  sms->clear();
  const auto all = static_cast<std::uint32_t>(sms_.size());
  for (std::uint32_t tried = 0; sms->size() < count && tried < all;) {
    Sm& sm = sms_[next_];
    if (Fits(sm, needs)) {
      ++sm.ctas;
      sm.threads += needs.threads, sm.shared += needs.shared, sm.registers += needs.registers;
      sms->push_back(next_);
      tried = 0;
    } else {
      ++tried;
    }
    next_ = (next_ + 1) % all;
  }
  if (sms->size() == count) return true;
  Give(needs, *sms);
  sms->clear();
  return false;
}

void Residency::Give(const CtaNeeds& needs, const std::vector<std::uint32_t>& sms) {
  for (const std::uint32_t index : sms) {
    Sm& sm = sms_[index];
    --sm.ctas;
    sm.threads -= needs.threads, sm.shared -= needs.shared, sm.registers -= needs.registers;
  }
}

}  // namespace emu
