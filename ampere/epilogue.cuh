// The epilogue: D = alpha * sums + beta * C, through shared memory so that every row leaves in whole sectors.
//
// Each warp stages its own rows, 16 or 32 at a time, or all at once as 16 bits (kPacks), and needs no other warp. C is read only when beta is not 0, by
// the thread that writes the same element of D, so C may be D. Where it can be read by 16 bytes, all that a thread needs is
// under way at once, around the registers; the main loop of a kernel that has the registers for it has
// asked the L2 for it before (PrefetchC, MainLoop::kNearEnd).
#pragma once

#include "ampere/config.h"
#include "ampere/consumer.cuh"
#include "ampere/params.h"
#include "common/device/convert.cuh"
#include "common/device/ptx/cp_async.cuh"

namespace gemm::ampere {

template <typename Config>
class Epilogue {
 public:
  // row, col: first element of the warp's share in the matrix; rows_left, cols_left: what of it the matrix has,
  // may be negative.
  __device__ __forceinline__ Epilogue(const Params& params, device::AlphaBeta scalars, long long batch,
                                      long long row, long long col, int rows_left, int cols_left)
      : params_(params),
        scalars_(scalars),
        type_(params.output_type),
        c_(batch * params.c_layout.batch_stride + row * params.c_layout.row_stride +
           col * params.c_layout.col_stride),
        d_(batch * params.d_layout.batch_stride + row * params.d_layout.row_stride + col),
        rows_left_(rows_left),
        cols_left_(cols_left) {}

  __device__ __forceinline__ void Run(const Accumulators<Config>& sums, WarpStaging<Config>& staging) const {
    if constexpr (Config::kPacks) {
      if (params_.d_layout.wide && scalars_.beta == 0 && type_ != device::kElementFP32)
        return RunPacked(sums, reinterpret_cast<PackedStaging<Config>&>(staging));
    }
    // Not unrolled: only the staging, whose registers must be named at compile time, exists once for each part.
#pragma unroll 1
    for (int first = 0; first < Config::kWarpM; first += Staging::kRows) {
      if (IsWide() && scalars_.beta != 0) {
        if (type_ == device::kElementFP32) {
          FetchC<4>(staging, first);
        } else if (first % (2 * Staging::kRows) == 0) {
          FetchC<8>(staging, first);
        }
      }
      __syncwarp();
      StagePart<0>(sums, first, staging);
      __syncwarp();
      WriteStaged(staging, first);
    }
  }

  // The rows that are staged at once, from `first` on, alone.
  __device__ __forceinline__ void RunSlice(
      const float (&sums)[WarpStaging<Config>::kRows / kMmaM][Accumulators<Config>::kBlocksN][4], int first,
      WarpStaging<Config>& staging) const {
    if (IsWide() && scalars_.beta != 0) {
      if (type_ == device::kElementFP32) {
        FetchC<4>(staging, first);
      } else {
        FetchC<8>(staging, first - first % (2 * Staging::kRows));
      }
    }
    __syncwarp();
    StageBlocks<0>(sums, staging);
    __syncwarp();
    WriteStaged(staging, first);
  }

 private:
  using Staging = WarpStaging<Config>;
  using Packed = PackedStaging<Config>;

  __device__ __forceinline__ void RunPacked(const Accumulators<Config>& sums, Packed& staging) const {
    __syncwarp();
    if (type_ == device::kElementFP16) {
      StagePacked<device::kElementFP16>(sums, staging);
    } else {
      StagePacked<device::kElementBF16>(sums, staging);
    }
    __syncwarp();
    WritePacked(staging);
  }

  template <int kType>
  __device__ __forceinline__ void StagePacked(const Accumulators<Config>& sums, Packed& staging) const {
    static_assert(sizeof(Packed) <= sizeof(Staging) && Packed::kRowChunks == 8, "a row is a line of all banks");
    const int lane = threadIdx.x % 32;
    unsigned low = lane / 4;  // the row modulo 8
    device::ptx::KeepInRegister(low);
#pragma unroll
    for (int j = 0; j < Config::kWarpN / kMmaN; ++j) {
#pragma unroll
      for (int i = 0; i < Config::kWarpM / kMmaM; ++i) {
        const float(&v)[4] = sums.values[i][j];
        unsigned* to = &staging.chunks[i * kMmaM + low][j ^ low][lane % 4];
        to[0] = device::Pack2(kType, scalars_.alpha * v[0], scalars_.alpha * v[1]);
        to[8 * 4 * Packed::kRowChunks] = device::Pack2(kType, scalars_.alpha * v[2], scalars_.alpha * v[3]);
      }
    }
  }

