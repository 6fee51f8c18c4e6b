// One warp: exchanges, votes, matrices in shared memory, mma.sync. out is 32 words an instruction result, lane by lane.
#include <cuda/std/cstdint>

namespace {

__device__ unsigned Shared(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

// Small integers that FP16, BF16, TF32 and FP8 hold exactly: -4..4.
__device__ int Small(unsigned seed) { return (int)((seed * 2654435761u >> 13) % 9u) - 4; }
__device__ unsigned short Half(int value) {
  unsigned short h;
  asm("cvt.rn.f16.s32 %0, %1;" : "=h"(h) : "r"(value));
  return h;
}
__device__ unsigned short BFloat(int value) {
  unsigned short h;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"((float)value));
  return h;
}
__device__ unsigned Pair(unsigned short low, unsigned short high) { return low | (unsigned)high << 16; }

}  // namespace

#define SHUFFLE(name, mode, b, c)                                                                             \
  extern "C" __global__ void name(unsigned* out) {                                                            \
    unsigned value, taken;                                                                                    \
    asm volatile("{.reg .pred p; shfl.sync." mode ".b32 %0|p, %2, %3, %4, -1; selp.u32 %1, 1, 0, p;}"         \
                 : "=r"(value), "=r"(taken)                                                                   \
                 : "r"(threadIdx.x * 3 + 1), "r"(b), "r"(c));                                                 \
    out[threadIdx.x] = value;                                                                                 \
    out[32 + threadIdx.x] = taken;                                                                            \
  }
SHUFFLE(shfl_idx, "idx", threadIdx.x * 5 + 1, 0x1f)
SHUFFLE(shfl_idx_8, "idx", 9, 0x181f)
SHUFFLE(shfl_up, "up", 3, 0)
SHUFFLE(shfl_up_16, "up", 5, 0x1000)
SHUFFLE(shfl_down, "down", 7, 0x1f)
SHUFFLE(shfl_bfly, "bfly", 13, 0x1f)
SHUFFLE(shfl_bfly_8, "bfly", 9, 0x181f)

extern "C" __global__ void votes(unsigned* out) {
  const unsigned x = threadIdx.x * 2654435761u >> 28;
  unsigned ballot, any, all, uniform, match_any, match_all, same, add, min, max, both;
  asm volatile("{.reg .pred p; setp.gt.u32 p, %1, 6; vote.sync.ballot.b32 %0, p, -1;}" : "=r"(ballot) : "r"(x));
  asm volatile("{.reg .pred p, q; setp.gt.u32 p, %1, 14; vote.sync.any.pred q, p, -1; selp.u32 %0, 1, 0, q;}" : "=r"(any) : "r"(x));
  asm volatile("{.reg .pred p, q; setp.le.u32 p, %1, 15; vote.sync.all.pred q, p, -1; selp.u32 %0, 1, 0, q;}" : "=r"(all) : "r"(x));
  asm volatile("{.reg .pred p, q; setp.gt.u32 p, %1, 6; vote.sync.uni.pred q, p, -1; selp.u32 %0, 1, 0, q;}" : "=r"(uniform) : "r"(x));
  asm volatile("match.any.sync.b32 %0, %1, -1;" : "=r"(match_any) : "r"(x));
  asm volatile("{.reg .pred p; match.all.sync.b32 %0|p, %2, -1; selp.u32 %1, 1, 0, p;}" : "=r"(match_all), "=r"(same) : "r"(x));
  asm volatile("redux.sync.add.s32 %0, %1, -1;" : "=r"(add) : "r"(x - 7));
  asm volatile("redux.sync.min.s32 %0, %1, -1;" : "=r"(min) : "r"(x - 7));
  asm volatile("redux.sync.max.u32 %0, %1, -1;" : "=r"(max) : "r"(x - 7));
  asm volatile("redux.sync.xor.b32 %0, %1, -1;" : "=r"(both) : "r"(x << threadIdx.x % 7));
  const unsigned results[11] = {ballot, any, all, uniform, match_any, match_all, same, add, min, max, both};
  for (int i = 0; i < 11; ++i) out[32 * i + threadIdx.x] = results[i];
}

// Each 16-bit element of shared memory holds its own index.
#define LOAD_MATRIX(name, form, list, count)                                                              \
  extern "C" __global__ void name(unsigned* out) {                                                        \
    __shared__ alignas(16) unsigned short memory[4096];                                                   \
    for (unsigned i = threadIdx.x; i < 4096; i += 32) memory[i] = (unsigned short)i;                      \
    __syncwarp();                                                                                         \
    unsigned r[4] = {0, 0, 0, 0};                                                                         \
    const unsigned address = Shared(&memory[(threadIdx.x * 37 % 64) * 64 + threadIdx.x % 8 * 8]);         \
    asm volatile("ldmatrix.sync.aligned.m8n8." form ".shared.b16 " list ", [%4];"                         \
                 : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])                                         \
                 : "r"(address)                                                                           \
                 : "memory");                                                                             \
    for (int i = 0; i < count; ++i) out[32 * i + threadIdx.x] = r[i];                                     \
  }
