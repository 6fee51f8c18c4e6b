#include "tools/gemm/layer/report.h"

#include <fmt/format.h>

#include <map>

#include "tools/gemm/bench/cells.h"
#include "tools/gemm/bench/geometric_mean.h"
#include "tools/gemm/problem.h"

namespace gemm::tool::layer {
namespace {

using bench::Number;

std::string TypesOf(const LayerResult& result) { return bench::TypesText(result.layer.products.front()); }

// "+3.2%" of a cost of 1.032.
std::string Percent(std::optional<double> cost, const char* absent) {
  return cost ? fmt::format("{:+.1f}%", 100 * (*cost - 1)) : absent;
}

std::string KernelsOf(const LayerResult& result, const char* absent) {
  return result.ours.timed() ? std::to_string(result.OurKernels()) : absent;
}

}  // namespace

Columns::Columns(const LayerResult& result) {
  if (result.ours.timed()) {
    us = result.ours.AloneUs();
    turn_us = result.ours.InTurnUs();
    cost = *turn_us / *us;
  }
  if (result.rival.timed()) {
    rival_us = result.rival.AloneUs();
    rival_turn_us = result.rival.InTurnUs();
    rival_cost = *rival_turn_us / *rival_us;
  }
  if (us && rival_us) {
    ratio = *rival_us / *us;
    turn_ratio = *rival_turn_us / *turn_us;
  }
}

std::string Note(const LayerResult& result) {
  std::string note = result.failure;
  const auto add = [&](const std::string& whose, const SideResult& side) {
    if (!side.failure.empty()) note += (note.empty() ? "" : "; ") + whose + ": " + side.failure;
  };
  add("ours", result.ours);
  add("rival", result.rival);
  return note;
}

std::string ProtocolText(const bench::Options& options, bool rival) {
  std::string text = fmt::format(
      "random normal data; a layer is the products of a file with one M and type; each product alone in a "
      "graph of its own, "
      "and all of them in one graph, one after the other in the file's order, turn by turn; each product on "
      "operand sets of its own, "
      "rotated past twice the L2; ours with {} edges between launches{}{}; all graphs "
      "of a layer in one process, in an order shuffled each round; {} rounds of a timed burst of {} ms, each "
      "behind an "
      "untimed burst of the same graph and length, the first behind {} ms of others that are not recorded; "
      "medians "
      "over rounds; 'alone' is the sum over the products; "
      "every graph's "
      "results checked against FP64 in sampled elements; ours with as much workspace as its plans ask for",
      options.edges, options.constant_b ? " and B declared constant" : "",
      rival ? ", the rival's with the edges that it makes" : "", options.rounds, options.burst_ms,
      options.settle_ms);
  if (rival) {
    text += fmt::format(
        "; rival: of each product the fastest alone of cuBLASLt's {} first heuristics answers, of those that "
        "need at most {} MiB of workspace, and its default with as much, by two rounds of {} ms bursts",
        bench::kHeuristics, bench::kRivalWorkspace >> 20, options.screen_ms);
  } else {
    text += "; no rival";
  }
  if (options.most_sets < bench::kMostSets) text += fmt::format("; at most {} sets", options.most_sets);
  return text;
}

std::string ConsoleHeader() {
  return fmt::format("{:16} {:>6} {:9} {:>8} {:>7} | {:>9} {:>9} {:>7} | {:>9} {:>9} {:>7} | {:>6} {:>7}",
                     "file", "m", "type", "products", "kernels", "us alone", "in turn", "costs", "cuBLASLt",
                     "in turn", "costs", "ratio", "in turn");
}

std::string ConsoleRow(const LayerResult& result) {
  const Columns c(result);
  std::string row = fmt::format(
      "{:16} {:>6} {:9} {:>8} {:>7} | {:>9} {:>9} {:>7} | {:>9} {:>9} {:>7} | {:>6} {:>7}",
      FileName(result.layer), result.layer.m(), TypesOf(result), result.layer.products.size(),
      KernelsOf(result, "-"), Number(c.us, "{:.2f}", "-"), Number(c.turn_us, "{:.2f}", "-"),
      Percent(c.cost, "-"), Number(c.rival_us, "{:.2f}", "-"), Number(c.rival_turn_us, "{:.2f}", "-"),
      Percent(c.rival_cost, "-"), Number(c.ratio, "{:.3f}", "-"), Number(c.turn_ratio, "{:.3f}", "-"));
  if (!result.failure.empty()) row += "  " + result.failure;
  return row;
}

std::string Summary(const std::vector<LayerResult>& layers) {
  struct Means {
    bench::GeometricMean cost, rival_cost, ratio, turn_ratio;
  };
  std::map<std::string, Means> types;
  for (const LayerResult& result : layers) {
    const Columns c(result);
    if (!c.cost) continue;
    Means& means = types[TypesOf(result)];
    means.cost.Add(c.cost);
    means.ratio.Add(c.ratio);
    means.turn_ratio.Add(c.turn_ratio);
    if (c.ratio) means.rival_cost.Add(c.rival_cost);
  }
  std::string text;
  for (const auto& [type, means] : types) {
    text += fmt::format("{}: geometric mean over {} layers: being in turn costs ours {}", type,
                        means.cost.count(), Percent(means.cost.value(), ""));
    if (means.ratio.count() > 0) {
      text += fmt::format(", cuBLASLt's {}; {:.3f}x its speed alone, {:.3f}x in turn",
                          Percent(means.rival_cost.value(), ""), means.ratio.value(), means.turn_ratio.value());
    }
    text += "\n";
  }
  return text;
}

std::string ToCsv(const Report& report) {
  std::string text =
      "file,m,in,out,products,kernels,us_alone,us_in_turn,in_turn_over_alone,rival_us_alone,rival_us_in_turn,"
      "rival_in_turn_over_alone,ratio_alone,ratio_in_turn,edges,constant_b,note\n";
  for (const LayerResult& result : report.layers) {
    const Columns c(result);
    const Problem& first = result.layer.products.front();
    const auto number = [](std::optional<double> value) { return Number(value, "{:.6g}", ""); };
    text += bench::CsvLine({result.layer.file, std::to_string(result.layer.m()), InputName(first),
                            Name(first.d.type), std::to_string(result.layer.products.size()),
                            KernelsOf(result, ""), number(c.us), number(c.turn_us), number(c.cost),
                            number(c.rival_us), number(c.rival_turn_us), number(c.rival_cost), number(c.ratio),
                            number(c.turn_ratio), report.circumstances.edges,
                            report.circumstances.constant_b ? "true" : "false", Note(result)});
  }
  return text;
}

std::string ToMarkdown(const Report& report) {
  std::string text = bench::MarkdownHead(report.circumstances);
  text +=
      "| file | m | type | products | kernels | us alone | us in turn | costs | rival us alone | rival us in "
      "turn | "
      "costs | ratio alone | ratio in turn | note |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const LayerResult& result : report.layers) {
    const Columns c(result);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                        FileName(result.layer), result.layer.m(), TypesOf(result), result.layer.products.size(),
                        KernelsOf(result, ""), Number(c.us, "{:.2f}", ""), Number(c.turn_us, "{:.2f}", ""),
                        Percent(c.cost, ""), Number(c.rival_us, "{:.2f}", ""),
                        Number(c.rival_turn_us, "{:.2f}", ""), Percent(c.rival_cost, ""),
                        Number(c.ratio, "{:.3f}", ""), Number(c.turn_ratio, "{:.3f}", ""), Note(result));
  }
  const std::string summary = Summary(report.layers);
  return summary.empty() ? text : text + "\n" + summary;
}

bench::Formats FormatsOf(const Report& report) {
  return {[&] { return ToCsv(report); }, [&] { return ToJson(report); }, [&] { return ToMarkdown(report); }};
}

}  // namespace gemm::tool::layer
