// The fragment tables of the PTX ISA as it writes them, one function per table ("Matrix Fragments for mma.m..").
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace emu::testing {

using At = std::pair<int, int>;  // row, column
using Table = std::function<At(int lane, int i)>;

struct IsaTables {
  int m, n, k;
  int bits;                                // of an element of A and B
  int a_elements, b_elements, c_elements;  // per lane
  Table a, b, c;
};

// groupID and threadID_in_group.
inline int G(int lane) { return lane >> 2; }
inline int T(int lane) { return lane % 4; }

inline const std::vector<IsaTables>& AllIsaTables() {
  const Table c8 = [](int l, int i) { return At{G(l), T(l) * 2 + (i & 1)}; };
  const Table c16 = [](int l, int i) { return At{i < 2 ? G(l) : G(l) + 8, T(l) * 2 + (i & 1)}; };
  static const std::vector<IsaTables> tables = {
      // m8n8k4, f64
      {8, 8, 4, 64, 1, 1, 2,
       [](int l, int) {
         return At{l >> 2, l % 4};
       },
       [](int l, int) {
         return At{l % 4, l >> 2};
       },
       c8},
      // m8n8k16, s8 and u8
      {8, 8, 16, 8, 4, 4, 2,
       [](int l, int i) {
         return At{G(l), T(l) * 4 + i};
       },
       [](int l, int i) {
         return At{T(l) * 4 + i, G(l)};
       },
       c8},
      // m8n8k32, s4 and u4
      {8, 8, 32, 4, 8, 8, 2,
       [](int l, int i) {
         return At{G(l), T(l) * 8 + i};
       },
       [](int l, int i) {
         return At{T(l) * 8 + i, G(l)};
       },
       c8},
      // m8n8k128, b1
      {8, 8, 128, 1, 32, 32, 2,
       [](int l, int i) {
         return At{G(l), T(l) * 32 + i};
       },
       [](int l, int i) {
         return At{T(l) * 32 + i, G(l)};
       },
       c8},
      // m16n8k4, tf32 and f64
      {16, 8, 4, 32, 2, 1, 4,
       [](int l, int i) {
         return At{i == 0 ? G(l) : G(l) + 8, T(l)};
       },
       [](int l, int) {
         return At{T(l), G(l)};
       },
       c16},
      {16, 8, 4, 64, 2, 1, 4,
       [](int l, int i) {
         return At{i == 0 ? G(l) : G(l) + 8, T(l)};
       },
       [](int l, int) {
         return At{T(l), G(l)};
       },
       c16},
      // m16n8k8, f16 and bf16
      {16, 8, 8, 16, 4, 2, 4,
       [](int l, int i) {
         return At{i < 2 ? G(l) : G(l) + 8, T(l) * 2 + (i & 1)};
       },
       [](int l, int i) {
         return At{T(l) * 2 + i, G(l)};
       },
       c16},
      // m16n8k8, tf32 and f64
      {16, 8, 8, 32, 4, 2, 4,
       [](int l, int i) {
         return At{i == 0 || i == 2 ? G(l) : G(l) + 8, i < 2 ? T(l) : T(l) + 4};
       },
       [](int l, int i) {
         return At{i == 0 ? T(l) : T(l) + 4, G(l)};
       },
       c16},
      {16, 8, 8, 64, 4, 2, 4,
       [](int l, int i) {
         return At{i == 0 || i == 2 ? G(l) : G(l) + 8, i < 2 ? T(l) : T(l) + 4};
       },
       [](int l, int i) {
         return At{i == 0 ? T(l) : T(l) + 4, G(l)};
       },
       c16},
      // m16n8k16, f16 and bf16
      {16, 8, 16, 16, 8, 4, 4,
       [](int l, int i) {
         return At{i < 2 || (4 <= i && i < 6) ? G(l) : G(l) + 8, T(l) * 2 + (i & 1) + (i < 4 ? 0 : 8)};
       },
       [](int l, int i) {
         return At{T(l) * 2 + (i & 1) + (i < 2 ? 0 : 8), G(l)};
       },
       c16},
      // m16n8k16, f64
      {16, 8, 16, 64, 8, 4, 4,
       [](int l, int i) {
         return i % 2 == 0 ? At{G(l), i * 2 + T(l)} : At{G(l) + 8, i * 2 - 2 + T(l)};
       },
       [](int l, int i) {
         return At{i * 4 + T(l), G(l)};
       },
       c16},
      // m16n8k16, 8 bits
      {16, 8, 16, 8, 8, 4, 4,
       [](int l, int i) {
         return At{i < 4 ? G(l) : G(l) + 8, T(l) * 4 + (i & 3)};
       },
       [](int l, int i) {
         return At{T(l) * 4 + i, G(l)};
       },
       c16},
      // m16n8k32, 4 bits
      {16, 8, 32, 4, 16, 8, 4,
       [](int l, int i) {
         return At{i < 8 ? G(l) : G(l) + 8, T(l) * 8 + (i & 7)};
       },
       [](int l, int i) {
         return At{T(l) * 8 + (i & 7), G(l)};
       },
       c16},
      // m16n8k32, 8 bits
      {16, 8, 32, 8, 16, 8, 4,
       [](int l, int i) {
         return At{i < 4 || (8 <= i && i < 12) ? G(l) : G(l) + 8, T(l) * 4 + (i & 3) + (i < 8 ? 0 : 16)};
       },
       [](int l, int i) {
         return At{T(l) * 4 + (i & 3) + (i < 4 ? 0 : 16), G(l)};
       },
       c16},
      // m16n8k64, 4 bits
      {16, 8, 64, 4, 32, 16, 4,
       [](int l, int i) {
         return At{i < 8 || (16 <= i && i < 24) ? G(l) : G(l) + 8, T(l) * 8 + (i & 7) + (i < 16 ? 0 : 32)};
       },
       [](int l, int i) {
         return At{T(l) * 8 + (i & 7) + (i < 8 ? 0 : 32), G(l)};
       },
       c16},
      // m16n8k128, b1
      {16, 8, 128, 1, 64, 32, 4,
       [](int l, int i) {
         return At{i < 32 ? G(l) : G(l) + 8, T(l) * 32 + (i & 31)};
       },
       [](int l, int i) {
         return At{T(l) * 32 + i, G(l)};
       },
       c16},
      // m16n8k256, b1 (the ISA's column of i < 64 lacks the "& 0x1F" that its figure shows)
      {16, 8, 256, 1, 128, 64, 4,
       [](int l, int i) {
         return At{i < 32 || (64 <= i && i < 96) ? G(l) : G(l) + 8, T(l) * 32 + (i & 31) + (i < 64 ? 0 : 128)};
       },
       [](int l, int i) {
         return At{T(l) * 32 + (i & 31) + (i < 32 ? 0 : 128), G(l)};
       },
       c16},
  };
  return tables;
}

inline const IsaTables& TablesOf(int m, int k, int bits) {
  for (const IsaTables& tables : AllIsaTables()) {
    if (tables.m == m && tables.k == k && tables.bits == bits) return tables;
  }
  std::abort();
}

}  // namespace emu::testing
