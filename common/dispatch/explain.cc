#include "common/dispatch/explain.h"

#include <algorithm>
#include <numeric>

#include "common/base/fixed.h"
#include "common/base/status.h"

namespace gemm::dispatch {
namespace {

using base::Concat;
using base::Fixed;

std::string Left(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string Right(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

}  // namespace

std::string ToString(const Device& device) {
  return Concat(device.name, ", compute capability ", device.compute_capability_major, ".",
                device.compute_capability_minor, ", ", device.is_limited() ? device.all_sms : device.sm_count,
                " SMs at ", Fixed(device.sm_clock_mhz, 0), " MHz, ", Fixed(device.memory_bandwidth_gbs, 0),
                " GB/s, ", Fixed(static_cast<double>(device.l2_bytes) / (1 << 20), 1), " MiB L2");
}

std::string ToTable(const Selection& selection, bool chosen) {
  std::vector<std::size_t> order(selection.candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Candidate& x = selection.candidates[a];
    const Candidate& y = selection.candidates[b];
    if (x.rejection.empty() != y.rejection.empty()) return x.rejection.empty();
    return x.rejection.empty() && x.predicted_us < y.predicted_us;
  });
  std::size_t name_width = 6;
  for (const Candidate& candidate : selection.candidates) {
    name_width = std::max(name_width, std::char_traits<char>::length(candidate.row->name));
  }
  std::string out = Concat("  ", Left("kernel", name_width), "  ", Right("predicted us", 12), "  ",
                           Right("workspace bytes", 15), "\n");
  for (const std::size_t index : order) {
    const Candidate& candidate = selection.candidates[index];
    const bool mark = chosen && index == selection.index;
    out += Concat(mark ? "* " : "  ", Left(candidate.row->name, name_width), "  ");
    if (candidate.rejection.empty()) {
      out += Concat(Right(Fixed(candidate.predicted_us, 2), 12), "  ",
                    Right(Concat(candidate.workspace_bytes), 15), "\n");
    } else {
      out += Concat("rejected: ", candidate.rejection, "\n");
    }
  }
  return out;
}

std::string LimitNote(const Selection& selection, const Device& device) {
  const KernelRow& row = *selection.chosen()->row;
  if (!device.is_limited() || row.family->is_persistent) return "";
  return Concat("max_sms: ", row.name, " does not keep to it, for its grid is not persistent\n");
}

std::string Explain(const Rows& rows, const problem::Normalized& problem, const Device& device,
                    const SelectOptions& options) {
  std::string out =
      Concat("libgemm ", Version(), "\nproblem: ", problem::ToString(problem), "\ndevice: ", ToString(device));
  if (device.is_limited()) out += Concat(", limited to ", device.sm_count, " multiprocessors");
  out += "\n";
  if (problem.empty()) return out + "nothing to compute: no kernel is launched\n";
  Selection selection;
  const Status status = Select(rows, problem, device, options, &selection);
  if (!options.kernel.empty()) out += Concat("forced by ", options.kernel_origin, ": ", options.kernel, "\n");
  if (!options.tuned.empty()) {
    out += Concat("tuned: ", options.tuned, selection.tuned ? "" : ", which does not run here", "\n");
  }
  out += status.ok() ? LimitNote(selection, device) : Concat(Name(status.code()), ": ", status.message(), "\n");
  if (!selection.candidates.empty()) out += ToTable(selection, status.ok());
  return out;
}

}  // namespace gemm::dispatch
