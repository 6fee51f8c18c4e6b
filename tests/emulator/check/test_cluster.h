// A cluster whose warps do nothing but call the checker.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/emulator/async/state.h"
#include "tools/emulator/check/checker.h"
#include "tools/emulator/exec/async_queue.h"
#include "tools/emulator/exec/program.h"
#include "tools/emulator/exec/state.h"
#include "tools/emulator/exec/warp.h"
#include "tools/emulator/tensor/state.h"

namespace emu::testing {

// What the function was stopped with.
inline std::optional<Finding> Caught(const std::function<void()>& function) {
  try {
    function();
  } catch (const Stop& stop) {
    return stop.finding();
  }
  return std::nullopt;
}

// The statement must be stopped with a finding of this kind; by nothing.
#define EXPECT_FINDING(expected_kind, statement)                                \
  do {                                                                          \
    const std::optional<Finding> finding = Caught([&] { statement; });          \
    ASSERT_TRUE(finding.has_value()) << #statement;                             \
    EXPECT_EQ(finding->kind, FindingKind::expected_kind) << ToString(*finding); \
  } while (false)
#define EXPECT_SILENT(statement)                                                   \
  do {                                                                             \
    const std::optional<Finding> finding = Caught([&] { statement; });             \
    EXPECT_FALSE(finding.has_value()) << #statement << "\n" << ToString(*finding); \
  } while (false)

class TestCluster {
 public:
  TestCluster(std::uint32_t ctas, std::uint32_t warps_per_cta, std::uint32_t shared_bytes = 4096) {
    auto program = std::make_shared<Program>();
    program->name = "kernel_name";
    grid_.program = program;
    grid_.threads = {warps_per_cta * kWarpSize, 1, 1};
    grid_.cluster = {ctas, 1, 1};
    grid_.blocks = {ctas, 1, 1};
    grid_.shared_bytes = shared_bytes;
    cluster_.grid = &grid_;
    for (std::uint32_t rank = 0; rank < ctas; ++rank) {
      auto cta = std::make_unique<Cta>();
      cta->cluster = &cluster_;
      cta->rank = rank;
      cta->id = {rank, 0, 0};
      cta->shared.resize(shared_bytes);
      for (std::uint32_t warp = 0; warp < warps_per_cta; ++warp) {
        cta->warps.push_back(std::make_unique<Warp>(cta.get(), warp));
      }
      cluster_.ctas.push_back(std::move(cta));
    }
    cluster_.checker = std::make_unique<Checker>(&cluster_);
  }

  Checker& checker() { return *cluster_.checker; }
  const Warp& warp(std::uint32_t rank, std::uint32_t index) const { return *cluster_.ctas[rank]->warps[index]; }

  // An instruction of this name at this line of the PTX.
  const Op& OpAt(int line, const char* name) {
    for (const Op& op : ops_) {
      if (op.line == line && std::string(op.name) == name) return op;
    }
    Op op;
    op.line = line;
    op.name = name;
    return ops_.emplace_back(op);
  }

  // One lane's accesses.
  void Read(const Warp& warp, std::uint32_t lane, std::uint32_t address, std::uint32_t bytes = 4,
            int line = 10) {
    std::uint32_t addresses[kWarpSize] = {};
    addresses[lane] = address;
    checker().Read(warp, OpAt(line, "ld.shared"), 1u << lane, addresses, bytes);
  }
  void Write(const Warp& warp, std::uint32_t lane, std::uint32_t address, std::uint32_t bytes = 4,
             int line = 20) {
    std::uint32_t addresses[kWarpSize] = {};
    addresses[lane] = address;
    checker().Write(warp, OpAt(line, "st.shared"), 1u << lane, addresses, bytes);
  }
  void Strong(const Warp& warp, std::uint32_t lane, std::uint32_t address, bool write,
              std::uint32_t bytes = 4) {
    std::uint32_t addresses[kWarpSize] = {};
    addresses[lane] = address;
    checker().Strong(warp, OpAt(30, write ? "st.relaxed.shared" : "ld.relaxed.shared"), 1u << lane, addresses,
                     bytes, write);
  }
  AsyncId Copy(const Warp& warp, std::uint32_t lane, std::uint32_t address, std::uint32_t bytes = 16,
               int line = 40) {
    std::uint32_t addresses[kWarpSize] = {};
    addresses[lane] = address;
    return checker().Copy(warp, OpAt(line, "cp.async.ca.shared.global"), 1u << lane, addresses, bytes);
  }
  // From one thread to another, as through a flag with release and acquire.
  void Order(const Warp& from, std::uint32_t from_lane, const Warp& to, std::uint32_t to_lane) {
    SyncPoint point;
    checker().Release(from, 1u << from_lane, &point);
    checker().Acquire(to, 1u << to_lane, point);
  }
  // bar.sync of whole warps.
  void Barrier(const std::vector<const Warp*>& warps) {
    SyncPoint point;
    for (const Warp* warp : warps) checker().Release(*warp, kAllLanes, &point);
    for (const Warp* warp : warps) checker().Acquire(*warp, kAllLanes, point);
  }

 private:
  Grid grid_;
  Cluster cluster_;
  std::deque<Op> ops_;
};

// A shared::cluster address.
inline std::uint32_t At(std::uint32_t rank, std::uint32_t offset) { return rank << kRankShift | offset; }

}  // namespace emu::testing
