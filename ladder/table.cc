#include "ladder/table.h"

#include <fmt/format.h>

#include "ladder/published.h"
#include "ladder/rung.h"
#include "tools/gemm/problem.h"

namespace gemm::ladder {
namespace {

using tool::bench::CaseResult;
using tool::bench::EntrantResult;
using tool::bench::Side;

const Rung* RungOf(const EntrantResult& entrant, DataType type) {
  for (const Rung& rung : Rungs()) {
    if (rung.name == entrant.name && rung.in == type) return &rung;
  }
  return nullptr;
}

std::string Published(const EntrantResult& entrant, const Problem& problem) {
  if (entrant.side != Side::kRung) return "";
  const Rung* rung = RungOf(entrant, problem.a.type);
  return rung == nullptr || rung->published.empty() ? "" : ToString(FindFigure(rung->published, problem));
}

std::string Line(const CaseResult& result, const EntrantResult& entrant, const std::string& name) {
  if (entrant.round_us.empty()) return fmt::format("{:17} {}\n", name, entrant.failure);
  const double us = entrant.MedianUs();
  const EntrantResult* rival = result.BestRival();
  const std::string percent = rival == nullptr ? "-" : fmt::format("{:.1f}", 100 * rival->MedianUs() / us);
  return fmt::format(
      "{:17} {:>10.2f} {:>8.2f} {:>7}  {:48} {}\n", name, us, tool::Flops(result.problem) / us * 1e-6, percent,
      entrant.side == Side::kRung ? entrant.detail : entrant.name, Published(entrant, result.problem));
}

}  // namespace

std::string Table(const CaseResult& result) {
  std::string text = fmt::format("\n{}{}\n{:17} {:>10} {:>8} {:>7}  {:48} {}\n",
                                 tool::ProblemText(result.problem), result.with_c ? ", C is read" : "", "rung",
                                 "us", "TFLOP/s", "% cuBLAS", "idea", "published (% of cuBLAS there)");
  for (const EntrantResult& entrant : result.entrants) {
    if (entrant.side == Side::kRung) text += Line(result, entrant, entrant.name);
  }
  if (const EntrantResult* ours = result.Ours()) text += Line(result, *ours, "libgemm");
  if (const EntrantResult* rival = result.RivalDefault()) text += Line(result, *rival, "cuBLAS default");
  if (const EntrantResult* rival = result.BestRival()) text += Line(result, *rival, "cuBLAS best");
  if (!result.rival_note.empty()) text += "cuBLAS: " + result.rival_note + "\n";
  if (!result.failure.empty()) text += result.failure + "\n";
  return text;
}

}  // namespace gemm::ladder
