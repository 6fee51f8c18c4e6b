"""The version of libgemm, as gemm::Version() tells it and as the archive's name and package files say."""

VERSION = "0.1.0"
