// Capturing streams, and graphs as they are built, changed and launched.
#include <functional>
#include <thread>

#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

class Graphs : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    add_ = FunctionOf(Load(AddModule()), "add");
    stream_ = Make();
    word_ = ToDevice<std::uint32_t>({0});
  }
  CUstream Make(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream stream = nullptr;
    EXPECT_CU(CUDA_SUCCESS, cuStreamCreate(&stream, flags));
    return stream;
  }
  CUevent MakeEvent() {
    CUevent event = nullptr;
    EXPECT_CU(CUDA_SUCCESS, cuEventCreate(&event, 0));
    return event;
  }
  void Add(std::uint32_t value, CUstream stream, CUdeviceptr to = 0) {
    if (to == 0) to = word_;
    EXPECT_CU(CUDA_SUCCESS, Launch(add_, {.threads = 1, .stream = stream}, to, to, value));
  }
  void Begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    ASSERT_CU(cuStreamBeginCapture(stream_, mode));
  }
  CUgraph End() {
    CUgraph graph = nullptr;
    EXPECT_CU(CUDA_SUCCESS, cuStreamEndCapture(stream_, &graph));
    return graph;
  }
  void EndsWith(CUresult result) {
    CUgraph graph = nullptr;
    EXPECT_CU(result, cuStreamEndCapture(stream_, &graph));
    EXPECT_EQ(nullptr, graph);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    EXPECT_CU(CUDA_SUCCESS, cuStreamIsCapturing(stream_, &status));
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status);
  }
  CUgraphExec Instantiate(CUgraph graph) {
    CUgraphExec executable = nullptr;
    EXPECT_CU(CUDA_SUCCESS, cuGraphInstantiate(&executable, graph, 0));
    return executable;
  }
  void Replay(CUgraphExec executable) {
    EXPECT_CU(CUDA_SUCCESS, cuGraphLaunch(executable, stream_));
    EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(stream_));
  }
  std::vector<CUgraphNode> Nodes(CUgraph graph) {
    std::size_t count = 0;
    EXPECT_CU(CUDA_SUCCESS, cuGraphGetNodes(graph, nullptr, &count));
    std::vector<CUgraphNode> nodes(count);
    EXPECT_CU(CUDA_SUCCESS, cuGraphGetNodes(graph, nodes.data(), &count));
    return nodes;
  }
  std::size_t Edges(CUgraph graph) {
    std::size_t count = 0;
    EXPECT_CU(CUDA_SUCCESS, cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
    return count;
  }
  std::uint32_t Word() { return FromDevice<std::uint32_t>(word_, 1)[0]; }

  CUfunction add_ = nullptr;
  CUstream stream_ = nullptr;
  CUdeviceptr word_ = 0;
};

TEST_F(Graphs, CapturedWorkRunsAtEachLaunchAndNotBefore) {
  Begin();
  CUstreamCaptureStatus status{};
  EXPECT_CU(CUDA_SUCCESS, cuStreamIsCapturing(stream_, &status));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status);
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(word_, 10, 1, stream_));
  Add(1, stream_);
  Add(2, stream_);
  const CUgraph graph = End();
  EXPECT_EQ(3u, Nodes(graph).size());
  EXPECT_EQ(2u, Edges(graph));
  const CUgraphExec executable = Instantiate(graph);
  EXPECT_EQ(0u, Word());
  EXPECT_CU(CUDA_SUCCESS, cuGraphDestroy(graph)) << "the executable has its own copy";
  Replay(executable);
  EXPECT_EQ(13u, Word());
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(word_, 0, 1, stream_));
  Replay(executable);
  EXPECT_EQ(13u, Word());
  EXPECT_CU(CUDA_SUCCESS, cuGraphExecDestroy(executable));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(executable, stream_));
}

TEST_F(Graphs, LaunchesKeepTheOrderOfTheirStream) {
  Begin();
  Add(5, stream_);
  const CUgraphExec executable = Instantiate(End());
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(word_, 1, 1, stream_));
  EXPECT_CU(CUDA_SUCCESS, cuGraphLaunch(executable, stream_));
  EXPECT_CU(CUDA_SUCCESS, cuGraphLaunch(executable, stream_));
  Add(100, stream_);
  EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(stream_));
  EXPECT_EQ(111u, Word());
}

