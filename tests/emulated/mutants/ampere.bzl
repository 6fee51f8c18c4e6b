"""The Ampere kernel with one mistake each, and as it is."""

load(":mutant.bzl", "mutant")

_AMPERE = '#include "ampere/kernel.cuh"\nGEMM_AMPERE_KERNEL(kk, bf16, k, k, aligned, 64, 64, 64, 2, 2, 4, 2)\n'
_AMPERE_CASE = "136 136 456 in=bf16 fill=integers"

# A kernel whose CTAs compute several tiles.
_TILES = '#include "ampere/kernel.cuh"\nGEMM_AMPERE_KERNEL(kk, bf16, k, k, aligned, 128, 256, 64, 2, 4, 3, 1)\n'
_TILES_CASE = "136 264 200 in=bf16 fill=integers"

def _ampere(file, find, replace, caught_as, nth = 1, count = 1, case = _AMPERE_CASE):
    tiles = case == _TILES_CASE
    return mutant(
        source = _TILES if tiles else _AMPERE,
        suite = "ampere",
        row = "ampere_bf16_kk_128x256x64_s3" if tiles else "ampere_bf16_kk_64x64x64_s4",
        case = case,
        arch = "compute_80",
        file = file,
        find = find,
        replace = replace,
        caught_as = caught_as,
        nth = nth,
        count = count,
    )

AMPERE_KERNELS = {
    "none_ampere": _ampere(None, "", "", []),
    "none_ampere_tiles": _ampere(None, "", "", [], case = _TILES_CASE),
}

AMPERE_MUTANTS = {
    # cp.async.
    "copy_waited_for_one_tile_late": _ampere(
        "ampere/pipeline.cuh",
        "device::ptx::CpAsyncWait<kAhead - 1>();",
        "device::ptx::CpAsyncWait<kAhead>();",
        ["unwaited copy"],
    ),
    "no_barrier_after_the_wait": _ampere(
        "ampere/pipeline.cuh",
        "    device::ptx::CpAsyncWait<kAhead - 1>();\n    __syncthreads();\n",
        "    device::ptx::CpAsyncWait<kAhead - 1>();\n",
        ["unwaited copy"],
    ),
    "copy_into_the_stage_being_read": _ampere(
        "ampere/pipeline.cuh",
        "write_stage_ = kAhead;",
        "write_stage_ = 0;",
        ["unwaited copy"],
    ),
    "staging_over_unread_fragments": _ampere(
        "ampere/pipeline.cuh",
        "      near_end();\n    }\n    __syncthreads();\n",
        "      near_end();\n    }\n",
        ["race"],
        case = "136 136 304 in=bf16 fill=integers",  # the last tile lies where the staging begins
    ),
    "wrong_swizzle_of_the_fragments": _ampere(
        "ampere/consumer.cuh",
        "offset ^ (i << 5)",
        "offset + (i << 5)",
        ["unwaited copy"],
    ),
    "staging_read_before_all_lanes_wrote": _ampere(
        "ampere/epilogue.cuh",
        "      StagePart<0>(sums, first, staging);\n      __syncwarp();\n",
        "      StagePart<0>(sums, first, staging);\n",
        ["race"],
    ),
    "writes_past_the_last_row": _ampere(
        "ampere/epilogue.cuh",
        "if (first + row >= rows_left_ || col >= cols_left_) continue;",
        "if (first + row > rows_left_ || col >= cols_left_) continue;",
        ["out of bounds"],
    ),
    # A CTA that computes several tiles.
    "staging_over_the_next_tiles_copies": _ampere(
        "ampere/config.h",
        "Config::kPersistent ? Ring<Config>::kBytes - Ring<Config>::kBytes / Config::kStages : 0;",
        "0;",
        ["race", "unwaited copy"],
        case = _TILES_CASE,
    ),
    "copies_over_fragments_of_the_tile_before": _ampere(
        "ampere/pipeline.cuh",
        "      near_end();\n    }\n    __syncthreads();\n",
        "      near_end();\n    }\n",
        ["race", "unwaited copy"],
        case = _TILES_CASE,
    ),
}
