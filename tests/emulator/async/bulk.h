// Kernels of one bulk copy: p0 is 4096 bytes that count from 1, p1 what comes out.
#pragma once

#include <numeric>

#include "tests/emulator/async/gpu.h"

namespace emu::testing {

inline std::vector<std::uint32_t> Words(std::size_t count, std::uint32_t first = 1) {
  std::vector<std::uint32_t> words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

inline const char kParams[] = "ld.param.u64 %d0, [p0]; ld.param.u64 %d15, [p1];\n";
inline const char kLoad[] =
    "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d0], 4096, [%r2];\n";
inline const char kExpect[] = "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 4096;\n";

struct Result {
  std::optional<Finding> finding;
  std::vector<std::uint32_t> out;
};
inline Result RunKernel(const std::string& body, std::uint64_t seed, std::uint32_t ctas = 1,
                        std::size_t words = 1024) {
  Gpu gpu;
  const std::uint64_t in = gpu.Put(Words(1024)), out = gpu.Put(std::vector<std::uint32_t>(words, 0xabcdef));
  Result result;
  result.finding = gpu.Seed(seed).Clusters(ctas).Run(kParams + body, {in, out});
  result.out = gpu.Get<std::uint32_t>(out, words);
  return result;
}

inline const char kStore[] = "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d15], [%r1], 4096;\n";
inline const char kCommit[] = "@%p0 cp.async.bulk.commit_group;\n";

inline std::string Fill() {  // from p0, which the store then writes to p1
  return "mov.u64 %d13, %d15; mov.u64 %d15, %d0;\n" + CopyIn(4096) + "mov.u64 %d15, %d13;\n";
}

}  // namespace emu::testing
