// Streams and events: what waits for what.
#include <chrono>
#include <thread>

#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

// Order is made visible by fills of one word: the last one that ran is what remains.
class Streams : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    word_ = ToDevice<std::uint32_t>({0});
    add_ = FunctionOf(Load(AddModule()), "add");
  }
  CUstream Make(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream stream = nullptr;
    EXPECT_CU(CUDA_SUCCESS, cuStreamCreate(&stream, flags));
    return stream;
  }
  CUevent MakeEvent(unsigned flags = 0) {
    CUevent event = nullptr;
    EXPECT_CU(CUDA_SUCCESS, cuEventCreate(&event, flags));
    return event;
  }
  void Set(std::uint32_t value, CUstream stream) {
    EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(word_, value, 1, stream));
  }
  void Add(std::uint32_t value, CUstream stream) {
    EXPECT_CU(CUDA_SUCCESS, Launch(add_, {.threads = 1, .stream = stream}, word_, word_, value));
  }
  std::uint32_t Word() { return FromDevice<std::uint32_t>(word_, 1)[0]; }

  CUdeviceptr word_ = 0;
  CUfunction add_ = nullptr;
};

TEST_F(Streams, RunInTheOrderGiven) {
  const CUstream stream = Make();
  Set(5, stream);
  Add(3, stream);
  Set(20, stream);
  for (int i = 0; i < 10; ++i) Add(1, stream);
  EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(stream));
  EXPECT_EQ(30u, Word());
}

TEST_F(Streams, AnEventHoldsOneUpForAnother) {
  const CUstream a = Make(), b = Make();
  const CUevent event = MakeEvent();
  Set(5, a);
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(event, a));
  Set(100, a);
  EXPECT_CU(CUDA_SUCCESS, cuStreamWaitEvent(b, event, 0));
  // Recording it again does not change what b waits for.
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(event, a));
  Add(1, b);
  EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(b));
  EXPECT_EQ(6u, Word()) << "all of a up to the event, and nothing behind it, was needed";
  EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(a));
  EXPECT_EQ(100u, Word());
}

TEST_F(Streams, AnEventThatWasNeverRecordedHoldsNobodyUp) {
  const CUevent event = MakeEvent();
  EXPECT_CU(CUDA_SUCCESS, cuStreamWaitEvent(Make(), event, 0));
  EXPECT_CU(CUDA_SUCCESS, cuEventQuery(event));
  EXPECT_CU(CUDA_SUCCESS, cuEventSynchronize(event));
}

TEST_F(Streams, WaitsGoThroughSeveralStreams) {
  const CUstream streams[] = {Make(), Make(), Make(), Make()};
  Set(1, streams[0]);
  for (int i = 1; i < 4; ++i) {
    const CUevent event = MakeEvent(CU_EVENT_DISABLE_TIMING);
    EXPECT_CU(CUDA_SUCCESS, cuEventRecord(event, streams[i - 1]));
    EXPECT_CU(CUDA_SUCCESS, cuStreamWaitEvent(streams[i], event, 0));
    EXPECT_CU(CUDA_SUCCESS, cuEventDestroy(event));
    Add(10 * i, streams[i]);
  }
  EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(streams[3]));
  EXPECT_EQ(61u, Word());
}

TEST_F(Streams, TheLegacyStreamWaitsForBlockingOnesAndTheyForIt) {
  const CUstream blocking = Make(CU_STREAM_DEFAULT), free = Make();
  Set(1, blocking);
  Set(200, free);
  Add(1, nullptr);
  Add(10, blocking);
  EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(blocking));
  // The free stream's fill came into this at no place.
  EXPECT_EQ(12u, FromDevice<std::uint32_t>(word_, 1)[0]);
  EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(free));
  EXPECT_EQ(200u, Word());
}

TEST_F(Streams, SynchronizingTheContextRunsAll) {
  const CUstream a = Make(), b = Make(CU_STREAM_DEFAULT);
  const CUdeviceptr words = ToDevice<std::uint32_t>({0, 0, 0});
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(words, 1, 1, a));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(words + 4, 2, 1, b));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(words + 8, 3, 1, CU_STREAM_PER_THREAD));
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
  EXPECT_EQ((std::vector<std::uint32_t>{1, 2, 3}), FromDevice<std::uint32_t>(words, 3));
}

TEST_F(Streams, TheThreadsOwnStreamIsNotTheLegacyOne) {
  unsigned long long legacy = 0, own = 0, other = 0, named = 0;
  EXPECT_CU(CUDA_SUCCESS, cuStreamGetId(nullptr, &legacy));
  EXPECT_CU(CUDA_SUCCESS, cuStreamGetId(CU_STREAM_LEGACY, &named));
  EXPECT_EQ(legacy, named);
  EXPECT_CU(CUDA_SUCCESS, cuStreamGetId(CU_STREAM_PER_THREAD, &own));
  EXPECT_NE(legacy, own);
  std::thread([&] {
    EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(context()));
    EXPECT_CU(CUDA_SUCCESS, cuStreamGetId(CU_STREAM_PER_THREAD, &other));
  }).join();
  EXPECT_NE(own, other);
  void* function = nullptr;
  ASSERT_CU(cuGetProcAddress("cuStreamGetId", &function, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                             nullptr));
  EXPECT_CU(CUDA_SUCCESS, reinterpret_cast<decltype(&cuStreamGetId)>(function)(nullptr, &named));
  EXPECT_EQ(own, named);
}

