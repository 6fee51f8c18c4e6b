// The flags of every command that times products by the protocol.
#pragma once

#include "tools/gemm/bench/options.h"
#include "tools/gemm/flags.h"

namespace gemm::tool::bench {

// The values in *options are the defaults that --help names.
void AddTimingFlags(FlagSet* flags, Options* options);

}  // namespace gemm::tool::bench
