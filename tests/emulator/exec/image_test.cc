// Modules: variables with their initial values, names of every space, kernels by name.
#include <gtest/gtest.h>

#include "tests/emulator/exec/kernel.h"
#include "tools/emulator/exec/program.h"
#include "tools/emulator/memory/device_memory.h"

namespace emu::testing {
namespace {

std::string WithVariables(const std::string& variables, const std::string& body) {
  const std::string kernel = Kernel(body);
  const std::size_t entry = kernel.find(".visible .entry");
  return kernel.substr(0, entry) + variables + kernel.substr(entry);
}

TEST(Image, PlacesVariables) {
  DeviceMemory memory(1 << 20);
  {
    Image image(WithVariables(R"(
.global .align 4 .u32 numbers[4] = {1, 2, 3};
.const .align 8 .f64 half = 0d3FE0000000000000;
.visible .global .align 1 .b8 nothing[1000];
.global .align 8 .u64 pointers[2] = {numbers, generic(numbers)+8};
)",
                              "ret;"),
                &memory, AllFamilies());
    std::uint64_t numbers = 0, half = 0, nothing = 0, pointers = 0, bytes = 0;
    ASSERT_TRUE(image.GlobalVariable("numbers", &numbers, &bytes));
    EXPECT_EQ(bytes, 16u);
    const auto* values = reinterpret_cast<const std::uint32_t*>(numbers);
    EXPECT_EQ(std::vector<std::uint32_t>(values, values + 4), (std::vector<std::uint32_t>{1, 2, 3, 0}));
    ASSERT_TRUE(image.GlobalVariable("half", &half, &bytes));
    EXPECT_EQ(bytes, 8u);
    EXPECT_EQ(*reinterpret_cast<const double*>(half), 0.5);
    ASSERT_TRUE(image.GlobalVariable("nothing", &nothing, &bytes));
    EXPECT_EQ(bytes, 1000u);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(reinterpret_cast<const char*>(nothing)[i], 0);
    ASSERT_TRUE(image.GlobalVariable("pointers", &pointers, &bytes));
    EXPECT_EQ(reinterpret_cast<const std::uint64_t*>(pointers)[0], numbers);
    EXPECT_EQ(reinterpret_cast<const std::uint64_t*>(pointers)[1], numbers + 8);
    EXPECT_FALSE(image.GlobalVariable("kernel", &nothing, &bytes));
    EXPECT_FALSE(image.GlobalVariable("absent", &nothing, &bytes));
    EXPECT_GT(memory.used(), 0u);
  }
  EXPECT_EQ(memory.used(), 0u);
}

TEST(Image, KernelsByName) {
  DeviceMemory memory(1 << 20);
  Image image(Kernel("ret;") + ".entry other() { .reg .b32 %r<3>; frob %r1; }\n.func helper() { ret; }\n",
              &memory, AllFamilies());
  const auto kernel = image.Kernel("kernel");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(image.Kernel("kernel"), kernel);
  ASSERT_EQ(kernel->params.size(), 1u);
  EXPECT_EQ(kernel->params[0], (std::pair<std::uint64_t, std::uint32_t>(0, 8)));
  EXPECT_EQ(image.Kernel("absent"), nullptr);
  EXPECT_EQ(image.Kernel("helper"), nullptr);
  // Only who asks for the kernel is told what is wrong with it.
  EXPECT_THROW(image.Kernel("other"), Stop);
}

TEST(Image, DirectivesOfAKernel) {
  DeviceMemory memory(1 << 20);
  Image image(
      ".version 9.0\n.target sm_90a\n.address_size 64\n"
      ".entry a() .reqntid 32, 2, 1 .maxnreg 72 .reqnctapercluster 2 { ret; }\n"
      ".entry b() .maxntid 384 .minnctapersm 2 { ret; }\n",
      &memory, AllFamilies());
  const auto a = image.Kernel("a"), b = image.Kernel("b");
  EXPECT_EQ(a->required_threads.count(), 64u);
  EXPECT_EQ(a->max_registers, 72u);
  EXPECT_EQ(a->required_cluster.x, 2u);
  EXPECT_EQ(b->max_threads.x, 384u);
  EXPECT_EQ(b->min_ctas, 2u);
}

TEST(Image, TextThatIsNoPtx) {
  DeviceMemory memory(1 << 20);
  EXPECT_THROW(Image("this is no module", &memory, AllFamilies()), ptx::SyntaxError);
}

TEST(Image, GlobalAndConstantVariablesInAKernel) {
  const PtxResult result = RunKernel(WithVariables(R"(
.const .align 4 .u32 table[3] = {10, 20, 30};
.global .align 4 .u32 counter = 5;
)",
                                                   R"(
    ld.const.u32 %r3, [table+4];
    ld.global.u32 %r4, [counter];
    add.u32 %r3, %r3, %r4;
    mov.u64 %rd5, table;
    cvta.const.u64 %rd6, %rd5;
    ld.u32 %r5, [%rd6+8];
    add.u32 %r3, %r3, %r5;
    STORE %r3;
    ret;)"));
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<std::uint32_t>(0)[31], 55u);
}

