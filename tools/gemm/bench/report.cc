#include "tools/gemm/bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>

#include "tools/gemm/bench/cells.h"
#include "tools/gemm/bench/geometric_mean.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/problem.h"

namespace gemm::tool::bench {
namespace {

// One result as the columns that all tables share.
struct Columns {
  explicit Columns(const CaseResult& result);
  const EntrantResult* ours;
  const EntrantResult* best;
  const EntrantResult* standard;
  std::optional<double> us, tflops, gbs, best_us, default_us, ratio, default_ratio;
  std::optional<double> mhz, watts, joules, rival_mhz, rival_watts, rival_joules;
};

Columns::Columns(const CaseResult& result)
    : ours(result.Ours()), best(result.BestRival()), standard(result.RivalDefault()) {
  if (ours != nullptr) {
    us = ours->MedianUs();
    tflops = Flops(result.problem) / *us * 1e-6;
    gbs = CompulsoryBytes(result.problem, result.with_c) / *us * 1e-3;
    mhz = ours->MedianMhz();
  }
  if (best != nullptr) {
    best_us = best->MedianUs();
    rival_mhz = best->MedianMhz();
  }
  if (standard != nullptr) default_us = standard->MedianUs();
  if (us && best_us) ratio = *best_us / *us;
  if (us && default_us) default_ratio = *default_us / *us;
  if (ours != nullptr && ours->energy) {
    watts = ours->energy->watts;
    joules = ours->energy->joules;
  }
  if (best != nullptr && best->energy) {
    rival_watts = best->energy->watts;
    rival_joules = best->energy->joules;
  }
}

// "" where no other build took part.
std::string OtherBuildText(const CaseResult& result) {
  for (const EntrantResult& entrant : result.entrants) {
    if (entrant.side != Side::kOtherBuild) continue;
    if (!entrant.failure.empty()) return entrant.failure;
    return fmt::format("{} {} us", entrant.name, Number(entrant.MedianUs(), "{:.2f}", "-"));
  }
  return "";
}

// Our time over the other build's, of the products that both have a time of.
std::string OtherBuildSummary(const std::vector<CaseResult>& cases) {
  GeometricMean all, changed;
  for (const CaseResult& result : cases) {
    const EntrantResult* const ours = result.Ours();
    const EntrantResult* const other = result.Beside();
    if (ours == nullptr || other == nullptr) continue;
    const double part = ours->MedianUs() / other->MedianUs();
    all.Add(part);
    if (ours->name != other->name) changed.Add(part);
  }
  const auto text = [](const GeometricMean& mean) {
    return mean.count() < 2
               ? fmt::format("{:.3f}", mean.value())
               : fmt::format("{:.3f} (deviation of the mean {:.4f})", mean.value(), mean.deviation());
  };
  if (all.count() == 0) return "";
  std::string line = fmt::format("of the other build's time {} over {} products", text(all), all.count());
  if (changed.count() > 0)
    line += fmt::format(", {} over the {} with another kernel", text(changed), changed.count());
  return line + "\n";
}

// How many entrants of these sides were timed and how many dropped out, and why the first one did: nothing else shows those. "" where
// none took part.
std::string EntrantsSummary(const std::vector<CaseResult>& cases, const char* who,
                            std::initializer_list<Side> sides) {
  std::size_t asked = 0, timed = 0, dropped = 0;
  std::string first;
  for (const CaseResult& result : cases) {
    for (const EntrantResult& entrant : result.entrants) {
      if (std::find(sides.begin(), sides.end(), entrant.side) == sides.end()) continue;
      ++asked;
      timed += !entrant.round_us.empty() && entrant.failure.empty();
      if (entrant.failure.empty() || dropped++ != 0) continue;
      first = fmt::format("{}: {}: {}", ProblemText(result.problem), entrant.name, OneLine(entrant.failure));
    }
  }
  if (asked == 0) return "";
  std::string line = fmt::format("{}: {} timed of {} asked", who, timed, asked);
  if (dropped != 0) line += fmt::format("; {} failed or missed the error bound, first {}", dropped, first);
  return line + "\n";
}

}  // namespace

std::string EdgesText(const Circumstances& circumstances) {
  return fmt::format("{} between our launches, B {}", circumstances.edges,
                     circumstances.constant_b ? "declared constant" : "not declared constant");
}

std::string ProtocolText(const Options& options, bool rival) {
  std::string text = fmt::format(
      "random normal data; operand sets rotated past twice the L2; every entrant in one process, in an order "
      "shuffled each round; "
      "launches captured into a CUDA graph, ours with {} edges between them{}{}; {} rounds of a timed burst of "
      "{} ms, each behind an untimed burst of the same kernel and length; medians over rounds; every entrant's "
      "result checked against FP64 in sampled elements; ours with as much workspace as its plan asks for",
      options.edges, options.constant_b ? " and B declared constant" : "",
      rival ? ", the rival's with the edges that it makes" : "", options.rounds, options.burst_ms);
  if (rival) {
    text += fmt::format(
        "; rival: cuBLASLt's {} first heuristics answers, of those that need at most {} MiB of workspace, and "
        "its default with as much; 'best' is the fastest of them, the default included",
        kHeuristics, kRivalWorkspace >> 20);
  } else {
    text += "; no rival";
  }
  if (!options.beside.empty()) text += "; another build of libgemm in the same rounds, with the edges of ours";
  if (options.most_sets < kMostSets) text += fmt::format("; at most {} sets", options.most_sets);
  if (options.settle_ms > 0)
    text += fmt::format("; first {} ms of bursts in turn that are not recorded", options.settle_ms);
  if (options.screen) {
    text += fmt::format("; before the rounds, two rounds of {} ms bursts choose the {} {} that stay",
                        options.screen_ms, options.keep,
                        rival ? "algorithms (and other rows of ours)" : "other rows of ours");
  }
  if (options.energy_ms > 0) {
    text += fmt::format(
        "; watts and joules from NVML's energy counter over a pass of {} ms{}, behind an untimed one",
        options.energy_ms, rival ? " each of ours and of the best" : " of ours");
  }
  if (options.beta != 0)
    text += fmt::format("; beta = {} with C apart from D{}", options.beta, rival ? ", for the rival too" : "");
  return text;
}

std::string ConsoleHeader() {
  return fmt::format(
      "{:6} {:>6} {:>6} {:>6} {:9} {:36} {:>9} {:>7} {:>6} | {:>9} {:>9} | {:>6} {:>6} | {:>4} {:>5} {:>8}",
      "layout", "m", "n", "k", "type", "kernel", "us", "TFLOP/s", "GB/s", "best us", "deflt us", "ratio",
      "deflt", "MHz", "W", "mJ");
}

std::string ConsoleRow(const CaseResult& result) {
  const Problem& p = result.problem;
  const Columns c(result);
  const std::optional<double> millijoules = c.joules ? std::optional<double>(*c.joules * 1e3) : std::nullopt;
  std::string row = fmt::format(
      "{:6} {:>6} {:>6} {:>6} {:9} {:36} {:>9} {:>7} {:>6} | {:>9} {:>9} | {:>6} {:>6} | {:>4} {:>5} {:>8}",
      io::ToString(LayoutsOf(p)), p.m, p.n, p.k, TypesText(p), c.ours != nullptr ? c.ours->name : "-",
      Number(c.us, "{:.2f}", "-"), Number(c.tflops, "{:.1f}", "-"), Number(c.gbs, "{:.0f}", "-"),
      Number(c.best_us, "{:.2f}", "-"), Number(c.default_us, "{:.2f}", "-"), Number(c.ratio, "{:.3f}", "-"),
      Number(c.default_ratio, "{:.3f}", "-"), Number(c.mhz, "{:.0f}", "-"), Number(c.watts, "{:.0f}", "-"),
      Number(millijoules, "{:.3g}", "-"));
  if (p.batch != 1) row += fmt::format("  batch {}", p.batch);
  const EntrantResult* best_row = result.BestRow();
  if (best_row != c.ours) row += fmt::format("  best row: {} {:.2f} us", best_row->name, best_row->MedianUs());
  if (const std::string other = OtherBuildText(result); !other.empty()) row += "  beside: " + other;
  if (!result.failure.empty()) row += "  " + result.failure;
  return row;
}

std::string Summary(const std::vector<CaseResult>& cases) {
  struct Ratios {
    GeometricMean best, by_other_rounds, standard;
    double worst = INFINITY;
  };
  std::map<std::string, Ratios> types;
  for (const CaseResult& result : cases) {
    const Columns c(result);
    if (!c.ratio) continue;
    Ratios& ratios = types[TypesText(result.problem)];
    ratios.best.Add(c.ratio);
    ratios.by_other_rounds.Add(result.RatioByOtherRounds());
    ratios.standard.Add(c.default_ratio ? c.default_ratio : c.ratio);
    ratios.worst = std::min(ratios.worst, *c.ratio);
  }
  std::string text;
  for (const auto& [type, ratios] : types) {
    text += fmt::format("{}: geometric mean over {} products {:.3f}x cuBLASLt's best", type,
                        ratios.best.count(), ratios.best.value());
    if (ratios.by_other_rounds.count() == ratios.best.count())
      text += fmt::format(" ({:.3f}x where the other rounds choose it)", ratios.by_other_rounds.value());
    text += fmt::format(", {:.3f}x its default; worst {:.3f}x\n", ratios.standard.value(), ratios.worst);
  }
  return text +
         EntrantsSummary(cases, "cuBLASLt's algorithms and default", {Side::kRival, Side::kRivalDefault}) +
         EntrantsSummary(cases, "our other kernels", {Side::kOtherRow}) + OtherBuildSummary(cases);
}

std::string ToCsv(const Report& report) {
  std::string text =
      "layout,m,n,k,batch,in,out,kernel,us,tflops,gbs,rival_best_us,rival_best,rival_best_config,rival_default_"
      "us,ratio,ratio_default,ratio_by_other_rounds,"
      "mhz,watts,joules,rival_mhz,rival_watts,rival_joules,worst_error_of_bound,sets,footprint_mb,best_row,"
      "best_row_us,other_build_kernel,other_build_us,edges,constant_b,note\n";
  for (const CaseResult& result : report.cases) {
    const Problem& p = result.problem;
    const Columns c(result);
    const EntrantResult* row = result.BestRow();
    const EntrantResult* other = result.Beside();
    const std::string note =
        result.failure + (result.failure.empty() || result.rival_note.empty() ? "" : "; ") + result.rival_note;
    const auto number = [](std::optional<double> value) { return Number(value, "{:.6g}", ""); };
    text += CsvLine({io::ToString(LayoutsOf(p)),
                     std::to_string(p.m),
                     std::to_string(p.n),
                     std::to_string(p.k),
                     std::to_string(p.batch),
                     InputName(p),
                     Name(p.d.type),
                     c.ours ? c.ours->name : "",
                     number(c.us),
                     number(c.tflops),
                     number(c.gbs),
                     number(c.best_us),
                     c.best ? c.best->name : "",
                     c.best ? c.best->detail : "",
                     number(c.default_us),
                     number(c.ratio),
                     number(c.default_ratio),
                     number(result.RatioByOtherRounds()),
                     number(c.mhz),
                     number(c.watts),
                     number(c.joules),
                     number(c.rival_mhz),
                     number(c.rival_watts),
                     number(c.rival_joules),
                     c.ours ? fmt::format("{:.3g}", c.ours->worst_error) : "",
                     std::to_string(result.sets),
                     fmt::format("{:.1f}", result.footprint_bytes * 1e-6),
                     row ? row->name : "",
                     row ? number(row->MedianUs()) : "",
                     other ? other->name : "",
                     other ? number(other->MedianUs()) : "",
                     report.circumstances.edges,
                     report.circumstances.constant_b ? "true" : "false",
                     note});
  }
  return text;
}

std::string MarkdownHead(const Circumstances& s) {
  return fmt::format(
      "```\n{}\n```\n\n{}, libgemm {}. {}. {}. Rival: {}. {}. Edges: {}.{}{}\n\nProtocol: {}.\n\n", s.command,
      s.date, s.library, s.device, s.driver, s.rival, s.meters, EdgesText(s),
      s.tuning.empty() ? "" : fmt::format(" Tuning: {}.", s.tuning),
      s.beside.empty() ? "" : fmt::format(" Beside: {}.", s.beside), s.protocol);
}

std::string ToMarkdown(const Report& report) {
  std::string text = MarkdownHead(report.circumstances);
  text +=
      "| layout | m | n | k | type | kernel | us | TFLOP/s | GB/s | rival best us | which | rival default us | "
      "ratio | to default | MHz | W | "
      "mJ | rival W | rival mJ |";
  const bool beside = !report.circumstances.beside.empty();
  text += beside ? " beside |\n" : "\n";
  text += "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";
  text += beside ? "---|\n" : "\n";
  for (const CaseResult& result : report.cases) {
    const Problem& p = result.problem;
    const Columns c(result);
    const auto number = [](std::optional<double> value, const char* format) {
      return Number(value, format, "");
    };
    const auto milli = [](std::optional<double> value) {
      return value ? std::optional<double>(*value * 1e3) : value;
    };
    std::string kernel = c.ours != nullptr ? c.ours->name : "";
    if (!result.failure.empty()) kernel += (kernel.empty() ? "" : "; ") + OneLine(result.failure);
    const std::string batch = p.batch == 1 ? "" : fmt::format(" x{}", p.batch);
    text += fmt::format(
        "| {}{} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        io::ToString(LayoutsOf(p)), batch, p.m, p.n, p.k, TypesText(p), kernel, number(c.us, "{:.2f}"),
        number(c.tflops, "{:.1f}"), number(c.gbs, "{:.0f}"), number(c.best_us, "{:.2f}"),
        c.best ? c.best->name : result.rival_note, number(c.default_us, "{:.2f}"), number(c.ratio, "{:.3f}"),
        number(c.default_ratio, "{:.3f}"), number(c.mhz, "{:.0f}"), number(c.watts, "{:.0f}"),
        number(milli(c.joules), "{:.4g}"), number(c.rival_watts, "{:.0f}"),
        number(milli(c.rival_joules), "{:.4g}"));
    text += beside ? fmt::format(" {} |\n", OtherBuildText(result)) : "\n";
  }
  const std::string summary = Summary(report.cases);
  return summary.empty() ? text : text + "\n" + summary;
}

Formats FormatsOf(const Report& report) {
  return {[&] { return ToCsv(report); }, [&] { return ToJson(report); }, [&] { return ToMarkdown(report); }};
}

}  // namespace gemm::tool::bench
