// libgemm: D = alpha * A * B + beta * C on NVIDIA GPUs.
//
//   gemm::Problem problem;
//   problem.m = tokens; problem.n = features; problem.k = hidden;
//   problem.b.layout = gemm::Layout::kColumnMajor;            // weights stored [n, k], as engines keep them
//   gemm::Plan plan;
//   gemm::Status status = gemm::Plan::Create(problem, {}, &plan);   // once: chooses and loads the kernel
//   gemm::Arguments args;
//   args.a = x; args.b = w; args.d = y; args.stream = stream;
//   args.workspace = scratch; args.workspace_size = plan.workspace_size();   // 0 bytes for many plans
//   status = plan.Run(args);                                        // often: fills in pointers and launches
//
// This header needs C++17 and nothing else: no CUDA header, no other header of libgemm than the two below.
//
// Context. libgemm uses the calling thread's current CUDA context, so it works beside the CUDA runtime, several
// devices and several contexts. A thread without one (no runtime call was made on it yet) is served in the device's
// primary context, the one the CUDA runtime uses; the thread is left without a current context again. The first such call
// of a device retains that context under a lock, and it is never released. A context that libgemm has worked in is not to be
// reset (cudaDeviceReset).
//
// Threads. Every function may be called from any thread at any time. A Plan is immutable once created: any number of
// threads may Run it at once, on any streams, as long as no two of the products overlap in D or share a workspace.
// Products that follow one another in a stream may share it.
//
// Lifetime. A Plan owns no device memory. It may be destroyed as soon as Run has returned, before the work is done, and so
// may those that a CUDA graph was captured from. Loaded kernels stay loaded until the process ends.
//
// Versions. A program wants the library of the headers that it was compiled with, of the same major and minor number: structs
// cross the boundary by reference, and later versions append fields to them. std::string and std::shared_ptr cross it too, so
// both sides use one C++ standard library.
//
// Numbers. Accumulation is FP32. With u = 2^-24 and u_out the unit roundoff of D's type, each element satisfies
//   |error| <= c (K + 2) u (|alpha| |A| |B| + |beta| |C|) + u_out |D|,   c = kErrorConstant,
// as long as nothing overflows; underflow may add (K + 2) 2^-149 and half of the smallest subnormal of D's type. NaN and
// Inf propagate. FP32 inputs under ComputeType::kTF32 may be rounded to 11 significant bits first, and the bound is
//   |error| <= (c (K + 2) u + t) (|alpha| |A| |B| + |beta| |C|) + u_out |D|,   t = kTF32ErrorConstant,
// for inputs that are 0 or normal numbers of up to 2^127: larger ones may be rounded to Inf. alpha is an ordinary factor:
// alpha = 0 times NaN is NaN. The same plan and the same inputs give the same bits on every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gemm/status.h"
#include "gemm/types.h"

// The CUDA driver's stream handle: CUstream and cudaStream_t are pointers to it.
struct CUstream_st;

namespace gemm {

using Stream = CUstream_st*;

// The c of the error bound above; tests/ checks it on every kernel.
inline constexpr double kErrorConstant = 2.0;
// The t: what rounding both factors of a product can change of it, (1 + 1.25 * 2^-11)^2 - 1, and a little for the sum of them.
inline constexpr double kTF32ErrorConstant = 1.25 * 0x1p-10 + 0x1p-20;

// Batch strides: kPacked means that the matrices of a batch follow one another without a gap.
inline constexpr std::int64_t kPacked = -1;

// One operand of the product. Sizes come from Problem.
struct Matrix {
  DataType type = DataType::kBF16;
  Layout layout = Layout::kRowMajor;
  // Leading dimension in elements; 0 means packed (cols for row-major, rows for column-major). Any value from the packed one
  // on is allowed. The fastest kernels need ld (and batch_stride) in bytes to be a multiple of 16, and run best at multiples of 128.
  std::int64_t ld = 0;
  // Elements between consecutive matrices of the batch. kPacked: ld times the rows (row-major) or columns
  // (column-major), the padding of the last one included. 0 broadcasts one matrix to the whole batch (refused for D). Not
  // looked at when batch is 1.
  std::int64_t batch_stride = kPacked;
  // What the caller promises of the address passed at Run, in bytes: a power of two, at least the element's size. Every
  // allocator of CUDA gives 256. 16 is needed by the fastest kernels, and no kernel gains from more; less is allowed and picks
  // slower ones.
  // Run refuses an address that breaks the promise.
  std::int32_t alignment = 16;
};

// D[m, n] = alpha * A[m, k] * B[k, n] + beta * C[m, n], `batch` times. A plain value; new versions may append fields
// whose defaults mean what older callers meant.
//
// Valid when: m, n, k, batch >= 0; every extent in elements and bytes fits std::int64_t; ld >= the packed one; the
// matrices of D do not overlap in a batch (they follow one another, or lie side by side within one ld); A and B have one
// type; C and D have one type. m * n may exceed 2^31.
// m, n or batch of 0: Run does nothing. k of 0: D = beta * C.
//
// Supported types in this version: A and B of FP32, FP16 or BF16 (both the same); C and D of FP32, FP16 or BF16.
struct Problem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  Matrix a;  // m x k
  Matrix b;  // k x n. Weights stored [n, k] are this matrix in column-major layout with ld = k.
  // m x n. May be D itself (same address and layout). Its description counts only where beta != 0: with beta = 0 on the
  // host it may be left alone, whatever D is. A fault in it is refused by the Run that has beta != 0; under
  // ScalarMode::kDevice by Plan::Create.
  Matrix c;
  Matrix d;  // m x n
  ComputeType compute = ComputeType::kTensor;
  ScalarMode scalars = ScalarMode::kHost;
};

