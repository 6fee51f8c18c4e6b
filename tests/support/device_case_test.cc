// What a kernel can do wrong, done by a driver that computes nothing else: a DeviceCase must say what it was.
#include "tests/support/device_case.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "common/dispatch/registry.h"
#include "tests/fake_driver/fake_driver.h"
#include "tests/support/gpu_environment.h"

namespace gemm::tests {
namespace {

// A plan with workspace, and memory of the fake driver, which the host can write.
class Bench {
 public:
  explicit Bench(fake::FakeDriver& driver)
      : driver_(driver), gpu_(OpenGpu()), host_(TheCase()), device_(GuardMode::kZones) {
    PlanOptions options;
    for (const dispatch::KernelRow* row : dispatch::Registry()) {
      options.kernel = row->name;
      if (Plan::Create(problem(), options, &plan_).ok() && plan_.workspace_size() > 0) break;
    }
    EXPECT_GT(plan_.workspace_size(), 0u);
    EXPECT_EQ(device_.Load(&host_), "");
    EXPECT_EQ(device_.MakeArguments(plan_.workspace_size(), &args_), "");
    driver.Observe([](const fake::Launch&, void**, void* self) { static_cast<Bench*>(self)->Launched(); },
                   this);
  }

  const Problem& problem() const { return host_.description().problem; }
  const Arguments& args() const { return args_; }
  std::size_t a_bytes() const { return host_.a().size(); }
  std::size_t d_bytes() const { return host_.d().size(); }
  fake::FakeDriver& driver() { return driver_; }

  unsigned char* workspace() const { return static_cast<unsigned char*>(args_.workspace); }
  std::size_t workspace_bytes() const { return plan_.workspace_size(); }

  // Both launches compute the product; then `after` is called with the number of the launch, 0 or 1.
  std::string Run(std::function<void(int)> after) {
    launches_ = 0;
    after_ = std::move(after);
    return device_.RunTwiceAndCheck(plan_);
  }
  // The same of one launch.
  std::string RunOnce(std::function<void(int)> after) {
    launches_ = 0;
    after_ = std::move(after);
    return device_.RunOnceAndCheck(plan_);
  }

 private:
  static Case TheCase() {
    std::vector<Case> cases;
    std::string error;
    EXPECT_TRUE(
        ParseCaseLine("8 72 4104 in=bf16 b=c out=fp32 ldd=+4 beta=0.5 cmode=distinct", "test", &cases, &error))
        << error;
    return cases.at(0);
  }

  void Launched() {
    HostGemm(problem(), args_.a, args_.b, args_.c, args_.d, args_.alpha, args_.beta, 1);
    after_(launches_++);
  }

