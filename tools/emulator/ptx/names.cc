#include "tools/emulator/ptx/names.h"

#include <charconv>

namespace emu::ptx {

void Scopes::Enter() {
  scopes_.emplace_back().parent = current_;
  current_ = static_cast<int>(scopes_.size()) - 1;
}

void Scopes::Leave() { current_ = scopes_[static_cast<std::size_t>(current_)].parent; }

bool Scopes::Declare(std::string_view name, const Name& what) {
  return scopes_[static_cast<std::size_t>(current_)].names.emplace(name, what).second;
}

bool Scopes::DeclareRange(std::string_view prefix, std::uint32_t count, const Name& first) {
  return scopes_[static_cast<std::size_t>(current_)].ranges.emplace(prefix, Range{count, first}).second;
}

// %r1<10> declares %r10 to %r19: every way to cut digits off the end is tried.
Name Scopes::InRange(const Scope& scope, std::string_view name) {
  for (std::size_t cut = name.size(); cut > 1 && name[cut - 1] >= '0' && name[cut - 1] <= '9'; --cut) {
    const std::string_view digits = name.substr(cut - 1);
    if (digits.size() > 9) break;
    if (digits.size() > 1 && digits[0] == '0') continue;
    const auto range = scope.ranges.find(name.substr(0, cut - 1));
    if (range == scope.ranges.end()) continue;
    std::uint32_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (number >= range->second.count) continue;
    Name found = range->second.first;
    found.index += static_cast<int>(number * found.width);
    return found;
  }
  return {};
}

Name Scopes::Find(std::string_view name) const {
  for (int i = current_; i >= 0; i = scopes_[static_cast<std::size_t>(i)].parent) {
    const Scope& scope = scopes_[static_cast<std::size_t>(i)];
    if (!scope.names.empty()) {
      const auto exact = scope.names.find(name);
      if (exact != scope.names.end()) return exact->second;
    }
    if (!scope.ranges.empty()) {
      const Name found = InRange(scope, name);
      if (found.kind != Name::Kind::kNone) return found;
    }
  }
  return {};
}

bool Scopes::DeclareLabel(std::string_view name, const Label& label) {
  return scopes_[static_cast<std::size_t>(current_)].labels.emplace(name, label).second;
}

const Label* Scopes::FindLabel(int scope, std::string_view name) const {
  for (int i = scope; i >= 0; i = scopes_[static_cast<std::size_t>(i)].parent) {
    const auto& labels = scopes_[static_cast<std::size_t>(i)].labels;
    const auto found = labels.find(name);
    if (found != labels.end()) return &found->second;
  }
  return nullptr;
}

namespace {

constexpr std::string_view kVectors[] = {"tid",       "ntid",       "ctaid",         "nctaid",
                                         "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"};
constexpr std::string_view kScalars[] = {"laneid",
                                         "warpid",
                                         "nwarpid",
                                         "smid",
                                         "nsmid",
                                         "gridid",
                                         "is_explicit_cluster",
                                         "cluster_ctarank",
                                         "cluster_nctarank",
                                         "lanemask_eq",
                                         "lanemask_le",
                                         "lanemask_lt",
                                         "lanemask_ge",
                                         "lanemask_gt",
                                         "clock",
                                         "clock_hi",
                                         "clock64",
                                         "globaltimer",
                                         "globaltimer_lo",
                                         "globaltimer_hi",
                                         "reserved_smem_offset_begin",
                                         "reserved_smem_offset_end",
                                         "reserved_smem_offset_cap",
                                         "reserved_smem_offset_0",
                                         "reserved_smem_offset_1",
                                         "total_smem_size",
                                         "aggr_smem_size",
                                         "dynamic_smem_size",
                                         "current_graph_exec"};

bool IsNumbered(std::string_view name, std::string_view prefix, std::uint32_t count, std::string_view suffix) {
  if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
    return false;
  const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  std::uint32_t number = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return result.ec == std::errc() && result.ptr == digits.data() + digits.size() && number < count;
}

}  // namespace

bool IsSpecialRegister(std::string_view name) {
  if (name.empty() || name[0] != '%') return false;
  name.remove_prefix(1);
  for (const std::string_view scalar : kScalars) {
    if (name == scalar) return true;
  }
  const std::size_t dot = name.find('.');
  for (const std::string_view vector : kVectors) {
    if (name.substr(0, dot) != vector) continue;
    if (dot == std::string_view::npos) return true;
    const std::string_view component = name.substr(dot + 1);
    return component.size() == 1 && component[0] >= 'w' && component[0] <= 'z';
  }
  return IsNumbered(name, "envreg", 32, "") || IsNumbered(name, "pm", 8, "") ||
         IsNumbered(name, "pm", 8, "_64");
}

}  // namespace emu::ptx
