"""Repository rules that describe the CUDA toolkits of this machine: @cuda (nvcc) and @cuda12 (NVRTC and ptxas).

The compilers stay where they are and are called by absolute path; what changes with them, path and version, is an input
of every action that calls them. Only cuda.h becomes part of the repository: host code sees the driver API and nothing
else of CUDA.
"""

_BUILD = """\
load("@libgemm//tools/cuda:toolkit.bzl", "cuda_toolkit")
load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

cuda_toolkit(
    name = "toolkit",
    absent = {absent},
    front_end = {front_end},
    front_end_kind = {kind},
    include_dirs = {include_dirs},
    ptxas = {ptxas},
    stamp = "stamp.txt",
    version = {version},
)

# cuda.h and cudaTypedefs.h of this toolkit. Use //tools/cuda:driver_headers, which follows --config=cuda12.
cc_library(
    name = "driver_headers",
    hdrs = glob(["include/*.h"]),
    includes = ["include"],
)

exports_files(["include/cuda.h"])

# Same as //tools/cuda:driver_headers.
alias(
    name = "headers",
    actual = "@libgemm//tools/cuda:driver_headers",
)
"""

def _first_existing(ctx, candidates):
    for candidate in candidates:
        path = ctx.path(candidate)
        if path.exists:
            return path
    return None

def _cuda_version(ctx, header):
    # cuda.h says `#define CUDA_VERSION 13000`.
    for line in ctx.read(header).split("\n"):
        if line.startswith("#define CUDA_VERSION"):
            number = int(line.split(" ")[2])
            return "%d.%d" % (number // 1000, number % 1000 // 10)
    return "unknown"

def _write_repository(ctx, root, kind, front_end, ptxas, include_dirs, header_dir, absent):
    version = "none"
    if not absent:
        version = _cuda_version(ctx, ctx.path(header_dir + "/cuda.h"))
        for header in ["cuda.h", "cudaTypedefs.h"]:
            if ctx.path(header_dir + "/" + header).exists:
                ctx.symlink(header_dir + "/" + header, "include/" + header)

    # The compiler's own words, because cuda.h does not carry the last number of a version.
    words = ""
    if not absent:
        words = ctx.execute([ptxas, "--version"]).stdout
    ctx.file("stamp.txt", "CUDA %s at %s\n%s" % (version, root, words))
    ctx.file("BUILD", _BUILD.format(
        absent = repr(absent),
        front_end = repr(front_end),
        include_dirs = repr(include_dirs),
        kind = repr(kind),
        ptxas = repr(ptxas),
        version = repr(version),
    ))

def _cuda_configure_impl(ctx):
    env = ctx.os.environ
    candidates = [env[name] for name in ["LIBGEMM_CUDA", "CUDA_HOME"] if env.get(name)] + ["/usr/local/cuda"]
    for root in candidates:
        header = _first_existing(ctx, [root + "/include/cuda.h", root + "/targets/x86_64-linux/include/cuda.h"])
        if header and ctx.path(root + "/bin/nvcc").exists:
            _write_repository(
                ctx,
                root,
                kind = "nvcc",
                front_end = root + "/bin/nvcc",
                ptxas = root + "/bin/ptxas",
                include_dirs = [],  # nvcc knows its own
                header_dir = str(header.dirname),
                absent = "",
            )
            return
    _write_repository(ctx, "", "nvcc", "", "", [], "", "no CUDA toolkit was found; call Bazel as ./bazelw, which installs one")

cuda_configure = repository_rule(
    implementation = _cuda_configure_impl,
    doc = "The toolkit with nvcc: $LIBGEMM_CUDA (set by ./bazelw), $CUDA_HOME, or /usr/local/cuda.",
    environ = ["LIBGEMM_CUDA", "CUDA_HOME"],
    local = True,
)

def _cuda12_configure_impl(ctx):
    root = ctx.os.environ.get("LIBGEMM_CUDA12", "")
    if not root or not ctx.path(root).exists:
        _write_repository(ctx, "", "nvrtc", "", "", [], "", "CUDA 12 is not installed; ./bazelw with --config=cuda12 installs it")
        return
    nvidia = root + "/nvidia/"
    _write_repository(
        ctx,
        root,
        kind = "nvrtc",
        front_end = nvidia + "cuda_nvrtc/lib/libnvrtc.so.12",
        ptxas = nvidia + "cuda_nvcc/bin/ptxas",
        # cuda_nvcc holds crt/, which mma.h includes.
        include_dirs = [nvidia + part + "/include" for part in ["cuda_runtime", "cuda_cccl", "cuda_nvcc"]],
        header_dir = nvidia + "cuda_runtime/include",
        absent = "",
    )

cuda12_configure = repository_rule(
    implementation = _cuda12_configure_impl,
    doc = "CUDA 12 as PyPI has it, below $LIBGEMM_CUDA12 (set by ./bazelw).",
    environ = ["LIBGEMM_CUDA12"],
    local = True,
)
