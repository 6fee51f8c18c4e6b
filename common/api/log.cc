#include "common/api/log.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>

#include "common/base/fixed.h"
#include "common/base/status.h"

namespace gemm::api {
namespace {

constexpr const char* kLogVariable = "LIBGEMM_LOG";

// Lines are remembered up to this number, so that a program of ever new shapes does not grow; beyond it none is
// written.
constexpr std::size_t kMostLines = 10000;

bool Enabled() {
  const char* value = std::getenv(kLogVariable);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

bool IsNew(const std::string& line) {
  static std::mutex mutex;
  // Never destroyed: plans may be made while static objects are.
  static auto* const seen = new std::unordered_set<std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  return seen->size() < kMostLines && seen->insert(line).second;
}

}  // namespace

void LogChoice(const problem::Normalized& problem, const dispatch::Device& device,
               const dispatch::Candidate& chosen, const char* when) {
  if (!Enabled()) return;
  const std::string line =
      base::Concat("libgemm: ", problem::ToString(problem), " on ", device.name, ": ", chosen.row->name, when,
                   ", predicted ", base::Fixed(chosen.predicted_us, 2), " us, workspace ",
                   chosen.workspace_bytes, " bytes\n");
  if (IsNew(line)) std::fputs(line.c_str(), stderr);
}

}  // namespace gemm::api
