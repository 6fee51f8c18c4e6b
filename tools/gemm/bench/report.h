// The results of `gemm bench` as a table on the console, CSV, JSON and Markdown.
#pragma once

#include <string>
#include <vector>

#include "tools/gemm/bench/case.h"
#include "tools/gemm/bench/formats.h"

namespace gemm::tool::bench {

// Under what circumstances the results came about.
struct Circumstances {
  std::string command;  // as it was typed
  std::string date;     // UTC, ISO 8601
  std::string library;  // version of libgemm
  std::string device;
  std::string driver;  // the driver's version and the CUDA version it supports
  std::string rival;   // version and file, or why there is none
  std::string meters;  // power limit and temperature at the start, or why NVML is not there
  std::string edges;   // between our launches: Options::edges
  bool constant_b = false;
  std::string tuning;    // the tuning file, and for how many products it names a kernel; empty without
  std::string beside;    // the other build's file; empty without
  std::string protocol;  // in words
};

struct Report {
  Circumstances circumstances;
  std::vector<CaseResult> cases;
};

std::string ConsoleHeader();
// One line, without its end.
std::string ConsoleRow(const CaseResult& result);
// Geometric means of the ratios, one line for each type of input; how many of the rival's entrants, and of our other kernels, were timed
// and dropped out; with another build one more, of ours to its time.
std::string Summary(const std::vector<CaseResult>& cases);

std::string ToCsv(const Report& report);
std::string ToJson(const Report& report);
std::string ToMarkdown(const Report& report);

// Refers to the report.
Formats FormatsOf(const Report& report);

// What a Markdown report says before its table.
std::string MarkdownHead(const Circumstances& circumstances);

// The edges between our launches, and whether B was declared constant.
std::string EdgesText(const Circumstances& circumstances);

// The protocol in words, for the report. `rival`: cuBLASLt takes part.
std::string ProtocolText(const Options& options, bool rival);

}  // namespace gemm::tool::bench
