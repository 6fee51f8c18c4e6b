"""The second kernel where B's rows are dealt to classes, with one mistake each, and as it is."""

load(":mutant.bzl", "hopper_mutant")

_ADD_CLASSES = '#include "hopper/add_classes.cu"\n'

# Eight classes of 26 rows, one tile each in two parts, tails in both directions; what is left of K are seven elements at both its ends.
_SEVEN_LEFT = "40 208 1007 in=bf16 beta=2 cmode=distinct fill=integers"

# The same with 24.
_MANY_LEFT = "40 208 1003 in=bf16 fill=integers"

# At which the last of three kernels is ahead of the second (mutant.bzl).
_SEEDS_WITH_EARLY_STARTS = [5, 7, 11]

def _classes(*mistake, case = _SEVEN_LEFT, **seeds):
    return hopper_mutant(_ADD_CLASSES, "hopper_bf16_kk_64x104x64_s10_c1x1_pk_classes", case, 16, mistake, **seeds)

def _transposed(*mistake):
    return hopper_mutant(_ADD_CLASSES, "hopper_bf16_kk_128x80x64_s8_c1x1_pk_t_classes", _SEVEN_LEFT, 16, mistake)

CLASSES_KERNELS = {
    "none_add_classes": _classes(None, "", "", []),
    "none_add_classes_many_left": _classes(None, "", "", [], case = _MANY_LEFT),
    "none_add_classes_transposed": _transposed(None, "", "", []),
}

CLASSES_MUTANTS = {
    "classes_end_of_k_left_out": _classes(
        "hopper/add_classes.cu",
        "i < begin_ ? i : i + k_.taken",
        "i",
        ["wrong result"],
    ),
    "classes_begin_alike": _classes(
        "hopper/add_classes.cu",
        "begin_(params.k.first + of_class * params.k.step)",
        "begin_(params.k.first)",
        ["wrong result"],
    ),
    "classes_one_more_than_is_left": _classes(
        "hopper/add_classes.cu",
        "i + 1 < k_.left",
        "true",
        ["wrong result", "out of bounds"],
    ),
    "classes_first_eight_that_are_left_alone": _classes(
        "hopper/add_classes.cu",
        "eight < k_.left; eight += 8",
        "eight < 8; eight += 8",
        ["wrong result"],
        case = _MANY_LEFT,
    ),
    "classes_rows_beyond_the_last": _classes(
        "hopper/add_classes.cu",
        "min(row, count - 1) * ld",
        "row * ld",
        ["out of bounds"],
    ),
    "classes_all_have_the_first_ones_rows": _classes(
        "hopper/add_classes.cu",
        "(of_b ? of_class * params.b_ld : 0)",
        "0",
        ["wrong result"],
    ),
    "classes_all_have_the_first_ones_sums": _classes(
        "hopper/add_classes.cu",
        "of_class * params.per_matrix.divisor + blockIdx.z",
        "blockIdx.z",
        ["wrong result"],
    ),
    "classes_stored_before_all_have_put_their_sums": _classes(
        "hopper/add_classes.cu",
        "  __syncthreads();\n",
        "",
        ["race", "read of unwritten shared memory"],
    ),
    "classes_added_before_the_product_has_ended": _classes(
        "hopper/add_classes.cu",
        "  gemm::device::ptx::GridDependencyWait();\n",
        "",
        ["wrong result"],
        seeds = _SEEDS_WITH_EARLY_STARTS,
    ),
    "classes_of_the_transpose_across_d": _transposed(
        "hopper/add_classes.cu",
        "transposed_ ? column : row;",
        "row;",
        ["wrong result", "out of bounds", "race"],
    ),
}
