#!/usr/bin/env python3
"""usage: dependency_arrows.py [ROOT]

Checks that the #includes below ROOT (default: the workspace this file is in) follow the arrows of docs/design.md, and a
few rules of the same kind that a BUILD file cannot express. Prints one line per violation; exit code 1 if there is one.
"""
import os
import re
import sys

# Who may include whom. A package always may include itself. `tests` and `tools` may include everything.
API = "include/gemm"
BACKEND = {API, "common/base", "common/problem", "common/driver", "common/dispatch", "common/device"}
ARROWS = {
    API: set(),
    "common/base": {API},
    "common/problem": {API, "common/base"},
    "common/driver": {API, "common/base"},
    "common/device": {API, "common/base"},
    "common/dispatch": {API, "common/base", "common/problem", "common/driver"},
    "common/api": {API, "common/base", "common/problem", "common/driver", "common/dispatch"},
    "common/correction": {API, "common/base", "common/problem", "common/dispatch"},
    "common/simt": BACKEND,
    "ampere": BACKEND | {"common/correction"},
    "hopper": BACKEND | {"common/correction"},
    "examples": {API},
    "ladder": {API, "common/base", "common/driver", "common/device", "common/dispatch", "tests", "tools"},
    # Knows nothing of libgemm.
    "tools/emulator": set(),
    "tests": None,
    "tools": None,
}
TOP_FOLDERS = tuple(sorted({package.split("/")[0] for package in ARROWS}))
EXTENSIONS = (".h", ".cuh", ".inc", ".c", ".cc", ".cu")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
CUDA_HEADER = re.compile(r"^(cuda|nv|cub|thrust|cooperative_groups|mma|nvrtc|vector_types|device_)")
CUDART_HEADER = re.compile(r"^(cuda_runtime|cuda_runtime_api|cuda_device_runtime_api|driver_types)\.h$")
# What the host's compiler alone reads of a header that both compilers read.
HOST_PART = re.compile(r"^#ifdef __CUDACC__$.*?^#else$(.*?)^#endif", re.MULTILINE | re.DOTALL)
ASM = re.compile(r"\b(asm|__asm|__asm__)\b\s*(volatile|__volatile__)?\s*\(")
CODEGEN = "tests/codegen/BUILD"
CUDA_KERNELS = re.compile(r'^(?:cuda|ladder)_kernels\(\s*name = "([^"]+)"', re.MULTILINE)
# Comments and literals, which may talk of anything. Literals come first in the alternation: `"//"` is no comment.
NOT_CODE = re.compile(
    r"""R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/""", re.DOTALL
)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def package_of(path):
    """The key of ARROWS that `path` lies in, or None."""
    matches = [package for package in ARROWS if path.startswith(package + "/")]
    return max(matches, key=len) if matches else None


def blank(match):
    return "\n" * match.group(0).count("\n") if not match.group(0).startswith(('"', "'", "R")) else '""'


def workspace_path(root, including, name):
    """Where an include leads, relative to the root; None when it leads out of the workspace."""
    if name.startswith("gemm/"):
        return "include/" + name
    if name.startswith(tuple(folder + "/" for folder in TOP_FOLDERS)):
        return name
    beside = os.path.normpath(os.path.join(os.path.dirname(including), name))
    return beside if os.path.exists(os.path.join(root, beside)) else None


def check_file(root, path):
    text = read(os.path.join(root, path))
    package = package_of(path)
    if package is None:
        yield 1, "lies in no package that tools/checks/dependency_arrows.py knows; add it to ARROWS"
        return
    # Includes are read with literals kept (their names are literals) but without comments.
    code = NOT_CODE.sub(lambda m: m.group(0) if m.group(0)[0] in "\"'R" else blank(m), text)
    host_parts = [match.span(1) for match in HOST_PART.finditer(code)]
    for match in INCLUDE.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        name = match.group(2)
        target = workspace_path(root, path, name)
        if target is None:
            if package == API and CUDA_HEADER.match(name):
                yield line, f"includes {name}: the public headers include no CUDA header"
            if ARROWS[package] is not None and CUDART_HEADER.match(name):
                yield line, f"includes {name}: libgemm does not use the CUDA runtime"
            device_code = path.endswith((".cu", ".cuh")) and not any(a <= match.start() < b for a, b in host_parts)
            if ARROWS[package] is not None and device_code and not CUDA_HEADER.match(name):
                yield line, f"includes {name}: NVRTC, which builds for CUDA 12, has no such header; libcu++ has <cuda/std/...>"
            continue
        if target.endswith(".cu"):
            yield line, f"includes {name}: a .cu file is compiled, never included"
        other = package_of(target)
        allowed = ARROWS[package]
        if other == package or allowed is None:
            continue
        if other not in allowed:
            what = other or "an unknown package"
            yield line, f"includes {name}: {package} must not depend on {what}"
    if not path.startswith("common/device/ptx/"):
        stripped = NOT_CODE.sub(blank, text)
        for match in ASM.finditer(stripped):
            line = stripped.count("\n", 0, match.start()) + 1
            yield line, "inline assembly outside common/device/ptx"


def top_folders(root):
    """The folders of the workspace, those that ARROWS does not know included; what builds leave there is not."""
    for entry in sorted(os.scandir(root), key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith((".", "bazel-", "gpu_bundle")):
            yield entry.name


def source_files(root):
    for top in top_folders(root):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(files):
                if name.endswith(EXTENSIONS):
                    yield os.path.relpath(os.path.join(folder, name), root)


def check_codegen(root):
    """What ptxas made of a backend's kernels is tested: every target of cuda_kernels or ladder_kernels has a line in tests/codegen/BUILD."""
    tested = read(os.path.join(root, CODEGEN))
    for top in top_folders(root):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders.sort()
            package = os.path.relpath(folder, root)
            if "BUILD" not in files or top in ("tests", "tools"):
                continue
            for name in CUDA_KERNELS.findall(read(os.path.join(folder, "BUILD"))):
                if f'"//{package}:{name}"' not in tested:
                    yield f"{package}/BUILD:1: {CODEGEN} has no codegen_test of //{package}:{name}"


def check(root):
    """All violations, as `path:line: sentence`, and the number of files read."""
    violations = []
    count = 0
    for path in source_files(root):
        count += 1
        violations += [f"{path}:{line}: {sentence}" for line, sentence in check_file(root, path)]
    violations += check_codegen(root) if os.path.exists(os.path.join(root, CODEGEN)) else []
    return violations, count


def main():
    # realpath: a test runs a link to this file, in a folder that holds nothing else of the workspace.
    here = os.path.dirname(os.path.realpath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(here))
    violations, count = check(root)
    for violation in violations:
        print(violation)
    print(f"{count} files, {len(violations)} violations")
    return 1 if violations or not count else 0


if __name__ == "__main__":
    sys.exit(main())
