// The one-call Gemm().
#include "gemm/gemm.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "common/api/guard.h"
#include "common/api/plan_cache.h"
#include "common/api/plan_state.h"
#include "common/base/data_type.h"
#include "common/driver/driver.h"

namespace gemm {
namespace {

// Kernels make no use of more.
constexpr std::uintptr_t kMostAlignment = 16;

// What an address can promise. Not below an element, so that a worse address is refused by Run, in its own
// words.
std::int32_t AlignmentOf(const void* address, DataType type) {
  const auto value = reinterpret_cast<std::uintptr_t>(address) | kMostAlignment;
  const std::uintptr_t lowest_bit = value & (~value + 1);
  return static_cast<std::int32_t>(std::max<std::uintptr_t>(lowest_bit, std::max(base::ElementBytes(type), 1)));
}

Problem WithAlignments(const Problem& problem, const Arguments& args) {
  Problem out = problem;
  out.a.alignment = AlignmentOf(args.a, problem.a.type);
  out.b.alignment = AlignmentOf(args.b, problem.b.type);
  out.d.alignment = AlignmentOf(args.d, problem.d.type);
  const bool reads_c = problem.scalars != ScalarMode::kHost || args.beta != 0.0f;
  out.c.alignment = AlignmentOf(reads_c ? args.c : nullptr, problem.c.type);
  return out;
}

// On the heap and never seen by two threads.
api::PlanCache& ThreadCache() {
  thread_local const auto cache = std::make_unique<api::PlanCache>();
  return *cache;
}

Status MakeCached(const Problem& problem, const PlanOptions& options, const api::PlanKey& key,
                  const api::PlanState** plan) {
  auto state = std::make_unique<api::PlanState>();
  if (Status status = api::MakePlanState(problem, options, state.get()); !status.ok()) return status;
  *plan = ThreadCache().Insert(key, std::move(state));
  return Status();
}

}  // namespace

Status Gemm(const Problem& problem, const Arguments& args) noexcept {
  return api::Guarded([&] {
    const Problem exact = WithAlignments(problem, args);
    PlanOptions options;
    options.max_workspace = args.workspace == nullptr ? 0 : args.workspace_size;
    // A failure is left to MakePlanState, which looks at the problem first.
    if (!driver::CurrentDevice(&options.device).ok()) options.device = -1;
    const api::PlanKey key(exact, std::max(options.device, 0));
    const api::PlanState* plan = ThreadCache().Find(key, options.max_workspace);
    if (plan == nullptr) {
      if (Status status = MakeCached(exact, options, key, &plan); !status.ok()) return status;
    }
    return api::RunPlan(*plan, args);
  });
}

}  // namespace gemm
