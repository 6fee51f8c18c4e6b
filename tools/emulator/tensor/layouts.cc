#include "tools/emulator/tensor/layouts.h"

namespace emu {

int LaneElements(Role role, const Shape& shape) {
  switch (role) {
    case Role::kA:
      return shape.m * shape.k / 32;
    case Role::kB:
      return shape.k * shape.n / 32;
    default:
      return shape.m * shape.n / 32;
  }
}

// The tables of the ISA differ in how many elements fit into a register (one of f64, f32 and tf32) and are otherwise one:
// lanes are 8 groups of 4, a register holds neighbours along k, the four lanes of a group hold the next neighbours.
// Registers of A alternate between rows `group` and `group + 8`, then go on along k.
Position ElementAt(Role role, const Shape& shape, Element type, int lane, int i) {
  const int group = lane >> 2, in_group = lane & 3;
  if (role == Role::kC) {
    return {group + 8 * (i / 2 % 2), in_group * 2 + i % 2 + 8 * (i / 4)};
  }
  const int bits = BitsOf(type);
  const int packed = bits >= 32 ? 1 : 32 / bits;  // elements in a register
  const int reg = i / packed;
  const int along = in_group * packed + i % packed;
  if (role == Role::kB) return {along + reg * 4 * packed, group};
  if (shape.m == 8) return {group, along + reg * 4 * packed};
  return {group + 8 * (reg % 2), along + reg / 2 * 4 * packed};
}

Position ElementAtM8N8K4(Role role, bool row_major, Element type, int lane, int i) {
  const int high = lane < 16 ? 0 : 4;
  switch (role) {
    case Role::kA:
      return row_major ? Position{lane % 4 + high, i} : Position{i % 4 + high, lane % 4};
    case Role::kB:
      return row_major ? Position{lane % 4, i + high} : Position{i, lane % 4 + high};
    default:
      if (type == Element::kF16) return {lane % 4 + high, i};
      return {(lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)};
  }
}

}  // namespace emu
