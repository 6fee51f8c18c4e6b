// The producer where rows may start anywhere.
#pragma once

#include "ampere/config.h"
#include "ampere/copy_share.cuh"
#include "ampere/params.h"
#include "common/device/ptx/cp_async.cuh"

namespace gemm::ampere {

// Position and bounds of Copy::kAny, whose elements have 2 bytes.
template <typename Config, bool kIsA>
struct CopyCursor : CopyShare<Config, kIsA> {
  using Share = CopyShare<Config, kIsA>;
  using typename Share::Layout;
  using typename Share::Shape;

  const char* pointer;    // of the thread's first chunk in the next tile
  long long pass_stride;  // bytes
  unsigned offset;        // of the first chunk in a tile in shared memory
  int rows_left;          // rows of the matrix from the thread's first row on; may be negative
  int elements_left;      // elements of a row from the tile's edge on; may be negative

  // outer: first row of the tile along M or N; outer_left: rows of the matrix from there on, at most the
  // tile's; range: of K, a part's.
  __device__ __forceinline__ CopyCursor(const OperandParams& operand, long long batch, long long outer,
                                        int outer_left, const KRange& range) {
    const int chunk = Share::Chunk();
    const int row = Share::Row();
    const long long first = Shape::kIsMnMajor
                                ? (range.begin + row) * operand.ld + outer + chunk * Config::kChunk
                                : (outer + row) * operand.ld + range.begin + chunk * Config::kChunk;
    pointer = static_cast<const char*>(operand.base) + 2 * (batch * operand.batch_stride + first);
    pass_stride = 2 * Share::kRowsPerPass * operand.ld;
    offset = Layout::Offset(row, chunk);
    rows_left = (Shape::kIsMnMajor ? range.count : outer_left) - row;
    elements_left = Shape::kIsMnMajor ? outer_left : range.count;
  }

  __device__ __forceinline__ unsigned PassOffset(int pass) const { return offset + pass * Share::kPassBytes; }
  // Elements of the pass's chunk that lie in the matrix: 0 to 8.
  __device__ __forceinline__ int PassCount(int pass) const {
    return pass * Share::kRowsPerPass < rows_left ? Share::Count(elements_left) : 0;
  }
  __device__ __forceinline__ void NextTile() {
    pointer += Shape::kIsMnMajor ? Share::kPasses * pass_stride : 2 * Config::kTileK;
    (Shape::kIsMnMajor ? rows_left : elements_left) -= Config::kTileK;
  }
};

// Copy::kAny. Where 4 bytes cannot be promised, the chunk goes through registers: Start loads, Finish stores.
template <typename Config, bool kIsA>
class AnyCopy {
 public:
  using Cursor = CopyCursor<Config, kIsA>;
  __device__ __forceinline__ AnyCopy(const OperandParams& operand, long long batch, long long outer,
                                     int outer_left, const KRange& range)
      : cursor_(operand, batch, outer, outer_left, range), copy_bytes_(operand.copy_bytes) {}

  __device__ __forceinline__ void Aim(unsigned tile) { tile_ = tile; }
  __device__ __forceinline__ void StartFirst(int) { Start<0, Cursor::Share::kPasses>(); }

  // All passes at once, whichever of them is asked for first.
  template <int kBegin, int kEnd>
  __device__ __forceinline__ void Start() {
    if (kBegin != 0 || kEnd == 0) return;
    if (copy_bytes_ == 2) {
#pragma unroll
      for (int pass = 0; pass < Cursor::Share::kPasses; ++pass) {
        Load(cursor_.pointer + pass * cursor_.pass_stride, cursor_.PassCount(pass), held_[pass]);
      }
    } else {
#pragma unroll
      for (int pass = 0; pass < Cursor::Share::kPasses; ++pass) {
        CopyChunk(tile_ + cursor_.PassOffset(pass), cursor_.pointer + pass * cursor_.pass_stride,
                  cursor_.PassCount(pass));
      }
    }
    cursor_.NextTile();
  }

