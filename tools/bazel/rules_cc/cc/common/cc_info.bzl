"""As in rules_cc: where a rule finds CcInfo."""

load(":builtin.bzl", "builtin_cc_info")

CcInfo = builtin_cc_info
