// The bulk tensor copy engine (TMA): tiles of 3-D and 4-D tensors between device memory and shared memory. PTX ISA 8.0,
// sm_90.
//
// `map` is the address of a 128-byte tensor map in a __grid_constant__ parameter. Coordinates count elements,
// dimension 0 (the contiguous one) first. Elements out of bounds arrive as zeros and count in the transferred
// bytes; stores leave them out. All of these run in the async proxy: ordinary writes to the shared memory they
// read need FenceSharedForAsync() in every writer, and a barrier, first. One thread issues each.
#pragma once

#include <cuda/ptx>
#include <cuda/std/cstdint>

#include "common/device/ptx/mbarrier.cuh"

namespace gemm::device::ptx {

// Tile of device memory to shared memory of this CTA; its bytes are counted on `barrier`.
__device__ __forceinline__ void LoadTile(void* shared, const void* map, int x, int y, int z, Barrier* barrier) {
  const cuda::std::int32_t at[3] = {x, y, z};
  cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, shared, map, at, barrier);
}

// The same tile to the same place in every CTA of the cluster whose bit is set in `ctas`; each counts the bytes
// on its own barrier at the same place.
__device__ __forceinline__ void LoadTileMulticast(void* shared, const void* map, int x, int y, int z,
                                                  Barrier* barrier, unsigned ctas) {
  const cuda::std::int32_t at[3] = {x, y, z};
  cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, shared, map, at, barrier,
                                  static_cast<cuda::std::uint16_t>(ctas));
}

// Tile of shared memory to device memory, in the issuing thread's current bulk group.
__device__ __forceinline__ void StoreTile(const void* map, int x, int y, int z, const void* shared) {
  const cuda::std::int32_t at[3] = {x, y, z};
  cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_global, cuda::ptx::space_shared, map, at, shared);
}

// The same of a 4-D tensor.
__device__ __forceinline__ void StoreTile(const void* map, int x, int y, int z, int w, const void* shared) {
  const cuda::std::int32_t at[4] = {x, y, z, w};
  cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_global, cuda::ptx::space_shared, map, at, shared);
}

// Closes the issuing thread's bulk group.
__device__ __forceinline__ void CommitStores() { cuda::ptx::cp_async_bulk_commit_group(); }

// Until at most Pending of this thread's groups have not yet read their shared memory, which may then be
// written again.
template <int Pending>
__device__ __forceinline__ void WaitStoresRead() {
  cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<Pending>{});
}

// fence.proxy.async.shared::cta: orders this thread's earlier ordinary accesses to shared memory before later
// accesses by the copy engine and wgmma.
__device__ __forceinline__ void FenceSharedForAsync() { cuda::ptx::fence_proxy_async(cuda::ptx::space_shared); }

// cp.async.bulk.prefetch.tensor: tile of device memory into the L2. A hint; nothing waits for it.
__device__ __forceinline__ void PrefetchTile(const void* map, int x, int y, int z) {
  asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(map), "r"(x), "r"(y),
               "r"(z)
               : "memory");
}

// prefetch.tensormap: the descriptor itself into its cache. `map` lies in parameter space. A hint.
__device__ __forceinline__ void PrefetchMap(const void* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

}  // namespace gemm::device::ptx
