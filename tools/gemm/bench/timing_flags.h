// The flags of every command that times products by the protocol.
#pragma once

#include <string>

#include "tools/gemm/bench/options.h"
#include "tools/gemm/flags.h"

namespace gemm::tool::bench {

// The values in *options are the defaults that --help names.
void AddTimingFlags(FlagSet* flags, Options* options);

// Of products: --types and --out-type.
void AddTypeFlags(FlagSet* flags, Options* options);

// How ours are chosen and launched: --edges, --constant-b, and --tuning, whose file *tuning names.
void AddPlanFlags(FlagSet* flags, Options* options, std::string* tuning);

}  // namespace gemm::tool::bench
