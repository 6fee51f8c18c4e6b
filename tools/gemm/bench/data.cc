#include "tools/gemm/bench/data.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/base/data_type.h"
#include "common/base/math.h"
#include "tests/support/compare.h"
#include "tests/support/fills.h"
#include "tests/support/matrix.h"
#include "tests/support/numerics.h"

namespace gemm::tool::bench {
namespace {

// 8 Mi elements and 48 more, so that no row length divides the pool and equal rows of an operand do not line
// up.
constexpr std::int64_t kPoolElements = (std::int64_t{1} << 23) + 48;
// Operands start at multiples of this in the pool, so that copies stay aligned.
constexpr std::int64_t kGrain = 16;
constexpr std::size_t kAlignment = 256;
constexpr int kCheckedElements = 48;
// Device memory left to others: the workspaces, the graphs, the rival.
constexpr double kMemoryShare = 0.85;

tests::View Flat(DataType type, std::int64_t count, void* data) {
  tests::View view;
  view.type = type;
  view.rows = 1;
  view.cols = count;
  view.row_stride = count;
  view.data = data;
  return view;
}

}  // namespace

Status NormalPool::Create(DataType type, std::uint64_t seed, NormalPool* pool) {
  pool->type_ = type;
  pool->host_.resize(static_cast<std::size_t>(kPoolElements * base::ElementBytes(type)));
  tests::FillMatrix(Flat(type, kPoolElements, pool->host_.data()), tests::Fill::kNormal, tests::Operand::kA,
                    seed);
  Status status = gpu::DeviceBuffer::Create(pool->host_.size(), &pool->device_);
  return status.ok() ? pool->device_.CopyFrom(pool->host_.data(), pool->host_.size()) : status;
}

double NormalPool::At(std::int64_t index) const {
  return tests::Load(type_, host_.data(), index % kPoolElements);
}

Status NormalPool::CopyTo(void* destination, std::int64_t first, std::int64_t count, CUstream stream) const {
  const std::int64_t bytes = base::ElementBytes(type_);
  char* to = static_cast<char*>(destination);
  Status status;
  for (std::int64_t done = 0; done < count && status.ok();) {
    const std::int64_t at = (first + done) % kPoolElements;
    const std::int64_t run = std::min(count - done, kPoolElements - at);
    status = gpu::Copy(to + done * bytes, static_cast<const char*>(device_.data()) + at * bytes,
                       static_cast<std::size_t>(run * bytes), stream);
    done += run;
  }
  return status;
}

Status Rotation::Create(const Problem& problem, bool with_c, const NormalPool* inputs,
                        const NormalPool* outputs, std::size_t l2_bytes, int most_sets, std::uint64_t seed,
                        gpu::DeviceBuffer* memory, CUstream stream) {
  problem_ = problem;
  with_c_ = with_c;
  inputs_ = inputs;
  outputs_ = outputs;
  seed_ = seed;
  const tests::View views[] = {tests::ViewOfA(problem), tests::ViewOfB(problem), tests::ViewOfC(problem),
                               tests::ViewOfD(problem)};
  double total = 0;
  for (int operand = kA; operand <= kD; ++operand) {
    offset_[operand] = set_bytes_;
    bytes_[operand] = operand == kC && !with_c ? 0 : tests::ExtentBytes(views[operand]);
    total += static_cast<double>(bytes_[operand]);
    set_bytes_ += base::RoundUp(bytes_[operand], kAlignment);
  }
  std::size_t free = 0;
  std::size_t device_total = 0;
  Status status = gpu::MemoryInfo(&free, &device_total);
  if (!status.ok()) return status;
  const double available = kMemoryShare * static_cast<double>(free + memory->size());
  if (total > available) {
    return Status(StatusCode::kOutOfMemory,
                  fmt::format("the matrices need {:.3g} GB of device memory; {:.3g} GB are available",
                              total * 1e-9, available * 1e-9));
  }
  const std::int64_t wanted = static_cast<std::int64_t>(base::CeilDiv(2 * l2_bytes, set_bytes_));
  sets_ = std::clamp<std::int64_t>(
      std::min(wanted, static_cast<std::int64_t>(available / static_cast<double>(set_bytes_))), 1, most_sets);
  const std::size_t needed = static_cast<std::size_t>(sets_) * set_bytes_;
  if (memory->size() < needed) {
    memory->Reset();
    status = gpu::DeviceBuffer::Create(needed, memory);
    if (!status.ok()) return status;
  }
  memory_ = memory;
  base_ = static_cast<char*>(memory->data());
  for (std::int64_t set = 0; set < sets_ && status.ok(); ++set) {
    for (const Operand operand : {kA, kB, kC}) {
      const NormalPool* pool = operand == kC ? outputs : inputs;
      const std::int64_t count = static_cast<std::int64_t>(bytes_[operand]) / base::ElementBytes(pool->type());
      if (status.ok() && count > 0) {
        status = pool->CopyTo(base_ + OffsetOf(set, operand), First(set, operand), count, stream);
      }
    }
  }
  return status;
}

std::int64_t Rotation::First(std::int64_t set, Operand operand) const {
  const std::uint64_t hash = tests::Mix(seed_, static_cast<std::uint64_t>(set * 4 + operand));
  return static_cast<std::int64_t>(hash % (kPoolElements / kGrain)) * kGrain;
}

std::size_t Rotation::OffsetOf(std::int64_t set, Operand operand) const {
  return static_cast<std::size_t>(set) * set_bytes_ + offset_[operand];
}

void Rotation::Point(std::int64_t index, Arguments* args) const {
  const std::int64_t set = index % sets_;
  args->a = base_ + OffsetOf(set, kA);
  args->b = base_ + OffsetOf(set, kB);
  args->c = with_c_ ? base_ + OffsetOf(set, kC) : nullptr;
  args->d = base_ + OffsetOf(set, kD);
}

Status Rotation::PoisonD(std::int64_t set, CUstream stream) const {
  return gpu::Fill(base_ + OffsetOf(set, kD), 0xFF, bytes_[kD], stream);
}

void Rotation::Expect(const Arguments& args, const Element& at, double* value, double* magnitude) const {
  const tests::View a = tests::ViewOfA(problem_);
  const tests::View b = tests::ViewOfB(problem_);
  *value = 0;
  *magnitude = 0;
  for (std::int64_t k = 0; k < problem_.k; ++k) {
    const double term = inputs_->At(First(at.set, kA) + a.Index(at.batch, at.i, k)) *
                        inputs_->At(First(at.set, kB) + b.Index(at.batch, k, at.j));
    *value += term;
    *magnitude += std::abs(term);
  }
  *value *= args.alpha;
  *magnitude *= std::abs(args.alpha);
  if (!with_c_) return;
  const double c =
      args.beta * outputs_->At(First(at.set, kC) + tests::ViewOfC(problem_).Index(at.batch, at.i, at.j));
  *value += c;
  *magnitude += std::abs(c);
}

Status Rotation::Check(std::int64_t set, const Arguments& args, double* worst) const {
  const tests::View d = tests::ViewOfD(problem_);
  const std::size_t element = static_cast<std::size_t>(base::ElementBytes(d.type));
  *worst = 0;
  for (int sample = 0; sample < kCheckedElements; ++sample) {
    // The last element first, then others anywhere.
    const auto pick = [&](std::int64_t size, int salt) {
      const std::uint64_t hash = tests::Mix(seed_ + 1, static_cast<std::uint64_t>(4 * sample + salt));
      return sample == 0 ? size - 1 : static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(size));
    };
    const Element at = {set, pick(problem_.batch, 0), pick(problem_.m, 1), pick(problem_.n, 2)};
    std::uint32_t bits = 0;
    const std::size_t index = static_cast<std::size_t>(d.Index(at.batch, at.i, at.j));
    Status status = memory_->CopyTo(&bits, element, OffsetOf(set, kD) + index * element, args.stream);
    if (!status.ok()) return status;
    double value = 0;
    double magnitude = 0;
    Expect(args, at, &value, &magnitude);
    const double got = tests::Load(d.type, &bits, 0);
    const double ratio = std::abs(got - value) /
                         tests::ErrorBound(value, magnitude, problem_.k, d.type, tests::OperandError(problem_));
    *worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : std::max(*worst, ratio);
  }
  return Status();
}

double CompulsoryBytes(const Problem& problem, bool with_c) {
  double bytes = 0;
  for (const tests::View& view : {tests::ViewOfA(problem), tests::ViewOfB(problem), tests::ViewOfD(problem)}) {
    bytes += static_cast<double>(tests::ExtentBytes(view));
  }
  return with_c ? bytes + static_cast<double>(tests::ExtentBytes(tests::ViewOfC(problem))) : bytes;
}

}  // namespace gemm::tool::bench
