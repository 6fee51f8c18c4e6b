"""As in rules_cc: how a rule asks for the C++ toolchain."""

CC_TOOLCHAIN_TYPE = "@bazel_tools//tools/cpp:toolchain_type"

def find_cc_toolchain(ctx):
    return ctx.attr._cc_toolchain[cc_common.CcToolchainInfo]

def use_cc_toolchain():
    return [CC_TOOLCHAIN_TYPE]
