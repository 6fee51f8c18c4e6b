"""How the emulator is compiled."""

EMULATOR_COPTS = [
    # A product and a sum are rounded one by one, also where the host has a fused instruction.
    "-ffp-contract=off",
    # Registers are bytes that one instruction reads as float and the next as an integer.
    "-fno-strict-aliasing",
]