// Two streams after a fork, joined again.
TEST_F(Graphs, ForkedStreamsAreCapturedToo) {
  const CUstream side = Make();
  const CUevent fork = MakeEvent(), join = MakeEvent();
  const CUdeviceptr other = ToDevice<std::uint32_t>({0});
  Begin();
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(word_, 1, 1, stream_));
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(fork, stream_));
  EXPECT_CU(CUDA_SUCCESS, cuStreamWaitEvent(side, fork, 0));
  EXPECT_CU(CUDA_SUCCESS, cuMemcpyDtoDAsync(other, word_, 4, side));
  Add(10, side, other);
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(join, side));
  Add(100, stream_);
  EXPECT_CU(CUDA_SUCCESS, cuStreamWaitEvent(stream_, join, 0));
  EXPECT_CU(CUDA_SUCCESS, Launch(add_, {.threads = 1, .stream = stream_}, word_, other, 1000u));
  const CUgraph graph = End();
  EXPECT_EQ(5u, Nodes(graph).size());
  EXPECT_EQ(5u, Edges(graph));
  std::size_t roots = 0;
  EXPECT_CU(CUDA_SUCCESS, cuGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT_EQ(1u, roots);
  Replay(Instantiate(graph));
  const std::uint32_t copied = FromDevice<std::uint32_t>(other, 1)[0] - 10;
  EXPECT_TRUE(copied == 1 || copied == 101) << "the copy and the addition are not ordered: " << copied;
  EXPECT_EQ(copied + 1010, Word());
  // The event that was recorded in the capture is none for others.
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent(side, join, 0));
}

TEST_F(Graphs, ForksMustBeJoined) {
  const CUstream side = Make();
  const CUevent fork = MakeEvent();
  Begin();
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(fork, stream_));
  EXPECT_CU(CUDA_SUCCESS, cuStreamWaitEvent(side, fork, 0));
  Add(1, side);
  CUgraph graph = nullptr;
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(side, &graph));
  EndsWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  Begin();
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(fork, stream_));
  EXPECT_CU(CUDA_SUCCESS, cuStreamWaitEvent(side, fork, 0));
  Add(1, side);
  EndsWith(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  // Both streams are free again.
  Add(1, side);
  Add(1, stream_);
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
  EXPECT_EQ(2u, Word());
}

TEST_F(Graphs, WhatWouldWaitEndsACapture) {
  const CUevent event = MakeEvent();
  CUdeviceptr address = 0;
  std::uint32_t value = 0;
  const std::function<CUresult()> calls[] = {
      [&] { return cuStreamSynchronize(stream_); },
      [&] { return cuStreamQuery(stream_); },
      [&] { return cuCtxSynchronize(); },
      [&] { return cuMemAlloc(&address, 4); },
      [&] { return cuMemcpyDtoH(&value, word_, 4); },
  };
  for (const auto& call : calls) {
    Begin();
    EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, call());
    EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
              Launch(add_, {.threads = 1, .stream = stream_}, word_, word_, 1u));
    EndsWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  Begin();
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(event, stream_));
  EXPECT_CU(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(event));
  EndsWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(Graphs, ARelaxedCaptureAllowsAllocations) {
  CUdeviceptr address = 0;
  Begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_CU(CUDA_SUCCESS, cuMemAlloc(&address, 4));
  Add(1, stream_);
  EXPECT_EQ(1u, Nodes(End()).size());
  // And so does a thread that asks for it.
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_CU(CUDA_SUCCESS, cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(CU_STREAM_CAPTURE_MODE_GLOBAL, mode);
  Begin();
  EXPECT_CU(CUDA_SUCCESS, cuMemAlloc(&address, 4));
  End();
  EXPECT_CU(CUDA_SUCCESS, cuThreadExchangeStreamCaptureMode(&mode));
  // Another thread's calls are none of a thread's own capture.
  Begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  std::thread([&] {
    EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(context()));
    EXPECT_CU(CUDA_SUCCESS, cuMemAlloc(&address, 4));
    CUgraph graph = nullptr;
    EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, cuStreamEndCapture(stream_, &graph));
  }).join();
  End();
}

TEST_F(Graphs, TheLegacyStreamStaysOut) {
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL));
  stream_ = Make(CU_STREAM_DEFAULT);
  Begin();
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuMemsetD32Async(word_, 1, 1, nullptr));
  EndsWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  stream_ = Make(CU_STREAM_NON_BLOCKING);
  Begin();
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(word_, 1, 1, nullptr));
  End();
  EXPECT_CU(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream_, nullptr));
}

