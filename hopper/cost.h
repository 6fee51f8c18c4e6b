// The constants of the tiled kernels' predicted times (predict.h), by device. The skinny kernels have their own: skinny/cost.h.
//
// All but hanging_box, merged_... and anywhere_... are fitted, together with the skinny kernels' constants, to times of every row near the
// fastest: docs/perf/hopper/predictors.md says by which times, and what the choice loses. `gemm calibrate` measures and fits these
// constants alone anew.
#pragma once

#include "common/dispatch/cost_model.h"

namespace gemm::hopper {

struct CostConstants {
  double launch_us = 1.75;              // from launch to end of an otherwise instant kernel
  double cluster_us = 0.3;              // more in a launch with clusters
  double wide_cluster_us = 0.3;         // more where they multicast to four CTAs and more
  double intake_bytes_per_clock = 163;  // of one SM, were it alone
  double l2_bytes_per_clock = 19600;    // of all SMs, beside that
  // The part of a GPC's requests for the same line that are answered once where CTAs compute several tiles, and drift apart; in one
  // round it is all. Set by hand among a dozen pairs from 0 to 1: refitted with each, the choice loses 2.7% to 3.6% of 269 products of
  // H100s, 2.7% with these (2026-11-25).
  double merged_in_rounds = 0.7;
  double merged_of_clusters = 0.3;  // the same of clusters
  // Of one SM, to ask for 128 bytes of a row that start at no multiple of 128: two lines of the L2, and five of its sectors of
  // 32 bytes where the row starts at an odd multiple of 16. Of what a cluster shares a CTA asks for its part, one box in several.
  double two_line_row_cycles = 1.98;
  double five_sector_row_cycles = 3.47;
  double load_latency_cycles = 2470;  // of a K step, over the stages
  // Where threads copy: of a K step, of a row in it of each CTA at work, for it is the memory that they all ask, and what whole tiles take
  // beside. Set by 76 times of 54 products, which deviate by 10 to 23%, by kernel (H200, 2026-11-29, docs/perf/unaligned.md).
  double anywhere_step_cycles = 900;
  double anywhere_row_cycles = 0.042;
  double anywhere_tiles_us = 2.6;
  // Times a K step whose box of A hangs over the edge (boxes.h says where boxes still do).
  double hanging_box = 1.23;
  // Of a tile of 128 x 256; others by their area.
  double epilogue_cooperative_cycles = 4797;
  double epilogue_pingpong_cycles = 1490;
  double epilogue_stream_k_cycles = 4250;
  // Of a chunk of a ping-pong consumer's epilogue: until it is handed to the copy engine, and from then on until its buffer is free.
  double chunk_write_cycles = 195;
  double chunk_latency_cycles = 800;
  // Where D's rows start within sectors of the L2 by turns (sectors.h): what each of its bytes counts more to the memory, stored as it
  // lies and by whole sectors, and the cycles of a tile of 128 x 256 for each 1 of that.
  double half_sectors = 0.42;
  double whole_sectors = 0.15;
  double half_sector_cycles = 630;
  double exchange_cycles = 6400;        // times log2 of the parts of a tile
  double exchange_fixed_cycles = 2460;  // the same of a tile of any size
  // Where the sums are scattered (scattered_sums.cuh): of a tile of any size, and of each KiB of sums that a CTA hands over.
  double scatter_fixed_cycles = 6000;
  double scatter_kib_cycles = 125;
  double split_fixed_cycles = 2030;  // of split K's exchange between the CTAs of a cluster
  double split_kib_cycles = 63;      // the same, of each KiB of sums that a CTA sends
  // Of parallel split K's second kernel, and of each KiB of sums that a CTA of the first leaves it.
  double parallel_fixed_cycles = 3110;
  double parallel_kib_cycles = 91;
  // Times stream-K's K steps where all tiles are cut alike and neighbours read the same part of K.
  double even_steps = 0.941;
  // Of D's transpose where it leaves in pieces of 32 bytes: behind all else (transposed_store.cuh; panels cost nothing). 6475x2680x192 took 8 us longer than by the same kernel as it
  // lies, 1677x26776x224 19 us (H200, 2026-11-24), but halves of 403 products ask for 9e6 and 12e6, and H100s for 9e6 (2026-11-26).
  double transposed_bytes_per_us = 9e6;
  double uneven = 1.05;  // times K steps of ranges that begin anywhere (StreamK::even)
  double power_exponent = 0.416;
  // At the power limit, with the highest clock's voltage, were nothing else done: the next four.
  double power_flop_per_us = 5.63e8;
  double power_memory_bytes_per_us = 5.6e6;
  double power_l2_bytes_per_us = 7.88e7;
  double power_intake_bytes_per_us = 2.98e8;
  double power_of_cycles = 0.357;  // what the time of the cycles counts beside them
  double memory_efficiency = 0.813;
  double l2_bytes_per_us = 2.06e8;  // asked for by all SMs: time beside the memory's
};

inline constexpr dispatch::NamedConstant<CostConstants> kCostFields[] = {
    {"launch_us", &CostConstants::launch_us},
    {"cluster_us", &CostConstants::cluster_us},
    {"wide_cluster_us", &CostConstants::wide_cluster_us},
    {"intake_bytes_per_clock", &CostConstants::intake_bytes_per_clock},
    {"l2_bytes_per_clock", &CostConstants::l2_bytes_per_clock},
    {"merged_in_rounds", &CostConstants::merged_in_rounds},
    {"merged_of_clusters", &CostConstants::merged_of_clusters},
    {"two_line_row_cycles", &CostConstants::two_line_row_cycles},
    {"five_sector_row_cycles", &CostConstants::five_sector_row_cycles},
    {"load_latency_cycles", &CostConstants::load_latency_cycles},
    {"anywhere_step_cycles", &CostConstants::anywhere_step_cycles},
    {"anywhere_row_cycles", &CostConstants::anywhere_row_cycles},
    {"anywhere_tiles_us", &CostConstants::anywhere_tiles_us},
    {"hanging_box", &CostConstants::hanging_box},
    {"epilogue_cooperative_cycles", &CostConstants::epilogue_cooperative_cycles},
    {"epilogue_pingpong_cycles", &CostConstants::epilogue_pingpong_cycles},
    {"epilogue_stream_k_cycles", &CostConstants::epilogue_stream_k_cycles},
    {"chunk_write_cycles", &CostConstants::chunk_write_cycles},
    {"chunk_latency_cycles", &CostConstants::chunk_latency_cycles},
    {"half_sectors", &CostConstants::half_sectors},
    {"whole_sectors", &CostConstants::whole_sectors},
    {"half_sector_cycles", &CostConstants::half_sector_cycles},
    {"exchange_cycles", &CostConstants::exchange_cycles},
    {"exchange_fixed_cycles", &CostConstants::exchange_fixed_cycles},
    {"scatter_fixed_cycles", &CostConstants::scatter_fixed_cycles},
    {"scatter_kib_cycles", &CostConstants::scatter_kib_cycles},
    {"split_fixed_cycles", &CostConstants::split_fixed_cycles},
    {"parallel_fixed_cycles", &CostConstants::parallel_fixed_cycles},
    {"parallel_kib_cycles", &CostConstants::parallel_kib_cycles},
    {"split_kib_cycles", &CostConstants::split_kib_cycles},
    {"even_steps", &CostConstants::even_steps},
    {"transposed_bytes_per_us", &CostConstants::transposed_bytes_per_us},
    {"uneven", &CostConstants::uneven},
    {"power_exponent", &CostConstants::power_exponent},
    {"power_flop_per_us", &CostConstants::power_flop_per_us},
    {"power_memory_bytes_per_us", &CostConstants::power_memory_bytes_per_us},
    {"power_l2_bytes_per_us", &CostConstants::power_l2_bytes_per_us},
    {"power_intake_bytes_per_us", &CostConstants::power_intake_bytes_per_us},
    {"power_of_cycles", &CostConstants::power_of_cycles},
    {"memory_efficiency", &CostConstants::memory_efficiency},
    {"l2_bytes_per_us", &CostConstants::l2_bytes_per_us},
};

// By device; `gemm calibrate` fits them.
inline constexpr dispatch::DeviceConstants<CostConstants> kCosts[] = {
    {"NVIDIA H200", {}},
    {"NVIDIA H100",
     {.cluster_us = 0.329,
      .wide_cluster_us = 0.05,
      .intake_bytes_per_clock = 110,
      .l2_bytes_per_clock = 12500,
      .two_line_row_cycles = 2.2,
      .five_sector_row_cycles = 3.75,
      .load_latency_cycles = 2290,
      .epilogue_cooperative_cycles = 5280,
      .epilogue_pingpong_cycles = 1560,
      .epilogue_stream_k_cycles = 3920,
      .exchange_cycles = 6380,
      .exchange_fixed_cycles = 2700,
      .scatter_fixed_cycles = 5690,
      .scatter_kib_cycles = 127,
      .split_fixed_cycles = 1400,
      .split_kib_cycles = 63.1,
      .even_steps = 0.953,
      .uneven = 0.974,
      .power_exponent = 0.406,
      .power_flop_per_us = 5.65e8,
      .power_memory_bytes_per_us = 6.01e6,
      .power_l2_bytes_per_us = 6.4e7,
      .power_intake_bytes_per_us = 2.94e8,
      .power_of_cycles = 0.375,
      .memory_efficiency = 0.819,
      .l2_bytes_per_us = 2.3e8}},
};

inline const CostConstants& CostOf(const dispatch::Device& device) {
  return dispatch::ConstantsFor(kCosts, device);
}

}  // namespace gemm::hopper
