"""What a backend's host code stands on."""

BACKEND_DEPS = [
    "//common/base",
    "//common/device",
    "//common/device:type_number",
    "//common/dispatch",
    "//common/driver",
    "//common/problem",
    "//include/gemm:api_headers",
]
