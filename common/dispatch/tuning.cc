#include "common/dispatch/tuning.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "common/base/fixed.h"
#include "common/base/status.h"
#include "common/dispatch/explain.h"

namespace gemm::dispatch {
namespace {

using base::Concat;

constexpr std::string_view kFirstLine = "libgemm-tuning 1";
constexpr std::string_view kVersion = "version ";
constexpr std::string_view kDevice = "device ";

std::string InputKey(const char* name, const problem::Input& input) {
  return Concat(" ", name, "=", input.major == problem::Major::kK ? "K" : "MN", "/", input.ld, "/",
                input.batch_stride, "/", input.alignment);
}

std::string OutputKey(const char* name, const problem::Output& output) {
  return Concat(" ", name, "=", output.row_stride, "/", output.col_stride, "/", output.batch_stride, "/",
                output.alignment);
}

// Takes the first line off `text`.
std::string_view TakeLine(std::string_view* text) {
  const std::size_t end = text->find('\n');
  std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool TakePrefix(std::string_view prefix, std::string_view line, std::string* rest) {
  if (line.substr(0, prefix.size()) != prefix) return false;
  *rest = line.substr(prefix.size());
  return true;
}

bool IsTime(std::string_view text) {
  double us = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), us);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(us) && us > 0;
}

// False where the line is not KEY <tab> KERNEL <tab> MICROSECONDS.
bool AddEntry(std::string_view line, TuningTable* table) {
  const std::size_t first = line.find('\t');
  if (first == std::string_view::npos || first == 0) return false;
  const std::size_t second = line.find('\t', first + 1);
  if (second == std::string_view::npos || second == first + 1) return false;
  if (!IsTime(line.substr(second + 1))) return false;
  return table->kernels.emplace(line.substr(0, first), line.substr(first + 1, second - first - 1)).second;
}

}  // namespace

std::string TuningKey(const problem::Normalized& p, const PlanOptions& options) {
  std::string key =
      Concat(p.m, "x", p.n, "x", p.k, " batch=", p.batch, " ", Name(p.input_type), "->", Name(p.output_type),
             " ", Name(p.compute), p.scalars == ScalarMode::kDevice ? " device-scalars" : "");
  key += InputKey("A", p.a) + InputKey("B", p.b) + OutputKey("C", p.c) + OutputKey("D", p.d);
  if (p.swapped) key += " swapped";
  if (options.programmatic_launch) key += options.constant_b ? " programmatic constant-b" : " programmatic";
  if (options.batch_invariant) key += " batch-invariant";
  if (options.max_sms != 0) key += Concat(" max_sms=", options.max_sms);
  return key;
}

Status ParseTuning(std::string_view text, TuningTable* table) {
  const auto refuse = [](std::size_t line, const char* what) {
    return base::InvalidArgument("the tuning text's line ", line, " is not ", what);
  };
  *table = TuningTable();
  if (TakeLine(&text) != kFirstLine) return refuse(1, "\"libgemm-tuning 1\"");
  if (!TakePrefix(kVersion, TakeLine(&text), &table->version)) return refuse(2, "\"version ...\"");
  if (!TakePrefix(kDevice, TakeLine(&text), &table->device)) return refuse(3, "\"device ...\"");
  for (std::size_t number = 4; !text.empty(); ++number) {
    const std::string_view line = TakeLine(&text);
    if (line.empty() || line.front() == '#') continue;
    if (!AddEntry(line, table))
      return refuse(number, "a key, a kernel and a time with tabs between, the key new");
  }
  return Status();
}

std::string TuningHeader(const Device& device) {
  return Concat(kFirstLine, "\n", kVersion, Version(), "\n", kDevice, ToString(device), "\n");
}

std::string TuningLine(const std::string& key, const std::string& kernel, double us) {
  return Concat(key, "\t", kernel, "\t", base::Fixed(us, 3), "\n");
}

bool IsFor(const TuningTable& table, const Device& device) {
  return table.version == Version() && table.device == ToString(device);
}

std::string FindTuned(const TuningTable& table, const Device& device, const std::string& key) {
  if (!IsFor(table, device)) return "";
  const auto found = table.kernels.find(key);
  return found == table.kernels.end() ? "" : found->second;
}

}  // namespace gemm::dispatch