TEST_F(Graphs, TwoCapturesDoNotMerge) {
  const CUstream other = Make();
  const CUevent event = MakeEvent();
  Begin();
  ASSERT_CU(cuStreamBeginCapture(other, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(event, other));
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(stream_, event, 0));
  EndsWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CUgraph graph = nullptr;
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(other, &graph));
}

TEST_F(Graphs, KernelsGetOtherParameters) {
  Begin();
  Add(1, stream_);
  const CUgraph graph = End();
  const CUgraphNode node = Nodes(graph)[0];
  const CUgraphExec executable = Instantiate(graph);
  CUgraphNodeType type{};
  EXPECT_CU(CUDA_SUCCESS, cuGraphNodeGetType(node, &type));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_KERNEL, type);
  CUDA_KERNEL_NODE_PARAMS parameters{};
  EXPECT_CU(CUDA_SUCCESS, cuGraphKernelNodeGetParams(node, &parameters));
  EXPECT_EQ(add_, parameters.func);
  EXPECT_EQ(1u, parameters.blockDimX);
  EXPECT_EQ(1u, *static_cast<std::uint32_t*>(parameters.kernelParams[2]));

  std::uint32_t add = 50;
  void* values[] = {&word_, &word_, &add};
  parameters.kernelParams = values;
  EXPECT_CU(CUDA_SUCCESS, cuGraphLaunch(executable, stream_)) << "queued with the old parameters";
  EXPECT_CU(CUDA_SUCCESS, cuGraphExecKernelNodeSetParams(executable, node, &parameters));
  Replay(executable);
  EXPECT_EQ(51u, Word());
  // The graph itself is as it was, until it is changed.
  Replay(Instantiate(graph));
  EXPECT_EQ(52u, Word());
  EXPECT_CU(CUDA_SUCCESS, cuGraphKernelNodeSetParams(node, &parameters));
  Replay(Instantiate(graph));
  EXPECT_EQ(102u, Word());
  EXPECT_CU(CUDA_SUCCESS, cuGraphNodeSetEnabled(executable, node, 0));
  Replay(executable);
  EXPECT_EQ(102u, Word());
  parameters.blockDimX = 2000;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuGraphExecKernelNodeSetParams(executable, node, &parameters));
}

TEST_F(Graphs, AnExecutableIsUpdatedFromAGraphOfTheSameShape) {
  const auto capture = [&](std::uint32_t add, int times) {
    Begin();
    for (int i = 0; i < times; ++i) Add(add, stream_);
    return End();
  };
  const CUgraphExec executable = Instantiate(capture(1, 2));
  CUgraphExecUpdateResultInfo info{};
  EXPECT_CU(CUDA_SUCCESS, cuGraphExecUpdate(executable, capture(10, 2), &info));
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_SUCCESS, info.result);
  Replay(executable);
  EXPECT_EQ(20u, Word());
  EXPECT_CU(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(executable, capture(10, 3), &info));
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, info.result);
}

TEST_F(Graphs, ProgrammaticEdgesAreCaptured) {
  Begin();
  Add(1, stream_);
  EXPECT_CU(CUDA_SUCCESS,
            Launch(add_, {.threads = 1, .programmatic = true, .stream = stream_}, word_, word_, 1u));
  const CUgraph graph = End();
  CUgraphNode from = nullptr, to = nullptr;
  CUgraphEdgeData edge{};
  std::size_t count = 1;
  EXPECT_CU(CUDA_SUCCESS, cuGraphGetEdges(graph, &from, &to, &edge, &count));
  ASSERT_EQ(1u, count);
  EXPECT_EQ(CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, edge.type);
  EXPECT_EQ(CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, edge.from_port);
  // Who does not ask for the data of such an edge is not told half of the truth.
  EXPECT_CU(CUDA_ERROR_LOSSY_QUERY, cuGraphGetEdges(graph, &from, &to, nullptr, &count));
}

int calls = 0;

