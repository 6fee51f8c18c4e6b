"""cuda_kernels: .cu files of kernels become cubins and PTX, embedded as data in a C++ library.

README.md beside this file says how to use it. In short, every .cu goes

    front end (nvcc -ptx, or NVRTC with --config=cuda12)   one action per .cu and virtual architecture; with retarget_from per .cu;
                                                           none for what is derived
    ptxas                                                  one action per .cu and real architecture
    .incbin                                                one assembly file and one table per target

The two steps that nvcc would run behind one command are separate actions here, so that an sm_90a cubin and compute_90a
PTX share the slow front end, both toolkits take the same way, and the log of ptxas is a file of its own.
"""

load("@rules_cc//cc:find_cc_toolchain.bzl", "CC_TOOLCHAIN_TYPE", "find_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load(":toolkit.bzl", "CudaToolkitInfo")

_NVCC_FLAGS = ["-std=c++17", "-O3", "--expt-relaxed-constexpr", "-ptx"]

# -default-device stands in for nvcc's --expt-relaxed-constexpr.
_NVRTC_FLAGS = ["-std=c++17", "-default-device"]

def _stem(file):
    return file.basename[:-len(".cu")]

def _compile_to_ptx(ctx, toolkit, source, arch, output, context):
    """Runs the front end: one .cu for one virtual architecture, such as compute_90a."""
    arguments = ctx.actions.args()
    if toolkit.front_end_kind == "nvcc":
        executable = ctx.executable._run_nvcc
        headers = []
        arguments.add(output)
        arguments.add(toolkit.front_end)
        arguments.add_all(_NVCC_FLAGS)

        # Not -arch=sm_90a: that may add a compute_90 pass, which knows no wgmma.
        arguments.add("-gencode", "arch=%s,code=%s" % (arch, arch))
        arguments.add(source)
        arguments.add("-o", output)
    else:
        executable = ctx.executable._run_nvrtc
        headers = ctx.files._nvrtc_include
        arguments.add(toolkit.front_end)
        arguments.add(source)
        arguments.add(output)
        arguments.add_all(_NVRTC_FLAGS)
        arguments.add("-arch=" + arch)
    arguments.add_all(context.quote_includes, format_each = "-I%s")
    arguments.add_all(context.includes, format_each = "-I%s")
    arguments.add_all(context.system_includes, format_each = "-I%s")
    arguments.add_all(toolkit.include_dirs, format_each = "-I%s")
    arguments.add_all([header.dirname for header in headers], format_each = "-I%s", uniquify = True)
    if ctx.attr.lineinfo:
        arguments.add("-lineinfo")
    arguments.add_all(context.defines, format_each = "-D%s")
    arguments.add_all(ctx.attr.defines, format_each = "-D%s")
    arguments.add_all(ctx.attr.copts)
    ctx.actions.run(
        executable = executable,
        arguments = [arguments],
        inputs = depset(
            [source, toolkit.stamp] + ctx.files.hdrs + headers,
            transitive = [context.headers],
        ),
        outputs = [output],
        mnemonic = "CudaFrontEnd",
        progress_message = "Compiling %s for %s" % (source.short_path, arch),
        use_default_shell_env = True,
    )

def _retarget(ctx, ptx, arch, output):
    """Makes PTX for `arch` of that for an older architecture."""
    ctx.actions.run(
        executable = ctx.executable._retarget,
        arguments = [ptx.path, output.path, arch],
        inputs = [ptx],
        outputs = [output],
        mnemonic = "RetargetPtx",
        progress_message = "Retargeting %s to %s" % (ptx.short_path, arch),
    )

def _derive(ctx, ptx, output):
    """Makes the PTX of a derived source of that of another."""
    strings = [string for pair in ctx.attr.substitutions.items() for string in pair]
    ctx.actions.run(
        executable = ctx.executable._substitute,
        arguments = [ptx.path, output.path] + strings,
        inputs = [ptx],
        outputs = [output],
        mnemonic = "DerivePtx",
        progress_message = "Deriving %s" % output.short_path,
    )

def _assemble_ptx(ctx, toolkit, ptx, sm, cubin, report):
    """Runs ptxas: PTX to the code of one real architecture, and what ptxas says about it into `report`."""
    arguments = ctx.actions.args()
    arguments.add(report)
    arguments.add(toolkit.ptxas)
    arguments.add("-arch=" + sm)
    arguments.add_all(["-O3", "-v"])
    if ctx.attr.lineinfo:
        arguments.add("--generate-line-info")
    arguments.add_all(ctx.attr.ptxas_opts)
    arguments.add(ptx)
    arguments.add("-o", cubin)
    ctx.actions.run(
        executable = ctx.executable._run_ptxas,
        arguments = [arguments],
        inputs = [ptx, toolkit.stamp],
        outputs = [cubin, report],
        mnemonic = "CudaPtxas",
        progress_message = "Assembling %s for %s" % (ptx.short_path, sm),
        use_default_shell_env = True,
    )

def _pack(ctx, code, base, packed):
    """Makes PTX a twentieth as long and cubins an eighth, and what is derived of its base nearly nothing.

    Most of them no machine ever reads.
    """
    inputs = [code] + ([base] if base else [])
    ctx.actions.run(
        executable = ctx.executable._pack,
        arguments = [packed.path] + [file.path for file in inputs],
        inputs = inputs,
        outputs = [packed],
        mnemonic = "PackCode",
        progress_message = "Packing %s" % packed.short_path,
    )

_CODE_BYTES = 48  # of a Code of common/driver/image.h

def _embed(ctx, codes):
    """Writes the header, the table and the assembly that pulls the bytes in."""
    name = ctx.label.name
    header = ctx.actions.declare_file(name + ".h")
    table = ctx.actions.declare_file(name + ".image.cc")
    data = ctx.actions.declare_file(name + ".image_data.S")

    ctx.actions.write(header, """\
// Generated by cuda_kernels({label}).
#ifndef {guard}
#define {guard}

#include "common/driver/image.h"

namespace gemm::images {{
extern const gemm::driver::Image {name};
}}  // namespace gemm::images

#endif  // {guard}
""".format(
        guard = "GEMM_IMAGES_%s_H_" % name.upper(),
        label = ctx.label,
        name = name,
    ))

    rows = []
    pieces = []
    index_of = {(code.source, code.target): index for index, code in enumerate(codes)}
    for index, code in enumerate(codes):
        symbol = ".L%d" % index
        rows.append("    .quad {s}_source, {s}_target, {s}_begin, {s}_end - {s}_begin, {rest}, {base}".format(
            base = "gemm_image_%s + %d" % (name, _CODE_BYTES * index_of[(code.base, code.target)]) if code.base else "0",
            rest = (1 if code.is_ptx else 0) + (1 << 8),  # is_ptx, and in the byte behind it is_packed
            s = symbol,
        ))
        pieces.append("""\
    .balign 64
{s}_begin:
    .incbin "{path}"
{s}_end:
{s}_source:
    .string "{source}"
{s}_target:
    .string "{target}"
""".format(path = code.file.path, s = symbol, source = code.source, target = code.target))

    # The table of codes is assembly too: the size of a piece is known to the assembler, but no constant to C++, and a
    # table filled before main() could be read before it is filled.
    ctx.actions.write(data, """\
// Generated by cuda_kernels({label}).
    .section .rodata.gemm_image_{name}, "a"
{pieces}
    .section .data.rel.ro.gemm_image_{name}, "aw"
    .balign 8
    .globl gemm_image_{name}
    .hidden gemm_image_{name}
gemm_image_{name}:
{rows}

    .section .note.GNU-stack, "", @progbits
""".format(label = ctx.label, name = name, pieces = "".join(pieces), rows = "\n".join(rows)))

    ctx.actions.write(table, """\
// Generated by cuda_kernels({label}).
#include <cstddef>

#include "{header}"

using gemm::driver::Code;
static_assert(sizeof(size_t) == 8 && sizeof(Code) == {code_bytes} && offsetof(Code, source) == 0 && offsetof(Code, target) == 8 &&
                  offsetof(Code, data) == 16 && offsetof(Code, size) == 24 && offsetof(Code, is_ptx) == 32 && offsetof(Code, is_packed) == 33 &&
                  offsetof(Code, base) == 40,
              "tools/cuda/cuda_kernels.bzl writes Code in assembly and has to follow its layout");

extern "C" {{
extern const Code gemm_image_{name}[];
}}

namespace gemm::images {{
constinit const gemm::driver::Image {name} = {{"{name}", gemm_image_{name}, {count}}};
}}  // namespace gemm::images
""".format(
        code_bytes = _CODE_BYTES,
        count = len(codes),
        header = header.short_path,
        label = ctx.label,
        name = name,
    ))
    return header, table, data

def _cuda_kernels_impl(ctx):
    toolkit = ctx.attr._toolkit[CudaToolkitInfo]
    if toolkit.absent:
        fail(toolkit.absent)
    if not ctx.attr.sm and not ctx.attr.ptx:
        fail("cuda_kernels needs at least one architecture in sm or ptx")
    for sm in ctx.attr.sm:
        if not sm.startswith("sm_"):
            fail("sm: got %r, expected something like sm_90a" % sm)
    for arch in ctx.attr.ptx:
        if not arch.startswith("compute_"):
            fail("ptx: got %r, expected something like compute_80" % arch)
    stems = [_stem(source) for source in ctx.files.srcs]
    for name, original in ctx.attr.derived.items():
        if name in stems or original not in stems:
            fail("derived: %r of %r, expected a new name and that of a source" % (name, original))
    for stem, base in ctx.attr.bases.items():
        if stem not in stems or base not in stems or base in ctx.attr.bases:
            fail("bases: %r against %r, expected two sources, the second without a base" % (stem, base))
    if bool(ctx.attr.derived) != bool(ctx.attr.substitutions):
        fail("derived and substitutions need each other")

    cc_toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = cc_toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    context = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    ).compilation_context

    # -I for the workspace root and the generated files, which no cc_library lists when `deps` is empty.
    context = struct(
        defines = context.defines,
        headers = context.headers,
        includes = context.includes,
        quote_includes = depset([".", ctx.bin_dir.path], transitive = [context.quote_includes]),
        system_includes = context.system_includes,
    )

    # PTX by name of the source, then by virtual architecture.
    virtual = {sm.replace("sm_", "compute_"): None for sm in ctx.attr.sm}
    virtual.update({arch: None for arch in ctx.attr.ptx})
    ptxs_of = {
        name: {arch: ctx.actions.declare_file("%s/%s.%s.ptx" % (ctx.label.name, name, arch)) for arch in virtual}
        for name in stems + ctx.attr.derived.keys()
    }
    for source in ctx.files.srcs:
        ptx_of = ptxs_of[_stem(source)]
        for arch, ptx in ptx_of.items():
            if ctx.attr.retarget_from in ["", arch]:
                _compile_to_ptx(ctx, toolkit, source, arch, ptx, context)
            else:
                _retarget(ctx, ptx_of[ctx.attr.retarget_from], arch, ptx)
    for name, original in ctx.attr.derived.items():
        for arch, ptx in ptxs_of[name].items():
            _derive(ctx, ptxs_of[original][arch], ptx)

    cubins_of = {}
    cubins = []
    reports = []
    for name, ptx_of in ptxs_of.items():
        cubins_of[name] = {}
        prefix = "%s/%s." % (ctx.label.name, name)
        for sm in ctx.attr.sm:
            cubin = ctx.actions.declare_file(prefix + sm + ".cubin")
            report = ctx.actions.declare_file(prefix + sm + ".ptxas.txt")
            _assemble_ptx(ctx, toolkit, ptx_of[sm.replace("sm_", "compute_")], sm, cubin, report)
            cubins_of[name][sm] = cubin
            cubins.append(cubin)
            reports.append(report)

    # What is derived is packed against its source.
    bases = dict(ctx.attr.derived)
    bases.update(ctx.attr.bases)
    codes = []
    for name in ptxs_of:
        base = bases.get(name)
        for target in ctx.attr.sm + ctx.attr.ptx:
            code_of = ptxs_of if target in ctx.attr.ptx else cubins_of
            packed = ctx.actions.declare_file("%s/%s.%s.zst" % (ctx.label.name, name, target))
            _pack(ctx, code_of[name][target], code_of[base][target] if base else None, packed)
            codes.append(struct(
                base = base,
                file = packed,
                is_ptx = target in ctx.attr.ptx,
                source = name,
                target = target,
            ))

    header, table, data = _embed(ctx, codes)
    image_info = ctx.attr._image[CcInfo]
    compilation_context, outputs = cc_common.compile(
        name = ctx.label.name,
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = cc_toolchain,
        srcs = [table, data],
        public_hdrs = [header],
        additional_inputs = depset([code.file for code in codes]).to_list(),
        compilation_contexts = [image_info.compilation_context],
    )
    linking_context, linking_outputs = cc_common.create_linking_context_from_compilation_outputs(
        name = ctx.label.name,
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = cc_toolchain,
        compilation_outputs = outputs,
        linking_contexts = [image_info.linking_context],
        disallow_dynamic_library = True,
    )
    library = linking_outputs.library_to_link
    archives = [file for file in [library.static_library, library.pic_static_library] if file]
    return [
        DefaultInfo(files = depset(archives)),
        CcInfo(compilation_context = compilation_context, linking_context = linking_context),
        OutputGroupInfo(
            cubin = depset(cubins),
            ptx = depset([ptx for ptx_of in ptxs_of.values() for ptx in ptx_of.values()]),
            ptxas = depset(reports),
        ),
    ]