// Measured choices for single problems, which go before predicted ones: what `gemm tune` writes. Cheap to copy (copies
// share one immutable state); may be used by any number of threads. A default-constructed one is empty: every choice is
// predicted.
class Tuning {
 public:
  // Reads the text of a tuning file; reading the file is the caller's. Refuses text of another form with the line's
  // number; *tuning is then unchanged. A file made on another device or by another version of libgemm is accepted and has
  // no effect there.
  static Status Parse(const std::string& text, Tuning* tuning) noexcept;

  // Problems in it.
  std::size_t size() const noexcept;

  struct Impl;
  const Impl* impl() const noexcept { return impl_.get(); }  // for libgemm

 private:
  std::shared_ptr<const Impl> impl_;
};

struct PlanOptions {
  // Ordinal of the device in the driver's numbering; -1 means the device of the current context, or device 0 when the
  // thread has none.
  int device = -1;
  // The most workspace that the chosen kernel may ask for, in bytes; 0 keeps to kernels that need none.
  std::size_t max_workspace = SIZE_MAX;
  // Launch with programmatic stream serialization: the kernel may start while its predecessor in the stream drains, and
  // waits (griddepcontrol.wait) before it touches global memory. Has an effect on compute capability 9.0, but not with max_sms:
  // a kernel that starts early would wait on the multiprocessors that its predecessor leaves alone.
  bool programmatic_launch = false;
  // Row i of D has the same bits whatever m is: the order of summation over K then depends on nothing but the device, n,
  // k, types, layouts, alignments and whether there is a max_workspace. An operand whose leading dimension changes with m (A
  // column-major and packed, say) has to promise an alignment that every such leading dimension is a multiple of, at the least
  // that of one element; and the promise ends where that dimension passes 8,388,544 elements, 4,194,272 of FP32 as TF32: the
  // most that Ampere's kernels with copies of 16 bytes take. Costs speed where m is small, because K is not split and kernels for few
  // rows are left out; and with any max_workspace, which leaves kernels that need none, for what others need grows with m.
  bool batch_invariant = false;
  // The most multiprocessors that the product may occupy at a time, for programs that run something else beside it; 0
  // means all. Kept by kernels with a persistent grid: Hopper's that launch once and, for FP16 and BF16 on devices with the shared
  // memory of an A100 or more, Ampere's with tiles of 128x256. Where only a kernel without one can run the problem, that one
  // runs and does not keep to it: Explain() says so. Negative numbers are refused.
  int max_sms = 0;
  // Where it names a kernel for exactly this problem, these options, this device and this version, that kernel runs,
  // provided that it can and that it keeps to max_workspace. Such a choice is a function of this table too: ranks that
  // must choose alike must be given the same.
  Tuning tuning;
  // B does not change while earlier work in the stream may still run, as weights do not: with programmatic_launch its
  // loads may start before the predecessor has finished.
  bool constant_b = false;
  // Name of the kernel to use, as Explain() lists it; empty lets libgemm choose. A name that does not exist or that
  // cannot run this problem is refused with the reason. The environment variable LIBGEMM_KERNEL, read by Plan::Create,
  // does the same for a program that cannot be changed, where this field is empty.
  std::string kernel;
};