LOAD_MATRIX(ldmatrix_x1, "x1", "{%0}", 1)
LOAD_MATRIX(ldmatrix_x2, "x2", "{%0, %1}", 2)
LOAD_MATRIX(ldmatrix_x4, "x4", "{%0, %1, %2, %3}", 4)
LOAD_MATRIX(ldmatrix_x1_trans, "x1.trans", "{%0}", 1)
LOAD_MATRIX(ldmatrix_x2_trans, "x2.trans", "{%0, %1}", 2)
LOAD_MATRIX(ldmatrix_x4_trans, "x4.trans", "{%0, %1, %2, %3}", 4)

#define STORE_MATRIX(name, form, list)                                                                                \
  extern "C" __global__ void name(unsigned* out) {                                                                    \
    __shared__ alignas(16) unsigned memory[256];                                                                      \
    for (unsigned i = threadIdx.x; i < 256; i += 32) memory[i] = 0xffffffffu;                                         \
    __syncwarp();                                                                                                     \
    const unsigned t = threadIdx.x;                                                                                   \
    asm volatile("stmatrix.sync.aligned.m8n8." form ".shared.b16 [%4], " list ";" ::"r"(t * 65537u), "r"(t * 65537u + 32u), \
                 "r"(t * 65537u + 64u), "r"(t * 65537u + 96u), "r"(Shared(&memory[(t * 11 % 32) * 4]))                \
                 : "memory");                                                                                         \
    __syncwarp();                                                                                                     \
    for (unsigned i = threadIdx.x; i < 256; i += 32) out[i] = memory[i];                                              \
  }
STORE_MATRIX(stmatrix_x1, "x1", "{%0}")
STORE_MATRIX(stmatrix_x2, "x2", "{%0, %1}")
STORE_MATRIX(stmatrix_x4, "x4", "{%0, %1, %2, %3}")
STORE_MATRIX(stmatrix_x1_trans, "x1.trans", "{%0}")
STORE_MATRIX(stmatrix_x4_trans, "x4.trans", "{%0, %1, %2, %3}")

extern "C" __global__ void movmatrix_trans(unsigned* out) {
  unsigned value;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(value) : "r"(threadIdx.x * 65537u + 0x400000u));
  out[threadIdx.x] = value;
}

// cp.async with less source than destination, and the zeros that come instead.
#define COPY(name, kind, bytes)                                                                                          \
  extern "C" __global__ void name(unsigned* out) {                                                                       \
    __shared__ alignas(16) unsigned memory[256];                                                                         \
    unsigned* const source = out + 256;                                                                                  \
    for (unsigned i = threadIdx.x; i < 256; i += 32) memory[i] = 0xffffffffu, source[i] = i * 0x01010101u + 0x03020100u; \
    __syncwarp();                                                                                                        \
    const unsigned size = threadIdx.x % (bytes + 1);                                                                     \
    asm volatile("cp.async." kind ".shared.global [%0], [%1], %2, %3;\ncp.async.wait_all;" ::"r"(                        \
                     Shared(memory) + threadIdx.x * bytes),                                                              \
                 "l"(reinterpret_cast<const char*>(source) + threadIdx.x * bytes), "n"(bytes), "r"(size)                 \
                 : "memory");                                                                                            \
    __syncwarp();                                                                                                        \
    for (unsigned i = threadIdx.x; i < 256; i += 32) out[i] = memory[i];                                                 \
  }
