"""The tiled Hopper kernels that compute D's transpose, with one mistake each, and as they are."""

load(":mutant.bzl", "hopper_mutant")

_TRANSPOSED = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kCooperative, 64, 96, 10, 1, 1)\n'
_IN_RING_TRANSPOSED = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kCooperative, 192, 88, 6, 1, 2)\n'
_MORE_PANELS = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kCooperative, 64, 144, 8, 1, 1)\n'
_EIGHTS = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kCooperative, 128, 88, 7, 1, 1)\n'

# Two panels of columns; one CTA has two tiles, the other its last.
def _transposed(*mistake):
    return hopper_mutant(_TRANSPOSED, "hopper_bf16_kk_64x96x64_s10_c1x1_t", "96 136 136 in=bf16 fill=integers", 2, mistake)

# The same with an FP32 D.
def _transposed_fp32(*mistake):
    return hopper_mutant(_TRANSPOSED, "hopper_bf16_kk_64x96x64_s10_c1x1_t", "93 136 136 in=bf16 out=fp32 fill=integers", 2, mistake)

# The same launched programmatically, with weights asked for early, which are its A.
def _transposed_early(*mistake):
    return hopper_mutant(_TRANSPOSED, "hopper_bf16_kk_64x96x64_s10_c1x1_t", "96 136 456 in=bf16 fill=integers", 2, mistake)

# More panels of C than a consumer has places for them, several tiles for each CTA.
def _panels_of_c(*mistake):
    return hopper_mutant(_MORE_PANELS, "hopper_bf16_kk_64x144x64_s8_c1x1_t", "264 136 72 batch=2 in=bf16 beta=1 cmode=distinct fill=integers", 2, mistake)

# C's panels in the ring's place, of three consumers.
def _panels_of_c_in_ring(*mistake):
    return hopper_mutant(_IN_RING_TRANSPOSED, "hopper_bf16_kk_192x88x64_s6_c1x2_t", "168 184 648 in=bf16 beta=1 cmode=distinct fill=integers", 2, mistake)

# A tile's last eight columns: several tiles beside one another, each CTA with more than one.
def _eights_transposed(*mistake):
    return hopper_mutant(_EIGHTS, "hopper_bf16_kk_128x88x64_s7_c1x1_t", "272 136 136 in=bf16 fill=integers", 2, mistake)

TRANSPOSED_KERNELS = {
    "none_transposed_fp32": _transposed_fp32(None, "", "", []),
    "none_transposed": _transposed(None, "", "", []),
    "none_transposed_early": _transposed_early(None, "", "", []),
    "none_panels_of_c": _panels_of_c(None, "", "", []),
    "none_panels_of_c_in_ring": _panels_of_c_in_ring(None, "", "", []),
    "none_eights_transposed": _eights_transposed(None, "", "", []),
}

TRANSPOSED_MUTANTS = {
    "panels_sent_before_all_have_written": _transposed(
        "hopper/transposed_store.cuh",
        "      device::ptx::FenceSharedForAsync();\n      panels_.Sync();\n",
        "      device::ptx::FenceSharedForAsync();\n",
        ["overwritten in flight", "race", "read of unwritten shared memory", "missing proxy fence"],
    ),
    "last_panels_sent_before_all_have_written": _transposed(
        "hopper/transposed_store.cuh",
        "acc, panel);\n    device::ptx::FenceSharedForAsync();\n    panels_.Sync();\n",
        "acc, panel);\n    device::ptx::FenceSharedForAsync();\n",
        ["overwritten in flight", "race", "read of unwritten shared memory", "missing proxy fence"],
    ),
    "no_proxy_fence_before_panels_leave": _transposed(
        "hopper/transposed_store.cuh",
        "      device::ptx::FenceSharedForAsync();\n      panels_.Sync();\n",
        "      panels_.Sync();\n",
        ["missing proxy fence"],
    ),
    "no_proxy_fence_before_the_last_panels_leave": _transposed(
        "hopper/transposed_store.cuh",
        "acc, panel);\n    device::ptx::FenceSharedForAsync();\n    panels_.Sync();\n",
        "acc, panel);\n    panels_.Sync();\n",
        ["missing proxy fence"],
    ),
    "panels_written_over_those_that_leave": _eights_transposed(
        "hopper/transposed_store.cuh",
        "WaitStoresRead<C::kChunkBuffers - 1>();",
        "WaitStoresRead<C::kChunkBuffers>();",
        ["overwritten in flight"],
    ),
    "others_write_before_panels_have_left": _eights_transposed(
        "hopper/transposed_store.cuh",
        "      panels_.Sync();\n      WritePanel(",
        "      WritePanel(",
        ["overwritten in flight"],
    ),
    "vectors_past_the_last_column": _transposed_fp32(
        "hopper/transposed_store.cuh",
        "const int end = min(columns, params_.n - tile.column - first);\n    float* const d",
        "const int end = columns;\n    float* const d",
        ["out of bounds", "race", "wrong result"],
    ),
    "vectors_of_half_the_columns": _transposed_fp32(
        "hopper/transposed_store.cuh",
        "column < end; column += 8) {",
        "column < end; column += 16) {",
        ["wrong result"],
    ),
    "panels_of_c_not_waited_for": _panels_of_c(
        "hopper/panels_of_c.cuh",
        "      device::ptx::WaitParity(&full_[count % C::kChunkBuffers], count / C::kChunkBuffers & 1);\n",
        "",
        ["unwaited copy", "race", "read of unwritten shared memory", "barrier misuse"],
    ),
    "panel_of_c_over_one_that_others_read": _panels_of_c(
        "hopper/panels_of_c.cuh",
        "        panels_.Sync();\n",
        "",
        ["overwritten in flight", "race", "unwaited copy"],
    ),
    "panels_of_c_over_those_of_d": _panels_of_c(
        "hopper/panels_of_c.cuh",
        "      if (device::ptx::ElectOne()) {\n        device::ptx::WaitStoresRead<0>();\n",
        "      if (device::ptx::ElectOne()) {\n",
        ["overwritten in flight"],
    ),
    "panels_of_c_not_asked_for": _panels_of_c_in_ring(
        "hopper/panels_of_c.cuh",
        "panel < min(C::kChunkBuffers, kPanels); ++panel) Load(tile, panel);",
        "panel < min(C::kChunkBuffers, kPanels); ++panel) {}",
        ["deadlock"],
    ),
    "last_columns_not_staged_for_the_transpose": _eights_transposed(
        "hopper/transposed_store.cuh",
        "device::ptx::StoreMatrix2Transposed(to, low, high);",
        ";",
        ["wrong result", "read of unwritten shared memory"],
    ),
    "early_a_taken_for_b": _transposed_early(
        "hopper/producer.cuh",
        "bool of_a = IsAEarly();",
        "bool of_a = false;",
        ["unwaited copy"],
    ),
    "early_a_asked_for_twice": _transposed_early(
        "hopper/producer.cuh",
        "      if (params_.early != kEarlyB) LoadA<false>(A(ragged), step);\n      if (!IsAEarly()) LoadB<false>(B(ragged), step);",
        "      LoadA<false>(A(ragged), step);\n      LoadB<false>(B(ragged), step);",
        ["unwaited copy"],
    ),
}