  __device__ __forceinline__ void WritePacked(const Packed& staging) const {
    constexpr int kRowsPerPass = 32 / Packed::kRowChunks;
    const int chunk = threadIdx.x % Packed::kRowChunks;
    const int first = threadIdx.x % 32 / Packed::kRowChunks;
    const int elements = cols_left_ - chunk * 8;
    const int rows = min(rows_left_, Config::kWarpM);
    const long long stride = params_.d_layout.row_stride;
    auto* to = static_cast<unsigned short*>(params_.d) + d_ + first * stride + chunk * 8;
    if (elements >= 8) {
#pragma unroll 4
      for (int row = first; row < rows; row += kRowsPerPass) {
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(staging.chunks[row][chunk ^ row % 8]);
        to += kRowsPerPass * stride;
      }
    } else {
#pragma unroll 1
      for (int row = first; row < rows; row += kRowsPerPass, to += kRowsPerPass * stride) {
        const auto* from = reinterpret_cast<const unsigned short*>(staging.chunks[row][chunk ^ row % 8]);
#pragma unroll 1
        for (int i = 0; i < elements; ++i) to[i] = from[i];
      }
    }
  }

  // Where column `col` of a staged row lies.
  __device__ __forceinline__ static int At(int row, int col) { return col ^ row % 4 * Staging::kExchange; }

  __device__ __forceinline__ bool IsWide() const {
    return params_.d_layout.wide && (scalars_.beta == 0 || params_.c_layout.wide);
  }

  __device__ __forceinline__ void WriteStaged(const Staging& staging, int first) const {
    if (!IsWide()) {
      WriteElements(staging, first);
    } else if (type_ == device::kElementFP32) {
      WriteWide<4>(staging, first);
    } else {
      WriteWide<8>(staging, first);
    }
  }

  // Stages the rows from `first` on, which is kFirst or a later part's.
  template <int kFirst>
  __device__ __forceinline__ static void StagePart(const Accumulators<Config>& sums, int first,
                                                   Staging& staging) {
    if constexpr (kFirst + Staging::kRows < Config::kWarpM) {
      if (first != kFirst) return StagePart<kFirst + Staging::kRows>(sums, first, staging);
    }
    StageBlocks<kFirst / kMmaM>(sums.values, staging);
  }

