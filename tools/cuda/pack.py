#!/usr/bin/env python3
"""usage: pack.py IN OUT

Packs code for embedding: the number of its bytes (8, little-endian), then a zlib stream. common/driver/unpack.h reads it.
"""
import sys
import zlib

with open(sys.argv[1], "rb") as source:
    data = source.read()
with open(sys.argv[2], "wb") as packed:
    packed.write(len(data).to_bytes(8, "little") + zlib.compress(data, 9))
