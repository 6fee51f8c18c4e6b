#include "tools/gemm/bench/timing_flags.h"

#include <fmt/core.h>

namespace gemm::tool::bench {

void AddTimingFlags(FlagSet* flags, Options* options) {
  const auto add = [&](const char* name, auto* value, const char* help) {
    return flags->Add(name, value, fmt::format("{} (default {})", help, *value));
  };
  flags->Add("--vs", &options->versus, "rival: cublaslt (default) or none");
  flags->Add("--cublaslt-path", &options->cublaslt_path,
             "libcublasLt.so itself, or a folder that has it in ., lib, lib64 or nvidia/*/lib, such as "
             "PyTorch's site-packages "
             "(default: where the dynamic loader and CUDA have it)");
  add("--rounds", &options->rounds, "timed bursts of each entrant");
  add("--burst-ms", &options->burst_ms, "length of a burst, up to 200");
  add("--settle-ms", &options->settle_ms,
      "bursts of all in turn that nobody records, for so long before those that count");
  add("--sets", &options->most_sets, "at most this many sets of operands; few leave them in the L2");
  add("--device", &options->device, "number of the GPU");
  add("--seed", &options->seed, "of the data and of the order").Unsigned();
  flags
      ->Add("--out", &options->out,
            "write the results to FILE.csv, FILE.json or FILE.md, anew after each line of the table; may be "
            "repeated")
      .Takes("FILE");
}

void AddTypeFlags(FlagSet* flags, Options* options) {
  flags
      ->Add("--types", &options->types,
            "types of A and B, comma-separated: fp32, fp16, bf16, tf32 (default bf16)")
      .CommaSeparated();
  flags->Add("--out-type", &options->out_type, "type of C and D (default: that of A and B)");
}

void AddPlanFlags(FlagSet* flags, Options* options, std::string* tuning) {
  flags->Add("--tuning", tuning, "a file of gemm tune, whose choices go before predicted ones").Takes("FILE");
  flags->Add("--edges", &options->edges,
             "between our launches: plain (default) or programmatic (PlanOptions::programmatic_launch)");
  flags->AddSwitch("--constant-b", &options->constant_b,
                   "declare B constant, as weights are (PlanOptions::constant_b)");
}

}  // namespace gemm::tool::bench