  // Stores what the last Start loaded. Other threads see it after a barrier.
  __device__ __forceinline__ void Finish() {
    if (copy_bytes_ != 2) return;
#pragma unroll
    for (int pass = 0; pass < Cursor::Share::kPasses; ++pass)
      Store(tile_ + cursor_.PassOffset(pass), held_[pass]);
  }

 private:
  // A chunk in flight. A row that starts at an odd element is read in words all the same: 2 + 4 + 4 + 4 + 2
  // bytes; one at an even element as 2 + 2 + 4 + 4 + 4. Both are the same five loads, so that rows of either
  // kind, which meet in every warp when ld is odd, do not diverge. Nothing outside the chunk is read.
  struct Held {
    unsigned first;    // element 0
    unsigned other;    // element 1 (even), element 7 (odd)
    unsigned word[3];  // elements 2..7 (even), 1..6 (odd)
    bool odd;
  };

  __device__ __forceinline__ static unsigned LoadHalf(const char* p) {
    return *reinterpret_cast<const unsigned short*>(p);
  }

  __device__ __forceinline__ static void Load(const char* p, int count, Held& held) {
    held = Held{};
    if (count == Config::kChunk) {
      held.odd = (reinterpret_cast<unsigned long long>(p) & 2) != 0;
      held.first = LoadHalf(p);
      held.other = LoadHalf(p + (held.odd ? 14 : 2));
      const unsigned* words = reinterpret_cast<const unsigned*>(p + (held.odd ? 2 : 4));
#pragma unroll
      for (int i = 0; i < 3; ++i) held.word[i] = words[i];
    } else if (count > 0) {
      held.first = LoadHalf(p);
      if (count > 1) held.other = LoadHalf(p + 2);
#pragma unroll
      for (int i = 2; i < Config::kChunk; ++i) {
        if (i < count) held.word[i / 2 - 1] |= LoadHalf(p + 2 * i) << (i % 2 * 16);
      }
    }
  }

  __device__ __forceinline__ static void Store(unsigned shared, const Held& held) {
    // __byte_perm selects bytes of (low, high): 0x3210 is low itself, 0x5432 the middle of the two.
    const unsigned selector = held.odd ? 0x5432 : 0x3210;
    const unsigned w0 = __byte_perm(held.first, held.odd ? held.word[0] : held.other, 0x5410);
    const unsigned w1 = __byte_perm(held.word[0], held.word[1], selector);
    const unsigned w2 = __byte_perm(held.word[1], held.word[2], selector);
    const unsigned w3 = __byte_perm(held.word[2], held.other, selector);
    *static_cast<uint4*>(__cvta_shared_to_generic(shared)) = make_uint4(w0, w1, w2, w3);
  }

  // A part of a chunk goes element by element. cp.async reads no more than its source size, but compute-sanitizer
  // (2025.3) holds the whole copy against the allocation, and a matrix may end where its last element does.
  __device__ __forceinline__ void CopyChunk(unsigned shared, const char* p, int count) const {
    if (count > 0 && count < Config::kChunk) {
      Held held;
      Load(p, count, held);
      Store(shared, held);
      return;
    }
    const bool whole = count == Config::kChunk;
    if (copy_bytes_ == 16) {
      device::ptx::CpAsync16(shared, p, whole ? 16 : 0);
    } else if (copy_bytes_ == 8) {
#pragma unroll
      for (int i = 0; i < 16; i += 8) device::ptx::CpAsync8(shared + i, p + i, whole ? 8 : 0);
    } else {
#pragma unroll
      for (int i = 0; i < 16; i += 4) device::ptx::CpAsync4(shared + i, p + i, whole ? 4 : 0);
    }
  }

  Cursor cursor_;
  int copy_bytes_;
  unsigned tile_ = 0;
  Held held_[Cursor::Share::kPasses];
};

}  // namespace gemm::ampere
