"""How the emulator is compiled."""

_FLAGS = [
    # A product and a sum are rounded one by one, also where the host has a fused instruction.
    "-ffp-contract=off",
    # Registers are bytes that one instruction reads as float and the next as an integer.
    "-fno-strict-aliasing",
]

# Nothing in alu/ looks at errno or at the host's floating point flags, which would keep loops from becoming vectors.
_ALU_FLAGS = _FLAGS + [
    "-fno-math-errno",
    "-fno-trapping-math",
]

_DRIVER_FLAGS = _FLAGS + ["-fvisibility=hidden"]

# A precompiled header serves one set of flags: tools/emulator/BUILD says what is in each.
PRECOMPILED_FLAGS = {
    "precompiled": _FLAGS,
    "precompiled_alu": _ALU_FLAGS,
    "precompiled_driver": _DRIVER_FLAGS,
    "precompiled_machine": _FLAGS,
}

def _copts(precompiled):
    return PRECOMPILED_FLAGS[precompiled] + ["-include", "tools/emulator/%s.h" % precompiled]

PTX_COPTS = _copts("precompiled")
MACHINE_COPTS = _copts("precompiled_machine")
ALU_COPTS = _copts("precompiled_alu")
DRIVER_COPTS = _copts("precompiled_driver")