COPY(cp_async_4, "ca", 4)
COPY(cp_async_8, "ca", 8)
COPY(cp_async_16, "cg", 16)

// Products of small integers: exact whatever the order of summation. Registers are filled by their own number, so that a
// fragment layout that is not the hardware's shows.
#define MMA(name, shape, types, a_count, b_count, element)                                               \
  extern "C" __global__ void name(unsigned* out) {                                                       \
    unsigned a[4], b[2];                                                                                 \
    for (unsigned i = 0; i < 4; ++i) {                                                                   \
      a[i] = element(threadIdx.x * 64 + i * 4);                                                          \
      if (i < 2) b[i] = element(threadIdx.x * 64 + i * 4 + 32);                                          \
    }                                                                                                    \
    float d[4];                                                                                          \
    for (unsigned i = 0; i < 4; ++i) d[i] = (float)Small(threadIdx.x * 4 + i + 5000);                    \
    asm volatile("mma.sync.aligned." shape ".row.col." types " {%0, %1, %2, %3}, " a_count ", " b_count  \
                 ", {%0, %1, %2, %3};"                                                                   \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                        \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                    \
    for (int i = 0; i < 4; ++i) out[32 * i + threadIdx.x] = __float_as_uint(d[i]);                       \
  }
#define HALVES(seed) Pair(Half(Small(seed)), Half(Small((seed) + 1)))
#define BFLOATS(seed) Pair(BFloat(Small(seed)), BFloat(Small((seed) + 1)))
#define SINGLE(seed) __float_as_uint((float)Small(seed))
MMA(mma_m16n8k16_f16, "m16n8k16", "f32.f16.f16.f32", "{%4, %5, %6, %7}", "{%8, %9}", HALVES)
MMA(mma_m16n8k16_bf16, "m16n8k16", "f32.bf16.bf16.f32", "{%4, %5, %6, %7}", "{%8, %9}", BFLOATS)
MMA(mma_m16n8k8_f16, "m16n8k8", "f32.f16.f16.f32", "{%4, %5}", "{%8}", HALVES)
MMA(mma_m16n8k8_tf32, "m16n8k8", "f32.tf32.tf32.f32", "{%4, %5, %6, %7}", "{%8, %9}", SINGLE)
MMA(mma_m16n8k4_tf32, "m16n8k4", "f32.tf32.tf32.f32", "{%4, %5}", "{%8}", SINGLE)

// Bytes of e4m3: 0x38 is 1, 0x40 is 2, 0xb8 is -1.
__device__ unsigned Bytes(unsigned seed) {
  unsigned word = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const int value = Small(seed + i) / 2;
    const unsigned byte = value == 0 ? 0 : (value < 0 ? 0x80u : 0u) | (value == 1 || value == -1 ? 0x38u : 0x40u);
    word |= byte << (8 * i);
  }
  return word;
}
MMA(mma_m16n8k32_e4m3, "m16n8k32", "f32.e4m3.e4m3.f32", "{%4, %5, %6, %7}", "{%8, %9}", Bytes)

extern "C" __global__ void mma_m16n8k32_s8(unsigned* out) {
  const unsigned t = threadIdx.x;
  int d[4];
  for (int i = 0; i < 4; ++i) d[i] = (int)t - i;
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(t * 0x01030507u), "r"(t * 0x11131517u), "r"(t * 0x21232527u), "r"(t * 0x31333537u), "r"(t * 0x41434547u),
        "r"(t * 0x51535557u));
  for (int i = 0; i < 4; ++i) out[32 * i + t] = (unsigned)d[i];
}

// Random values: compared within a tolerance, because the chip's order of summation is its own.
extern "C" __global__ void mma_random_f16(unsigned* out) {
  unsigned r[6];
  for (unsigned i = 0; i < 6; ++i) {
    unsigned h = (threadIdx.x * 6 + i + 1) * 2654435761u;
    h ^= h >> 15;
    r[i] = (h & 0x83ff83ffu) | 0x38003800u;  // +-[0.5, 1)
  }
  float d[4] = {1, 2, 3, 4};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));
  for (int i = 0; i < 4; ++i) out[32 * i + threadIdx.x] = __float_as_uint(d[i]);
}