TEST_F(Streams, SayWhatTheyAre) {
  CUstream stream = nullptr;
  int least = 1, greatest = 1, priority = 1;
  EXPECT_CU(CUDA_SUCCESS, cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_LT(greatest, least);
  ASSERT_CU(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, greatest - 10));
  EXPECT_CU(CUDA_SUCCESS, cuStreamGetPriority(stream, &priority));
  EXPECT_EQ(greatest, priority);
  unsigned flags = 0;
  EXPECT_CU(CUDA_SUCCESS, cuStreamGetFlags(stream, &flags));
  EXPECT_EQ(unsigned(CU_STREAM_NON_BLOCKING), flags);
  CUcontext context_of = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuStreamGetCtx(stream, &context_of));
  EXPECT_EQ(context(), context_of);
  EXPECT_CU(CUDA_SUCCESS, cuStreamDestroy(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&stream, 2));
}

TEST_F(Streams, WhatIsQueuedRunsBeforeTheStreamGoes) {
  const CUstream stream = Make();
  Set(42, stream);
  EXPECT_CU(CUDA_SUCCESS, cuStreamDestroy(stream));
  EXPECT_EQ(42u, Word());
}

TEST_F(Streams, HostFunctionsRunInOrderAndMayNotCallTheApi) {
  struct Seen {
    CUdeviceptr word;
    CUresult api = CUDA_SUCCESS;
    std::uint32_t value = 0;
    int calls = 0;
  };
  void* pinned = nullptr;
  ASSERT_CU(cuMemAllocHost(&pinned, 4));
  Seen seen{reinterpret_cast<CUdeviceptr>(pinned)};
  const CUstream stream = Make();
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(seen.word, 7, 1, stream));
  EXPECT_CU(CUDA_SUCCESS, cuLaunchHostFunc(
                              stream,
                              [](void* data) {
                                auto* const seen = static_cast<Seen*>(data);
                                seen->value = *reinterpret_cast<std::uint32_t*>(seen->word);
                                CUdeviceptr address = 0;
                                seen->api = cuMemAlloc(&address, 4);
                                ++seen->calls;
                              },
                              &seen));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(seen.word, 8, 1, stream));
  EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(stream));
  EXPECT_EQ(1, seen.calls);
  EXPECT_EQ(7u, seen.value);
  EXPECT_CU(CUDA_ERROR_NOT_PERMITTED, seen.api);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuLaunchHostFunc(stream, nullptr, nullptr));
  EXPECT_CU(CUDA_SUCCESS, cuStreamAddCallback(
                              stream,
                              [](CUstream, CUresult result, void* data) {
                                static_cast<Seen*>(data)->api = result;
                                ++static_cast<Seen*>(data)->calls;
                              },
                              &seen, 0));
  EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(stream));
  EXPECT_EQ(2, seen.calls);
  EXPECT_CU(CUDA_SUCCESS, seen.api);
}

TEST_F(Streams, EventsMeasureTime) {
  const CUstream stream = Make();
  const CUevent begin = MakeEvent(), end = MakeEvent(), untimed = MakeEvent(CU_EVENT_DISABLE_TIMING);
  float milliseconds = -1;
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, begin, end)) << "never recorded";
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(begin, stream));
  EXPECT_CU(CUDA_SUCCESS,
            cuLaunchHostFunc(
                stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }, nullptr));
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(end, stream));
  EXPECT_CU(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&milliseconds, begin, end));
  EXPECT_CU(CUDA_SUCCESS, cuEventSynchronize(end));
  EXPECT_CU(CUDA_SUCCESS, cuEventElapsedTime(&milliseconds, begin, end));
  EXPECT_GE(milliseconds, 5);
  EXPECT_CU(CUDA_SUCCESS, cuEventElapsedTime(&milliseconds, end, begin));
  EXPECT_LE(milliseconds, -5);
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(untimed, stream));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, begin, untimed));
  EXPECT_CU(CUDA_SUCCESS, cuEventQuery(untimed));
  EXPECT_CU(CUDA_SUCCESS, cuEventDestroy(begin));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(begin, stream));
  CUevent none = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&none, 1u << 20));
}

// A query counts as the host's interest in the answer: work goes on.
TEST_F(Streams, PollingComesToAnEnd) {
  const CUstream stream = Make();
  const CUevent event = MakeEvent();
  Set(3, stream);
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(event, stream));
  int polls = 0;
  while (cuEventQuery(event) == CUDA_ERROR_NOT_READY && ++polls < 1000000) {
  }
  EXPECT_LT(polls, 1000000);
  Set(4, stream);
  while (cuStreamQuery(stream) == CUDA_ERROR_NOT_READY && ++polls < 1000000) {
  }
  EXPECT_LT(polls, 1000000);
  EXPECT_EQ(4u, Word());
}

// Streams that nothing orders: which runs first is the seed's.
TEST(StreamOrder, DependsOnTheSeed) {
  const auto last = [](const char* seed, const char* expected) {
    InProcess({{"GPU_EMULATOR_SEED", seed}}, [&] {
      Start();
      std::string order;
      for (int round = 0; round < 12; ++round) {
        const CUdeviceptr word = ToDevice<std::uint32_t>({0});
        for (std::uint32_t i = 0; i < 3; ++i) {
          CUstream stream = nullptr;
          EXPECT_CU(CUDA_SUCCESS, cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
          EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(word, i, 1, stream));
        }
        EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
        order += std::to_string(FromDevice<std::uint32_t>(word, 1)[0]);
      }
      if (expected != nullptr) {
        EXPECT_EQ(expected, order);
      } else {
        for (const char stream : {'0', '1', '2'}) EXPECT_NE(std::string::npos, order.find(stream)) << order;
      }
    });
  };
  last("0", "222222222222");
  last("5", nullptr);
}

}  // namespace
}  // namespace emu::testing