TEST(Image, SharedVariablesAndDynamicSharedMemory) {
  PtxLaunch launch;
  launch.arguments = {Buffer(std::vector<std::uint32_t>(32))};
  launch.dynamic_shared = 64;
  const PtxResult result = RunPtx(WithVariables(R"(
.shared .align 4 .b8 module_scope[12];
.extern .shared .align 128 .b8 dynamic[];
.extern .shared .align 4 .b8 the_same[];
)",
                                                R"(
    .shared .align 2 .b8 one[2];
    .shared .align 16 .b8 two[8];
    mov.u32 %r3, dynamic;
    mov.u32 %r4, the_same;
    sub.u32 %r4, %r3, %r4;
    rem.u32 %r5, %r3, 128;
    add.u32 %r4, %r4, %r5;
    mov.u32 %r6, module_scope;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 st.shared.u16 [one], 1;
    @%p1 st.shared.u64 [two], 2;
    @%p1 st.shared.u32 [%r6+8], 3;
    @%p1 st.shared.u32 [dynamic+60], 4;
    @%p1 ld.shared.u64 %rd5, [two];
    @%p1 ld.shared.u32 %r7, [dynamic+60];
    @%p1 cvt.u32.u64 %r8, %rd5;
    @%p1 mad.lo.u32 %r4, %r7, 10, %r8;
    STORE %r4;
    ret;)"),
                                  "kernel", launch);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<std::uint32_t>(0)[0], 42u);
  EXPECT_EQ(result.Buffer<std::uint32_t>(0)[1], 0u);
}

TEST(Image, DynamicSharedMemoryHasItsEnd) {
  PtxLaunch launch;
  launch.arguments = {Buffer(std::vector<std::uint32_t>(32))};
  launch.dynamic_shared = 64;
  const PtxResult result = RunPtx(
      WithVariables(".extern .shared .align 16 .b8 dynamic[];\n", "st.shared.u32 [dynamic+64], 1;\n ret;"),
      "kernel", launch);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kOutOfBounds) << result.message();
}

TEST(Image, AddressOfAKernelParameter) {
  PtxLaunch launch;
  struct Params {
    std::uint32_t values[5];
  };
  launch.arguments = {Buffer(std::vector<std::uint32_t>(32)), Value(Params{{1, 2, 3, 4, 5}})};
  const PtxResult result = RunPtx(PtxModule(".param .u64 out, .param .align 4 .b8 p[20]", Body(R"(
    mov.b64 %rd5, p;
    cvta.param.u64 %rd6, %rd5;
    ld.u32 %r3, [%rd6+16];
    ld.param.u32 %r4, [p+12];
    add.u64 %rd5, %rd5, 4;
    ld.param.u32 %r5, [%rd5];
    mad.lo.u32 %r3, %r3, 10, %r4;
    mad.lo.u32 %r3, %r3, 10, %r5;
    STORE %r3;
    ret;)")),
                                  "kernel", launch);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<std::uint32_t>(0)[7], 542u);
}

TEST(Image, NamesThatNobodyDefines) {
  const PtxResult result =
      RunKernel(WithVariables(".extern .global .u32 elsewhere;\n", "ld.global.u32 %r3, [elsewhere];\n ret;"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kUnsupported);
  EXPECT_NE(result.finding->message.find("elsewhere"), std::string::npos) << result.message();
}

}  // namespace
}  // namespace emu::testing
