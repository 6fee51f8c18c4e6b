"""sweep_binary: gemm-sweep with the kernels of a grid."""

load("@rules_cc//cc:defs.bzl", "cc_binary")
load("//tools/cuda:cuda_kernels.bzl", "cuda_kernels")

# Shapes of a .cu file: files are compiled beside each other.
_SHAPES_OF_FILE = 6

def _write(name, out, lines, tags):
    native.genrule(
        name = name,
        outs = [out],
        cmd = "cat > $@ <<'END'\n%s\nEND" % "\n".join(lines),
        tags = tags,
    )

def sweep_binary(name, out, grid, tags = []):
    """Makes the program `out` from the shapes of `grid`: pairs of a name and the arguments of simt::RingShape."""
    kernels = name + "_kernels"
    sources = []
    table = []
    for first in range(0, len(grid), _SHAPES_OF_FILE):
        source = "%s_%d" % (name, first // _SHAPES_OF_FILE)
        sources.append(source + ".cu")
        lines = ['#include "tools/sweep/kernel.cuh"']
        for shape, arguments in grid[first:first + _SHAPES_OF_FILE]:
            parameters = ", ".join([str(argument) for argument in arguments])
            lines.append("SWEEP_SHAPE(%s, %s)" % (shape, parameters))
            table.append('    MakeShape<simt::RingShape<%s>>("%s", images::%s, "%s", "Sweep_%s_nk", "Sweep_%s_kn"),' %
                         (parameters, shape, kernels, source, shape, shape))
        _write(source + "_source", source + ".cu", lines, tags)
    _write(name + "_table", name + "_table.cc", [
        '#include "tools/sweep/%s.h"' % kernels,
        '#include "tools/sweep/shape.h"',
        "namespace gemm::sweep {",
        "using simt::kColumnsFirst;",
        "using simt::kRowsFirst;",
        "const std::vector<Shape>& Shapes() {",
        "  static const std::vector<Shape> shapes = {",
    ] + table + [
        "  };",
        "  return shapes;",
        "}",
        "}  // namespace gemm::sweep",
    ], tags)
    cuda_kernels(
        name = kernels,
        srcs = sources,
        hdrs = ["kernel.cuh"],
        sm = ["sm_90a"],
        retarget_from = "compute_80",
        tags = tags,
        deps = ["//common/simt:device_headers"],
    )
    cc_binary(
        name = out,
        srcs = [name + "_table.cc"],
        linkopts = ["-ldl"],
        tags = tags,
        deps = [
            ":" + kernels,
            ":sweep",
        ],
    )