TEST_F(Graphs, AreBuiltByHand) {
  CUgraph graph = nullptr;
  ASSERT_CU(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = word_, fill.value = 5, fill.elementSize = 4, fill.width = fill.height = 1;
  CUgraphNode filled = nullptr, added = nullptr, called = nullptr, empty = nullptr;
  ASSERT_CU(cuGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill, context()));
  ASSERT_CU(cuGraphAddEmptyNode(&empty, graph, &filled, 1));
  std::uint32_t add = 2;
  void* values[] = {&word_, &word_, &add};
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = add_;
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ =
      1;
  kernel.kernelParams = values;
  ASSERT_CU(cuGraphAddKernelNode(&added, graph, &empty, 1, &kernel));
  CUDA_HOST_NODE_PARAMS host{[](void*) { ++calls; }, nullptr};
  ASSERT_CU(cuGraphAddHostNode(&called, graph, &added, 1, &host));
  CUDA_MEMCPY3D copy{};
  const CUdeviceptr other = ToDevice<std::uint32_t>({0});
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = word_, copy.dstDevice = other;
  copy.WidthInBytes = 4, copy.Height = copy.Depth = 1;
  CUgraphNode copied = nullptr;
  ASSERT_CU(cuGraphAddMemcpyNode(&copied, graph, &added, 1, &copy, context()));
  // Inside another graph.
  CUgraph outer = nullptr;
  CUgraphNode inner = nullptr;
  ASSERT_CU(cuGraphCreate(&outer, 0));
  ASSERT_CU(cuGraphAddChildGraphNode(&inner, outer, nullptr, 0, graph));
  calls = 0;
  Replay(Instantiate(outer));
  EXPECT_EQ(1, calls);
  EXPECT_EQ(7u, FromDevice<std::uint32_t>(other, 1)[0]);
  // A cycle cannot be launched.
  EXPECT_CU(CUDA_SUCCESS, cuGraphAddDependencies(graph, &added, &filled, nullptr, 1));
  CUgraphExec executable = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&executable, graph, 0));
  EXPECT_CU(CUDA_SUCCESS, cuGraphRemoveDependencies(graph, &added, &filled, nullptr, 1));
  EXPECT_CU(CUDA_SUCCESS, cuGraphInstantiate(&executable, graph, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&empty, outer, &filled, 1))
      << "a node of another graph";
}

TEST_F(Graphs, AreCloned) {
  Begin();
  Add(1, stream_);
  Add(2, stream_);
  const CUgraph graph = End();
  CUgraph clone = nullptr;
  ASSERT_CU(cuGraphClone(&clone, graph));
  CUgraphNode found = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuGraphNodeFindInClone(&found, Nodes(graph)[1], clone));
  EXPECT_EQ(Nodes(clone)[1], found);
  EXPECT_CU(CUDA_SUCCESS, cuGraphDestroyNode(found));
  Replay(Instantiate(clone));
  EXPECT_EQ(1u, Word());
  Replay(Instantiate(graph));
  EXPECT_EQ(4u, Word());
}

TEST_F(Graphs, AFindingInAGraphNamesItsKernel) {
  Begin();
  Add(1, stream_, word_ + 400);
  const CUgraphExec executable = Instantiate(End());
  EXPECT_CU(CUDA_SUCCESS, cuGraphLaunch(executable, stream_));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream_));
  EXPECT_NE(std::string::npos, LastReport().find("out of bounds in add")) << LastReport();
}

// Nodes that nothing orders run in an order that is the seed's.
TEST(GraphOrder, DependsOnTheSeed) {
  const auto last = [](const char* seed, bool mixed) {
    InProcess({{"GPU_EMULATOR_SEED", seed}}, [&] {
      const CUcontext context = Start();
      const CUdeviceptr word = ToDevice<std::uint32_t>({0});
      CUgraph graph = nullptr;
      ASSERT_CU(cuGraphCreate(&graph, 0));
      CUDA_MEMSET_NODE_PARAMS fill{};
      fill.dst = word, fill.elementSize = 4, fill.width = fill.height = 1;
      for (fill.value = 0; fill.value < 3; ++fill.value) {
        CUgraphNode node = nullptr;
        ASSERT_CU(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context));
      }
      CUgraphExec executable = nullptr;
      ASSERT_CU(cuGraphInstantiate(&executable, graph, 0));
      std::string order;
      for (int i = 0; i < 12; ++i) {
        EXPECT_CU(CUDA_SUCCESS, cuGraphLaunch(executable, nullptr));
        order += std::to_string(FromDevice<std::uint32_t>(word, 1)[0]);
      }
      if (!mixed) {
        EXPECT_EQ("222222222222", order);
      } else {
        for (const char node : {'0', '1', '2'}) EXPECT_NE(std::string::npos, order.find(node)) << order;
      }
    });
  };
  last("0", false);
  last("5", true);
}

}  // namespace
}  // namespace emu::testing
