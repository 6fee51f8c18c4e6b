"""A .bzl file cannot define a name that it also reads from Bazel, so the built-in names get others first."""

builtin_cc_common = cc_common
builtin_cc_info = CcInfo
