"""How the emulator is compiled."""

# Registers are bytes that one instruction reads as float and the next as an integer.
EMULATOR_COPTS = ["-fno-strict-aliasing"]
