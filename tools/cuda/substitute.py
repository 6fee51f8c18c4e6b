#!/usr/bin/env python3
"""usage: substitute.py IN OUT OLD NEW [OLD NEW...]

Replaces strings in a file, one after the other. Each has to be there.
"""
import sys


def main(source, output, strings):
    with open(source, encoding="utf-8") as file:
        text = file.read()
    for old, new in zip(strings[::2], strings[1::2]):
        if old not in text:
            sys.exit(f"substitute: {source} has no {old!r}")
        text = text.replace(old, new)
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) < 5 or len(sys.argv) % 2 == 0:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