// What one Run works on. All pointers are addresses that the plan's device can access; libgemm owns none of them, and what they
// point to must stay valid until the work in `stream` is done. The struct itself is read by Run only. A captured Run keeps the
// addresses, and alpha and beta of ScalarMode::kHost, for every launch of the graph.
struct Arguments {
  const void* a = nullptr;  // A and B are never read when k is 0, and may then be null
  const void* b = nullptr;
  // Never read when beta is 0 under ScalarMode::kHost, and may then be null. Under kDevice it must not be null. It is D
  // itself (an update in place) or does not overlap D.
  const void* c = nullptr;
  void* d = nullptr;   // must not overlap A or B
  float alpha = 1.0f;  // this and beta: ScalarMode::kHost only
  float beta = 0.0f;
  const float* alpha_device = nullptr;  // one float in device memory, 4-byte aligned; ScalarMode::kDevice only
  const float* beta_device = nullptr;
  // 256-byte aligned, at least Plan::workspace_size() bytes of device memory that overlap no operand; may be null where that is
  // 0. Contents need no preparation and mean nothing afterwards.
  void* workspace = nullptr;
  std::size_t workspace_size = 0;  // bytes
  Stream stream = nullptr;         // null is the legacy default stream
};

// The choice of a kernel for one problem on one device, with all that can be computed ahead. Cheap to copy (copies share
// one immutable state). A default-constructed plan is empty: Run refuses.
class Plan {
 public:
  Plan() noexcept;
  ~Plan();
  Plan(const Plan&) noexcept;
  Plan& operator=(const Plan&) noexcept;
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;

  // Validates `problem`, chooses a kernel (a pure function of the problem, the device's properties, the options and this
  // version of libgemm) and loads it. May take milliseconds; may allocate and lock. On failure *plan is unchanged. The
  // problem is looked at before the machine; one with nothing to compute (m, n or batch of 0) needs no GPU and no driver.
  // Environment variables read when a plan is made, here or by Gemm(), and at no other time: LIBGEMM_KERNEL
  // (PlanOptions::kernel), LIBGEMM_LOG (any value but empty or 0: one line on stderr for each distinct choice, up to 10,000).
  static Status Create(const Problem& problem, const PlanOptions& options, Plan* plan) noexcept;

  // Checks the arguments and launches in `args.stream`; returns before the product is computed. Allocates nothing (but for the
  // sentence of a failure), synchronises nothing, takes no lock (but see Context above); may be captured into a CUDA graph.
  // Arguments that break a rule are refused before anything is launched; whatever fails, D is not written. The sizes of buffers
  // are not known here, and of overlaps only equal addresses are seen.
  Status Run(const Arguments& args) const noexcept;

  // Bytes of workspace that Run asks for; 0 for an empty plan.
  std::size_t workspace_size() const noexcept;
  // Name of the chosen kernel, "" for an empty plan, "none" where m, n or batch is 0. Valid as long as the library is
  // loaded. docs/kernel_names.md says what the pieces of a name mean.
  const char* kernel_name() const noexcept;
  // Name of the kernel for the runs with beta != 0: kernel_name(), unless that one cannot read C as it is described (a
  // layout other than D's, a lesser alignment) or would be slow at it.
  const char* kernel_name_with_c() const noexcept;
  // A table for people: the problem, the device, and every candidate with its predicted time or the reason why it was
  // rejected; the chosen one is marked. "" for an empty plan or when memory runs out.
  std::string Explain() const noexcept;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

// One call: plans, remembers the plan and runs it. The last 64 plans of each thread are kept (least recently used goes
// first), so a program that repeats its shapes pays a look-up. The alignments of the addresses in `args` replace those
// promised in `problem`, and the chosen kernel asks for no more than args.workspace_size of workspace (none where
// args.workspace is null): the kernel, and with it the bits of D, may change with either. The device is that of the current
// context, or device 0 when the thread has none.
// For a stream under capture, create a Plan before: a first call loads the kernel.
Status Gemm(const Problem& problem, const Arguments& args) noexcept;

// "major.minor.patch" of the library. Static storage.
const char* Version() noexcept;

}  // namespace gemm