  fake::FakeDriver& driver_;
  Gpu gpu_;
  HostCase host_;
  DeviceCase device_;
  Plan plan_;
  Arguments args_;
  int launches_ = 0;
  std::function<void(int)> after_;
};

// `body` in a process of its own.
void OnBench(const std::function<void(Bench&)>& body) {
  EXPECT_TRUE(fake::InChild([&](fake::FakeDriver& driver) {
    driver.Set("DEVICES", "h200");
    Bench bench(driver);
    body(bench);
  }));
}

unsigned char* Bytes(const void* address) { return static_cast<unsigned char*>(const_cast<void*>(address)); }

TEST(DeviceCase, ARightProductIsRightAndWaitedForOnce) {
  OnBench([](Bench& bench) {
    const std::size_t waits = bench.driver().calls("cuCtxSynchronize");
    const std::size_t launches = bench.driver().launch_count();
    EXPECT_EQ(bench.Run([](int) {}), "");
    EXPECT_EQ(bench.driver().launch_count(), launches + 2);
    EXPECT_EQ(bench.driver().calls("cuCtxSynchronize"), waits + 1);
    EXPECT_EQ(bench.driver().calls("cuStreamSynchronize"), 0u);
  });
}

TEST(DeviceCase, BothRunsFindPoison) {
  OnBench([](Bench& bench) {
    const auto is_poisoned = [&](int) {
      for (std::size_t i = 0; i < bench.workspace_bytes(); ++i) {
        ASSERT_EQ(bench.workspace()[i], DeviceMemory::kPoison) << "byte " << i;
      }
      std::memset(bench.workspace(), 0, bench.workspace_bytes());
    };
    EXPECT_EQ(bench.Run(is_poisoned), "");
  });
  OnBench([](Bench& bench) {
    // The second run leaves D as it is: were it what the first left, that would pass.
    std::vector<unsigned char> poison(Bytes(bench.args().d), Bytes(bench.args().d) + bench.d_bytes());
    const std::string complaint = bench.Run([&](int launch) {
      if (launch == 1) std::memcpy(Bytes(bench.args().d), poison.data(), poison.size());
    });
    EXPECT_NE(complaint.find("576 of 576 elements wrong (576 unwritten)"), std::string::npos) << complaint;
  });
}

TEST(DeviceCase, RunsThatDifferAreReported) {
  for (const int which : {0, 1}) {
    OnBench([which](Bench& bench) {
      const auto flip = [&](int launch) { Bytes(bench.args().d)[0] ^= launch == which ? 1 : 0; };
      EXPECT_EQ(bench.Run(flip), "the second run gave other bits than the first");
    });
  }
}

TEST(DeviceCase, AWrongElementIsReportedAlsoWhenOthersWereRightBefore) {
  OnBench([](Bench& bench) {
    EXPECT_EQ(bench.Run([](int) {}), "");
    const auto spoil = [&](int) { Bytes(bench.args().d)[3] ^= 0x80; };  // its sign
    const std::string complaint = bench.Run(spoil);
    EXPECT_EQ(complaint.find("bound: 1 of 576 elements wrong"), 0u) << complaint;
    EXPECT_EQ(bench.Run([](int) {}), "");
  });
}

TEST(DeviceCase, WritesBesideDAreReported) {
  OnBench([](Bench& bench) {
    // Byte 72 * 4 is the first behind the first row.
    const std::string complaint = bench.Run([&](int) { Bytes(bench.args().d)[289] ^= 1; });
    EXPECT_EQ(complaint, "byte 289 of D, which lies between its rows or matrices, was written");
  });
}

TEST(DeviceCase, WritesToInputsAreReported) {
  OnBench([](Bench& bench) {
    EXPECT_EQ(bench.Run([&](int launch) { Bytes(bench.args().a)[5] ^= launch == 1 ? 1 : 0; }),
              "A was written: its byte 5 changed");
  });
  OnBench([](Bench& bench) {
    EXPECT_EQ(bench.Run([&](int launch) { Bytes(bench.args().b)[7] ^= launch == 1 ? 1 : 0; }),
              "B was written: its byte 7 changed");
  });
  OnBench([](Bench& bench) {
    EXPECT_EQ(bench.Run([&](int launch) { Bytes(bench.args().c)[11] ^= launch == 1 ? 1 : 0; }),
              "C was written: its byte 11 changed");
  });
}

TEST(DeviceCase, WritesAroundOperandsAreReportedWhicheverRunDidThem) {
  for (const int which : {0, 1}) {
    OnBench([which](Bench& bench) {
      const struct {
        const char* name;
        unsigned char* begin;
        std::size_t bytes;
      } places[] = {{"A", Bytes(bench.args().a), bench.a_bytes()},
                    {"D", Bytes(bench.args().d), bench.d_bytes()},
                    {"the workspace", bench.workspace(), bench.workspace_bytes()}};
      for (const auto& place : places) {
        const auto write = [&](std::ptrdiff_t at, bool poisoned) {
          return [&place, at, poisoned, which](int launch) {
            if (launch == which) place.begin[at] = poisoned ? DeviceMemory::kPoison : 0;
          };
        };
        const auto end = static_cast<std::ptrdiff_t>(place.bytes);
        EXPECT_EQ(bench.Run(write(-3, false)),
                  std::string("around ") + place.name + ": the byte 3 before it was written");
        EXPECT_EQ(bench.Run(write(-3, true)), "");
        EXPECT_EQ(bench.Run(write(end + 4, false)),
                  std::string("around ") + place.name + ": the byte 4 past its end was written");
        EXPECT_EQ(bench.Run(write(end + 4, true)), "");
      }
    });
  }
}

TEST(DeviceCase, OneRunIsCheckedAsTwoAre) {
  OnBench([](Bench& bench) {
    const std::size_t waits = bench.driver().calls("cuCtxSynchronize");
    const std::size_t launches = bench.driver().launch_count();
    EXPECT_EQ(bench.RunOnce([](int) {}), "");
    EXPECT_EQ(bench.driver().launch_count(), launches + 1);
    EXPECT_EQ(bench.driver().calls("cuCtxSynchronize"), waits + 1);
    const std::string complaint = bench.RunOnce([&](int) { Bytes(bench.args().d)[3] ^= 0x80; });
    EXPECT_EQ(complaint.find("bound: 1 of 576 elements wrong"), 0u) << complaint;
    EXPECT_EQ(bench.RunOnce([&](int) { bench.workspace()[-3] = 0; }),
              "around the workspace: the byte 3 before it was written");
    EXPECT_EQ(bench.RunOnce([](int) {}), "");
    EXPECT_EQ(bench.RunOnce([&](int) { Bytes(bench.args().a)[5] ^= 1; }), "A was written: its byte 5 changed");
  });
}

TEST(DeviceCase, WhatTheDeviceReportsComesFirst) {
  OnBench([](Bench& bench) {
    bench.driver().Set("FAIL", "cuCtxSynchronize:700,cuMemcpyDtoHAsync:700");
    const std::string complaint = bench.Run([](int) {});
    EXPECT_EQ(complaint.find("after Run: cuCtxSynchronize failed"), 0u) << complaint;
    bench.driver().Set("FAIL", "");
  });
}

}  // namespace
}  // namespace gemm::tests
