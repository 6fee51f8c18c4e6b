"""As in rules_cc: where a rule finds cc_common."""

load(":builtin.bzl", "builtin_cc_common")

cc_common = builtin_cc_common