_cuda_kernels = rule(
    implementation = _cuda_kernels_impl,
    attrs = {
        "bases": attr.string_dict(),
        "copts": attr.string_list(),
        "defines": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "derived": attr.string_dict(),
        "hdrs": attr.label_list(allow_files = True),
        "lineinfo": attr.bool(),
        "ptx": attr.string_list(),
        "ptxas_opts": attr.string_list(),
        "retarget_from": attr.string(),
        "sm": attr.string_list(),
        "srcs": attr.label_list(allow_files = [".cu"], allow_empty = False, mandatory = True),
        "substitutions": attr.string_dict(),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
        "_image": attr.label(default = "//common/driver:image"),
        "_nvrtc_include": attr.label(default = "//tools/cuda:nvrtc_include"),
        "_pack": attr.label(default = "//tools/cuda:pack", executable = True, cfg = "exec"),
        "_retarget": attr.label(default = "//tools/cuda:retarget", executable = True, cfg = "exec"),
        "_run_nvcc": attr.label(default = "//tools/cuda:run_nvcc", executable = True, cfg = "exec"),
        "_run_nvrtc": attr.label(default = "//tools/cuda:run_nvrtc", executable = True, cfg = "exec"),
        "_run_ptxas": attr.label(default = "//tools/cuda:run_ptxas", executable = True, cfg = "exec"),
        "_substitute": attr.label(default = "//tools/cuda:substitute", executable = True, cfg = "exec"),
        "_toolkit": attr.label(default = "//tools/cuda:toolkit"),
    },
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = [CC_TOOLCHAIN_TYPE],
)

