// A warp while it runs: its register file, its lanes, and the CTA, cluster and grid around it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tools/emulator/base/finding.h"
#include "tools/emulator/exec/op.h"

namespace emu {

class Checker;
class AsyncQueue;
class Machine;
class Program;
struct AsyncState;     // async/state.h: one per CTA: its mbarriers
struct CopyState;      // async/state.h: one per warp: cp.async and bulk groups
struct WgmmaState;     // tensor/state.h: one per warp
struct ExecState;      // exec/state.h: the machine's own, one per warp
struct CtaBarriers;    // exec/state.h
struct ClusterBarrier; // exec/state.h
struct MemoryState;    // memory/order.h: one per cluster

constexpr int kWarpSize = 32;
using LaneMask = std::uint32_t;

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

// Addresses. A shared address has 32 bits: the CTA's rank in its cluster << 24 | offset in its shared memory, so that a
// shared::cta address is a valid shared::cluster address, as on the hardware. Generic addresses of global memory are host
// addresses; of the other spaces, these windows.
constexpr std::uint64_t kSharedWindow = 0x00f1'0000'0000'0000;  // + shared address
constexpr std::uint64_t kLocalWindow = 0x00f2'0000'0000'0000;   // + offset in the thread's local memory
constexpr std::uint64_t kParamWindow = 0x00f3'0000'0000'0000;   // + offset in the kernel's parameters
constexpr std::uint64_t kWindowBytes = 0x0000'0001'0000'0000;
constexpr std::uint32_t kRankShift = 24;
inline bool InWindow(std::uint64_t address, std::uint64_t window) { return address - window < kWindowBytes; }

struct Grid {
  Machine* machine = nullptr;
  std::shared_ptr<const Program> program;
  Dim3 blocks, threads, cluster;   // cluster {1,1,1} without clusters
  bool explicit_cluster = false;   // the launch or the kernel asked for clusters
  std::uint32_t dynamic_shared = 0;
  std::uint32_t shared_bytes = 0;  // static and dynamic, of a CTA
  std::vector<std::byte> params;
  int index = 0;                   // in its chain of launches
};

struct Cluster;

struct Cta {
  Cluster* cluster = nullptr;
  std::uint32_t rank = 0;          // in the cluster, x fastest
  Dim3 id;
  std::vector<std::byte> shared;   // 1024-byte aligned data() is not promised: offsets are what kernels see
  std::vector<std::unique_ptr<Warp>> warps;
  bool exited = false;             // every thread has
  std::unique_ptr<CtaBarriers> barriers;
  std::unique_ptr<AsyncState> async;
};

// CTAs that run at the same time and see each other's shared memory. Launches without clusters have clusters of one.
struct Cluster {
  Grid* grid = nullptr;
  Dim3 id;
  std::vector<std::unique_ptr<Cta>> ctas;
  std::unique_ptr<ClusterBarrier> barrier;
  std::unique_ptr<Checker> checker;
  std::unique_ptr<AsyncQueue> queue;
  std::shared_ptr<MemoryState> memory;  // made on first use
  // Grows whenever something happens that a blocked warp could wait for: an arrival, a landing, an exit.
  std::uint64_t progress = 0;

  // The bytes behind a shared address. Stops with kOutOfBounds when [address, address + bytes) is not inside one CTA's
  // shared memory, with kClusterExit when that CTA has exited.
  std::byte* Shared(const Warp& by, const Op& op, std::uint32_t lane, std::uint32_t address, std::uint32_t bytes);
  Cta* OwnerOf(std::uint32_t shared_address);  // null when there is none
};

class Warp {
 public:
  Warp(Cta* cta, std::uint32_t index);
  ~Warp();
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;

  // The 32 values of type T that a register offset names: T[32]. Predicates are one bit per lane: Mask().
  template <class T>
  T* Lanes(std::uint32_t at) {
    return reinterpret_cast<T*>(file_ + at);
  }
  template <class T>
  const T* Lanes(std::uint32_t at) const {
    return reinterpret_cast<const T*>(file_ + at);
  }
  LaneMask& Mask(std::uint32_t at) { return *reinterpret_cast<LaneMask*>(file_ + at); }
  LaneMask Mask(std::uint32_t at) const { return *reinterpret_cast<const LaneMask*>(file_ + at); }

  LaneMask active() const { return active_; }    // the lanes that run the present op; guard applied
  LaneMask present() const { return present_; }  // lanes that exist and have not exited
  LaneMask existing() const { return existing_; }

  Cta& cta() const { return *cta_; }
  Cluster& cluster() const { return *cta_->cluster; }
  Grid& grid() const { return *cta_->cluster->grid; }
  Machine& machine() const { return *grid().machine; }
  Checker& checker() const { return *cluster().checker; }
  std::uint32_t index() const { return index_; }  // in the CTA
  // Number of a lane's thread in its CTA (x fastest).
  std::uint32_t ThreadInCta(std::uint32_t lane) const { return index_ * kWarpSize + lane; }

  // To be called before returning Flow::kBlock: what the warp waits for, for the table that a deadlock prints. `explain`
  // is called only then. `object` is a shared address or whatever tells one awaited thing from another.
  using Explain = std::string (*)(const Warp&, const Op&);
  void BlockedOn(const char* what, std::uint64_t object, Explain explain = nullptr);

  // "thread (33, 0, 0) of CTA (1, 0, 0), cluster rank 1, warp 1, lane 1"
  std::string Name(std::uint32_t lane) const;
  // Throws Stop with the kernel's name, the op's line and "<op name> by <lane's name>: " before the message.
  [[noreturn]] void Fail(FindingKind kind, const Op& op, std::uint32_t lane, const std::string& message) const;

  // True while a wgmma of this warp may still read or write registers: the machine then calls CheckInFlight (tensor/) before
  // every op, which stops when one of op.registers is among them.
  bool registers_in_flight = false;

  // State of the families.
  std::unique_ptr<CopyState> copies;
  std::unique_ptr<WgmmaState> wgmma;
  std::unique_ptr<ExecState> exec;
  // Local memory of lane l: local.data() + l * local_bytes.
  std::vector<std::byte> local;
  std::uint32_t local_bytes = 0;

 private:
  friend class Machine;
  friend struct WarpLanes;  // exec/warp_lanes.h
  Cta* cta_;
  std::uint32_t index_;
  std::byte* file_ = nullptr;  // 64-byte aligned
  std::unique_ptr<std::byte[]> file_storage_;
  LaneMask active_ = 0, present_ = 0, existing_ = 0;
};

// Defined in tensor/. Throws Stop (kAccumulatorInFlight).
void CheckInFlight(Warp& warp, const Op& op);

// for (lane : Each(mask))
class Each {
 public:
  explicit Each(LaneMask mask) : mask_(mask) {}
  struct Iterator {
    LaneMask rest;
    std::uint32_t operator*() const { return static_cast<std::uint32_t>(__builtin_ctz(rest)); }
    Iterator& operator++() {
      rest &= rest - 1;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return rest != other.rest; }
  };
  Iterator begin() const { return {mask_}; }
  Iterator end() const { return {0}; }

 private:
  LaneMask mask_;
};

inline std::uint32_t FirstLane(LaneMask mask) { return static_cast<std::uint32_t>(__builtin_ctz(mask)); }
constexpr LaneMask kAllLanes = 0xffffffff;

}  // namespace emu
