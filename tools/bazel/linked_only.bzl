"""linked_only: a library to link, without its headers.

Bazel puts every header that a file may include beside it, one link each. A library that uses many in its own files only, such as
the 530 of Eigen, is wrapped by this where others depend on it: a second cc_library has the headers that they do include.
"""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

def _linked_only_impl(ctx):
    return [CcInfo(linking_context = ctx.attr.library[CcInfo].linking_context)]

linked_only = rule(
    implementation = _linked_only_impl,
    attrs = {"library": attr.label(mandatory = True, providers = [CcInfo])},
    provides = [CcInfo],
)
