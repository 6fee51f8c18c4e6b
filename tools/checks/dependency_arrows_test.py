#!/usr/bin/env python3
"""The workspace follows the arrows, and the checker reports each kind of violation in a made-up tree."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import dependency_arrows  # noqa: E402

# path, content, what must be reported (None: nothing)
CASES = [
    ("common/problem/a.h", '#include "common/base/math.h"\n#include <vector>\n', None),
    ("common/base/a.h", '#include "common/problem/problem.h"', "common/base must not depend on common/problem"),
    ("common/problem/a.h", '#include "common/dispatch/kernel.h"', "common/problem must not depend on common/dispatch"),
    ("common/dispatch/a.h", '#include "common/driver/driver.h"\n#include "gemm/gemm.h"', None),
    ("common/dispatch/a.h", '#include "common/api/plan.h"', "common/dispatch must not depend on common/api"),
    ("common/dispatch/a.cc", '#include "hopper/kernels.h"', "common/dispatch must not depend on hopper"),
    ("common/dispatch/a.cc", '#include "common/correction/correction.h"', "common/dispatch must not depend on common/correction"),
    ("common/correction/a.h", '#include "common/dispatch/kernel.h"', None),
    ("common/correction/a.cc", '#include "hopper/cost.h"', "common/correction must not depend on hopper"),
    ("ampere/few/a.cc", '#include "common/correction/correction.h"', None),
    ("hopper/a.cc", '#include "common/correction/correction.h"', None),
    ("common/driver/a.h", '#include "common/dispatch/kernel.h"', "common/driver must not depend on common/dispatch"),
    ("common/driver/a.h", '#include "common/problem/problem.h"', "common/driver must not depend on common/problem"),
    ("common/device/a.cuh", '#include "common/driver/driver.h"', "common/device must not depend on common/driver"),
    ("common/device/a.cuh", '#include "hopper/tile.cuh"', "common/device must not depend on hopper"),
    ("common/api/a.cc", '#include "common/driver/driver.h"\n#include "common/dispatch/kernel.h"', None),
    ("common/api/a.cc", '#include "ampere/kernels.h"', "common/api must not depend on ampere"),
    ("hopper/a.cu", '#include "common/device/ptx/wgmma.cuh"', None),
    ("hopper/a.cc", '#include "common/dispatch/kernel.h"\n#include "hopper/kernels.h"', None),
    ("hopper/a.cu", '#include "ampere/tile.cuh"', "hopper must not depend on ampere"),
    ("ampere/a.cu", '#include "hopper/tile.cuh"', "ampere must not depend on hopper"),
    ("ampere/a.cu", '#include "common/simt/tile.cuh"', "ampere must not depend on common/simt"),
    ("common/simt/a.cu", '#include "ampere/tile.cuh"', "common/simt must not depend on ampere"),
    ("hopper/a.cc", '#include "tests/support/oracle.h"', "hopper must not depend on tests"),
    ("common/base/a.cc", '#include "tools/io/npy.h"', "common/base must not depend on tools"),
    ("tests/a.cc", '#include "hopper/tile.h"\n#include "tools/io/npy.h"', None),
    ("include/gemm/a.h", '#include "gemm/types.h"\n#include <cstdint>', None),
    ("include/gemm/a.h", "#include <cuda.h>", "no CUDA header"),
    ("include/gemm/a.h", '#include "cuda_fp16.h"', "no CUDA header"),
    ("include/gemm/a.h", "#include <cuda/std/cstdint>", "no CUDA header"),
    ("include/gemm/a.h", '#include "common/base/status.h"', "include/gemm must not depend on common/base"),
    ("common/driver/a.cc", "#include <cuda_runtime.h>", "does not use the CUDA runtime"),
    ("common/driver/a.cc", "#include <cuda.h>", None),
    ("hopper/a.cc", '#include "hopper/gemm.cu"', "a .cu file is compiled, never included"),
    ("tests/a.cc", '#include "hopper/gemm.cu"', "a .cu file is compiled, never included"),
    ("hopper/a.cuh", "#include <type_traits>", "has no such header"),
    ("hopper/a.cu", "#include <cstdint>", "has no such header"),
    ("hopper/a.cuh", "#include <cuda/std/type_traits>\n#include <cuda_fp16.h>\n#include <mma.h>", None),
    ("hopper/a.cuh", "#ifdef __CUDACC__\n#include <cuda/std/cstdint>\n#else\n#include <cstdint>\n#endif", None),
    (
        "hopper/a.cuh",
        "#ifdef __CUDACC__\n#include <cuda/std/cstdint>\n#else\n#endif\n#include <cstdint>",
        "hopper/a.cuh:5: includes cstdint: NVRTC",
    ),
    ("hopper/a.cc", "#include <cstdint>", None),
    ("tools/a.cu", "#include <cstdint>", None),
    ("hopper/a.cu", '__device__ void f() { asm volatile("bar.sync 0;"); }', "inline assembly"),
    ("hopper/a.cuh", 'void f() {\n  asm(\n"nop;"); }', "hopper/a.cuh:2: inline assembly"),
    ("tests/a.cc", 'void f() { __asm__ __volatile__("nop"); }', "inline assembly"),
    ("common/device/ptx/a.cuh", 'void f() { asm volatile("nop;"); }', None),
    ("hopper/a.cu", '// asm("nop") as in #include "ampere/tile.cuh"\n/*\n#include "ampere/tile.cuh"\n*/', None),
    ("hopper/a.cu", 'const char* s = "asm(\\"nop\\") // ";', None),
    ("common/new/a.h", "", "lies in no package"),
    ("new/a.h", "", "lies in no package"),
    ("examples/a.cc", '#include "gemm/gemm.h"', None),
    ("examples/a.cc", '#include "common/base/math.h"', "examples must not depend on common/base"),
]


class DependencyArrowsTest(unittest.TestCase):
    def test_workspace(self):
        source = os.path.realpath(dependency_arrows.__file__)
        root = os.path.dirname(os.path.dirname(os.path.dirname(source)))
        violations, count = dependency_arrows.check(root)
        self.assertEqual(violations, [])
        self.assertGreater(count, 5)

    def test_each_kind_of_violation_is_reported(self):
        for path, content, expected in CASES:
            with self.subTest(path=path, content=content), tempfile.TemporaryDirectory() as root:
                file = os.path.join(root, path)
                os.makedirs(os.path.dirname(file))
                with open(file, "w", encoding="utf-8") as stream:
                    stream.write(content)
                violations, count = dependency_arrows.check(root)
                self.assertEqual(count, 1)
                if expected is None:
                    self.assertEqual(violations, [])
                else:
                    self.assertEqual(len(violations), 1, violations)
                    self.assertIn(expected, violations[0])

    def test_kernels_without_a_codegen_test(self):
        kernels = 'cuda_kernels(\n    name = "%s",\n)\n'
        files = [
            ("hopper/BUILD", kernels % "seen" + kernels % "forgotten"),
            ("hopper/a.cc", ""),
            ("ladder/simt/BUILD", "ladder_" + (kernels % "rung").removeprefix("cuda_")),
            ("ladder/simt/a.cc", ""),
            ("tools/cuda/BUILD", kernels % "testdata"),
            ("tests/codegen/BUILD", 'codegen_test(\n    kernels = "//hopper:seen",\n)\n'),
        ]
        with tempfile.TemporaryDirectory() as root:
            for path, content in files:
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as stream:
                    stream.write(content)
            violations, _ = dependency_arrows.check(root)
            expected = "%s/BUILD:1: tests/codegen/BUILD has no codegen_test of //%s"
            self.assertEqual(violations, [expected % ("hopper", "hopper:forgotten"), expected % ("ladder/simt", "ladder/simt:rung")])

    def test_include_beside_the_file(self):
        with tempfile.TemporaryDirectory() as root:
            for path, content in [("hopper/a.cu", '#include "../ampere/b.cuh"'), ("ampere/b.cuh", "")]:
                os.makedirs(os.path.join(root, os.path.dirname(path)))
                with open(os.path.join(root, path), "w", encoding="utf-8") as stream:
                    stream.write(content)
            violations, _ = dependency_arrows.check(root)
            self.assertEqual(violations, ["hopper/a.cu:1: includes ../ampere/b.cuh: hopper must not depend on ampere"])


if __name__ == "__main__":
    unittest.main()
