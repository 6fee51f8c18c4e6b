"""What the kernel rule needs to know of a CUDA toolkit."""

CudaToolkitInfo = provider(
    doc = "A CUDA toolkit on this machine.",
    fields = {
        "absent": "Why there is none, or empty.",
        "front_end": "Absolute path of nvcc or of libnvrtc.",
        "front_end_kind": "nvcc or nvrtc.",
        "include_dirs": "Absolute include folders that the front end does not know by itself.",
        "ptxas": "Absolute path of ptxas.",
        "stamp": "A file that changes when the toolkit does.",
        "version": "major.minor",
    },
)

def _cuda_toolkit_impl(ctx):
    return [CudaToolkitInfo(
        absent = ctx.attr.absent,
        front_end = ctx.attr.front_end,
        front_end_kind = ctx.attr.front_end_kind,
        include_dirs = ctx.attr.include_dirs,
        ptxas = ctx.attr.ptxas,
        stamp = ctx.file.stamp,
        version = ctx.attr.version,
    )]

cuda_toolkit = rule(
    implementation = _cuda_toolkit_impl,
    doc = "Instantiated by the repositories @cuda and @cuda12 only.",
    attrs = {
        "absent": attr.string(),
        "front_end": attr.string(),
        "front_end_kind": attr.string(values = ["nvcc", "nvrtc"]),
        "include_dirs": attr.string_list(),
        "ptxas": attr.string(),
        "stamp": attr.label(allow_single_file = True),
        "version": attr.string(),
    },
)
