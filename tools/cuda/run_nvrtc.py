#!/usr/bin/env python3
"""usage: run_nvrtc.py LIBNVRTC SOURCE.cu OUTPUT.ptx FLAG...

Compiles one .cu to PTX with NVRTC, the only CUDA 12 front end that PyPI carries.
"""
import ctypes
import sys


def main(library, source, output, flags):
    nvrtc = ctypes.CDLL(library)
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p

    def check(status, what):
        if status != 0:
            sys.exit(f"run_nvrtc: {what}: {nvrtc.nvrtcGetErrorString(status).decode()}")

    def text(size_function, get_function):
        size = ctypes.c_size_t()
        check(size_function(program, ctypes.byref(size)), size_function.__name__)
        buffer = ctypes.create_string_buffer(size.value)
        check(get_function(program, buffer), get_function.__name__)
        return buffer.value

    with open(source, "rb") as file:
        code = file.read()
    program = ctypes.c_void_p()
    check(
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), code, source.encode(), 0, None, None),
        "nvrtcCreateProgram",
    )
    options = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
    status = nvrtc.nvrtcCompileProgram(program, len(flags), options)
    log = text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog).decode(errors="replace")
    if log.strip():
        print(log, file=sys.stderr)
    check(status, f"{source} does not compile")
    with open(output, "wb") as file:
        file.write(text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
