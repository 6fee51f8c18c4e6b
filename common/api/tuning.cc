#include "common/api/tuning.h"

#include <memory>
#include <utility>

#include "common/api/guard.h"

namespace gemm {

Status Tuning::Parse(const std::string& text, Tuning* tuning) noexcept {
  return api::Guarded([&] {
    if (tuning == nullptr) return base::InvalidArgument("tuning is null; it must point to the Tuning to fill");
    auto impl = std::make_shared<Impl>();
    Status status = dispatch::ParseTuning(text, &impl->table);
    if (status.ok()) tuning->impl_ = std::move(impl);
    return status;
  });
}

std::size_t Tuning::size() const noexcept { return impl_ == nullptr ? 0 : impl_->table.kernels.size(); }

}  // namespace gemm