  template <int kFirstBlock, int kBlocks>
  __device__ __forceinline__ static void StageBlocks(
      const float (&sums)[kBlocks][Accumulators<Config>::kBlocksN][4], Staging& staging) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < Staging::kRows / kMmaM; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kWarpN / kMmaN; ++j) {
        const float(&v)[4] = sums[kFirstBlock + i][j];
        const int row = i * kMmaM + lane / 4;
        const int col = j * kMmaN + lane % 4 * 2;
        *reinterpret_cast<float2*>(&staging.values[row][At(row, col)]) = make_float2(v[0], v[1]);
        *reinterpret_cast<float2*>(&staging.values[row + 8][At(row, col)]) = make_float2(v[2], v[3]);
      }
    }
  }

  // How a warp walks its rows by chunks of kVector elements.
  template <int kVector>
  struct Walk {
    static constexpr int kLanesPerRow = Config::kWarpN / kVector;
    static constexpr int kRowsPerPass = 32 / kLanesPerRow;
    static constexpr int kRows = Staging::kChunks / kLanesPerRow;  // whose C fits into the staging
    __device__ __forceinline__ static int Row() { return threadIdx.x % 32 / kLanesPerRow; }
    __device__ __forceinline__ static int Column() { return threadIdx.x % kLanesPerRow * kVector; }
    // The lane's chunk of C in the pass that begins at row `row` of the warp's share.
    __device__ __forceinline__ static int Chunk(int row) {
      return row % kRows / kRowsPerPass * 32 + threadIdx.x % 32;
    }
  };

  // Starts to copy C's rows from `first` on, each lane what it will need itself.
  template <int kVector>
  __device__ __forceinline__ void FetchC(Staging& staging, int first) const {
    using W = Walk<kVector>;
    constexpr int kBytes = 16 / kVector;
    const int col = W::Column();
    if (col + kVector > cols_left_) return;
    const int end = min(first + W::kRows, min(rows_left_, Config::kWarpM));
    auto to = static_cast<unsigned>(__cvta_generic_to_shared(staging.c[threadIdx.x % 32]));
    const char* from = static_cast<const char*>(params_.c) +
                       (c_ + (first + W::Row()) * params_.c_layout.row_stride + col) * kBytes;
#pragma unroll 1
    for (int row = first + W::Row(); row < end; row += W::kRowsPerPass) {
      device::ptx::CpAsync16(to, from, 16);
      to += 32 * 16;
      from += W::kRowsPerPass * params_.c_layout.row_stride * kBytes;
    }
    device::ptx::CpAsyncCommit();
  }

  __device__ __forceinline__ void WriteElement(float sum, int row, int col) const {
    float value = scalars_.alpha * sum;
    if (scalars_.beta != 0) {
      const long long at = c_ + row * params_.c_layout.row_stride + col * params_.c_layout.col_stride;
      value = fmaf(scalars_.beta, device::LoadElement(type_, params_.c, at), value);
    }
    device::StoreElement(type_, params_.d, d_ + row * params_.d_layout.row_stride + col, value);
  }

  // 16 bytes at a time: kVector elements of the output type.
  template <int kVector>
  __device__ __forceinline__ void WriteWide(const Staging& staging, int first) const {
    using W = Walk<kVector>;
    const int col = W::Column();
    // For C, and for the ring's copies with it.
    if (!Config::kPersistent || scalars_.beta != 0) device::ptx::CpAsyncWait<0>();
#pragma unroll 2
    for (int row = W::Row(); row < Staging::kRows; row += W::kRowsPerPass) {
      if (first + row >= rows_left_ || col >= cols_left_) continue;
      float sums[kVector];
#pragma unroll
      for (int i = 0; i < kVector; i += 4) {
        const float4 v = *reinterpret_cast<const float4*>(&staging.values[row][At(row, col + i)]);
        sums[i] = v.x, sums[i + 1] = v.y, sums[i + 2] = v.z, sums[i + 3] = v.w;
      }
      if (col + kVector <= cols_left_) {
        WriteVector<kVector>(sums, first + row, col, staging.c[W::Chunk(first + row)]);
      } else {
#pragma unroll 1
        for (int i = 0; col + i < cols_left_; ++i)
          WriteElement(staging.values[row][At(row, col + i)], first + row, col + i);
      }
    }
  }

  template <int kVector>
  __device__ __forceinline__ void WriteVector(float (&values)[kVector], int row, int col,
                                              const unsigned (&c_chunk)[4]) const {
    static_assert(kVector == 4 || kVector == 8, "16 bytes of FP32 or of a 16-bit type");
    constexpr int kBytes = 16 / kVector;
#pragma unroll
    for (int i = 0; i < kVector; ++i) values[i] *= scalars_.alpha;
    if (scalars_.beta != 0) {
      const uint4 c = *reinterpret_cast<const uint4*>(c_chunk);
      const unsigned words[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if constexpr (kVector == 4) {
          values[i] = fmaf(scalars_.beta, __uint_as_float(words[i]), values[i]);
        } else {
          const device::Float2 pair = device::Unpack2(type_, words[i]);
          values[2 * i] = fmaf(scalars_.beta, pair.low, values[2 * i]);
          values[2 * i + 1] = fmaf(scalars_.beta, pair.high, values[2 * i + 1]);
        }
      }
    }
    unsigned words[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (kVector == 4) {
        words[i] = __float_as_uint(values[i]);
      } else {
        words[i] = device::Pack2(type_, values[2 * i], values[2 * i + 1]);
      }
    }
    const long long at = d_ + row * params_.d_layout.row_stride + col;
    *reinterpret_cast<uint4*>(static_cast<char*>(params_.d) + at * kBytes) =
        make_uint4(words[0], words[1], words[2], words[3]);
  }

  // Rows at any alignment: neighbouring lanes take neighbouring elements.
  __device__ __forceinline__ void WriteElements(const Staging& staging, int first) const {
    const int lane = threadIdx.x % 32;
#pragma unroll 2
    for (int i = lane; i < Staging::kRows * Config::kWarpN; i += 32) {
      const int row = i / Config::kWarpN;
      const int col = i % Config::kWarpN;
      if (first + row < rows_left_ && col < cols_left_)
        WriteElement(staging.values[row][At(row, col)], first + row, col);
    }
  }

  const Params& params_;
  device::AlphaBeta scalars_;
  int type_;
  long long c_;  // element index of the share's first element
  long long d_;
  int rows_left_;
  int cols_left_;
};

}  // namespace gemm::ampere
