"""precompiled_header: headers that many files include, parsed once.

A target `name` makes the header `<package>/<name>.h`, which includes `headers` and `own_headers`, and what the compiler makes of it
(`<name>.h.gch`). Whoever depends on it compiles with `-include <package>/<name>.h` and the flags in `copts`: the compiler
then reads the second file instead of the first. With other flags it reads the first, which is slow but right.

Files include what they use, as if there was no such header.
"""

load("@rules_cc//cc:find_cc_toolchain.bzl", "CC_TOOLCHAIN_TYPE", "find_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

# What files of every kind include.
STANDARD_HEADERS = [
    "algorithm",
    "array",
    "atomic",
    "chrono",
    "cmath",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "deque",
    "functional",
    "limits",
    "map",
    "memory",
    "mutex",
    "new",
    "numeric",
    "optional",
    "set",
    "span",
    "sstream",
    "string",
    "string_view",
    "thread",
    "tuple",
    "unordered_map",
    "utility",
    "variant",
    "vector",
]

def _precompile(ctx, header):
    """Declares the compilation of the header; returns its output."""
    toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(ctx = ctx, cc_toolchain = toolchain)
    context = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    options = ctx.fragments.cpp
    precompiled = ctx.actions.declare_file(header.basename + ".gch")
    variables = cc_common.create_compile_variables(
        cc_toolchain = toolchain,
        feature_configuration = features,
        include_directories = context.includes,
        output_file = precompiled.path,
        preprocessor_defines = context.defines,
        quote_include_directories = context.quote_includes,
        source_file = header.path,
        system_include_directories = context.system_includes,
        use_pic = True,  # .bazelrc: --force_pic
        user_compile_flags = options.copts + options.cxxopts + ctx.attr.copts + [
            "-x",
            "c++-header",
            # GCC keeps in its output what the header was made of, for -fpch-deps, only where it also writes this file.
            "-MD",
            "-MF",
            precompiled.path + ".d",
        ],
    )
    compile = {"action_name": "c++-compile", "feature_configuration": features}
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(**compile),
        arguments = cc_common.get_memory_inefficient_command_line(variables = variables, **compile),
        env = cc_common.get_environment_variables(variables = variables, **compile),
        inputs = depset([header], transitive = [context.headers, toolchain.all_files]),
        outputs = [precompiled],
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling %s" % header.short_path,
    )
    return precompiled

def _precompiled_header_impl(ctx):
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.write(header, "".join(
        ["#include <%s>\n" % name for name in ctx.attr.headers] +
        ['#include "%s"\n' % name for name in ctx.attr.own_headers],
    ))

    # With AddressSanitizer GCC 12 has internal errors in files of another -O (2026-11-22): there the header is read.
    sanitized = [flag for flag in ctx.fragments.cpp.copts if flag.startswith("-fsanitize")]
    precompiled = [] if sanitized else [_precompile(ctx, header)]
    own = CcInfo(compilation_context = cc_common.create_compilation_context(
        headers = depset([header] + precompiled),
        quote_includes = depset([ctx.bin_dir.path]),
    ))
    return [
        DefaultInfo(files = depset([header] + precompiled)),
        cc_common.merge_cc_infos(cc_infos = [own] + [dep[CcInfo] for dep in ctx.attr.deps]),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "headers": attr.string_list(mandatory = True),
        "own_headers": attr.string_list(),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = [CC_TOOLCHAIN_TYPE],
)
