"""Hopper kernels of an N-major B, which comes in boxes of 64 columns, with one mistake each, and as they are."""

load(":mutant.bzl", "hopper_mutant")

_SOURCE = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kn, false, true, kCooperative, 128, 112, 6, 2, 2)\n'

# Tiles of 112 columns, of which the last boxes bring 16 too many; two or three of them beside one another for a cluster, and a last step of 40 k.
def _boxes(*mistake):
    return hopper_mutant(_SOURCE, "hopper_bf16_kn_128x112x64_s6_c2x2", "136 328 488 b=r in=bf16 fill=integers", 4, mistake)

BOXES_KERNELS = {
    "none_boxes": _boxes(None, "", "", []),
}

BOXES_MUTANTS = {
    "last_box_announced_as_wide_as_the_tile": _boxes(
        "hopper/producer.cuh",
        "LoadedRows<C::kBTransposed>(tile_.column, params_.n, C::kBRows)",
        "LoadedRows<C::kBTransposed>(tile_.column, params_.n, C::kTileN)",
        ["deadlock"],
    ),
    "last_box_left_out": _boxes(
        "hopper/producer.cuh",
        "LoadOperand<C::kBTransposed, C::kBRows, Multicast>",
        "LoadOperand<C::kBTransposed, C::kTileN, Multicast>",
        ["deadlock"],
    ),
    "last_boxes_announced_with_all_their_k": _boxes(
        "hopper/producer.cuh",
        "const unsigned of_row = ragged ? params_.last_slices",
        "const unsigned of_row = false ? params_.last_slices",
        ["deadlock"],
    ),
    "last_boxes_a_slice_short": _boxes(
        "hopper/main_loop.cuh",
        "if (static_cast<unsigned>(k) >= slices) break;",
        "if (static_cast<unsigned>(k) + 1 >= slices) break;",
        ["wrong result"],
    ),
}