def cuda_kernels(
        name,
        srcs,
        sm = ["sm_80", "sm_90a"],
        ptx = ["compute_80"],
        retarget_from = "",
        derived = {},
        substitutions = {},
        bases = {},
        deps = [],
        hdrs = [],
        defines = [],
        copts = [],
        ptxas_opts = [],
        visibility = None,
        tags = []):
    """Compiles kernels and embeds them.

    Makes `<name>` (depend on it as on a cc_library; it brings the header `<package>/<name>.h`, which declares
    `gemm::images::<name>`) and the file groups `<name>_ptxas` (what ptxas said, one file per .cu and cubin),
    `<name>_cubin` and `<name>_ptx`.

    Args:
      name: a C++ identifier, unique in the workspace.
      srcs: .cu files. Each is compiled by itself.
      sm: architectures to make cubins for.
      ptx: virtual architectures whose PTX is embedded, for cards newer than every cubin.
      retarget_from: one of the architectures, such as compute_80: the front end compiles for that one only, and the others' PTX
        is made of what comes out. For code that asks for no architecture, __CUDA_ARCH__ in headers of others included.
      derived: names of further sources that the front end does not compile, each with that of the source whose PTX becomes theirs.
      substitutions: strings and what replaces them, one after the other, in the PTX of what is derived. Each has to occur.
      bases: sources that are packed against another one, which has no base: shorter where they are alike, and unpacked after it.
      deps: cc_library targets with device headers, included relative to the workspace root.
      hdrs: further files that the .cu files include.
      defines: preprocessor definitions, without -D.
      copts: further flags for the front end; nvcc and NVRTC both must know them.
      ptxas_opts: further flags for ptxas.
      visibility: as everywhere.
      tags: as everywhere.
    """
    _cuda_kernels(
        name = name,
        srcs = srcs,
        hdrs = hdrs,
        bases = bases,
        copts = copts,
        defines = defines,
        deps = deps,
        derived = derived,
        lineinfo = select({
            "//tools/cuda:lineinfo": True,
            "//conditions:default": False,
        }),
        ptx = ptx,
        ptxas_opts = ptxas_opts,
        retarget_from = retarget_from,
        sm = sm,
        substitutions = substitutions,
        tags = tags,
        visibility = visibility,
    )
    for group in ["ptxas", "cubin", "ptx"]:
        native.filegroup(
            name = "%s_%s" % (name, group),
            srcs = [":" + name],
            output_group = group,
            tags = tags,
            visibility = visibility,
        )
