#include "tools/gemm/bench/other_build.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstddef>
#include <utility>

namespace gemm::tool::bench {

// Members of gemm::Plan by their names in the Itanium C++ ABI, in which `this` is the first argument. A pointer to a member cannot be
// made of an address.
struct OtherBuild::Functions {
  const char* (*version)();
  Status (*create)(const Problem& problem, const PlanOptions& options, void* plan);
  Status (*run)(const void* plan, const Arguments& args);
  std::size_t (*workspace_size)(const void* plan);
  const char* (*kernel_name)(const void* plan);
  void (*construct)(void* plan);
  void (*destroy)(void* plan);
};

namespace {

template <typename Function>
Status Find(void* handle, const std::string& path, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(handle, name));
  if (*function != nullptr) return Status();
  return Status(StatusCode::kInvalidArgument, fmt::format("{} is no libgemm.so: it has no {}", path, name));
}

}  // namespace

Status OtherBuild::Load(const std::string& path, std::shared_ptr<const OtherBuild>* build) {
  // Local: its functions are not to be taken for this program's.
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{} cannot be loaded: {}", path, dlerror()));
  }
  auto functions = std::make_unique<Functions>();
  Status status = Find(handle, path, "_ZN4gemm7VersionEv", &functions->version);
  const auto find = [&](const char* name, auto* function) {
    if (status.ok()) status = Find(handle, path, name, function);
  };
  find("_ZN4gemm4Plan6CreateERKNS_7ProblemERKNS_11PlanOptionsEPS0_", &functions->create);
  find("_ZNK4gemm4Plan3RunERKNS_9ArgumentsE", &functions->run);
  find("_ZNK4gemm4Plan14workspace_sizeEv", &functions->workspace_size);
  find("_ZNK4gemm4Plan11kernel_nameEv", &functions->kernel_name);
  find("_ZN4gemm4PlanC1Ev", &functions->construct);
  find("_ZN4gemm4PlanD1Ev", &functions->destroy);
  if (status.ok() && std::string(functions->version()) != Version()) {
    status = Status(
        StatusCode::kInvalidArgument,
        fmt::format("{} is version {}, this program's libgemm is {}: the two may differ in their headers", path,
                    functions->version(), Version()));
  }
  if (!status.ok()) {
    dlclose(handle);
    return status;
  }
  build->reset(new OtherBuild(path, handle, std::move(functions)));
  return Status();
}

OtherBuild::OtherBuild(std::string path, void* handle, std::unique_ptr<const Functions> functions)
    : path_(std::move(path)), handle_(handle), functions_(std::move(functions)) {}

OtherBuild::~OtherBuild() { dlclose(handle_); }

Status OtherBuild::CreatePlan(const Problem& problem, const PlanOptions& options,
                              std::shared_ptr<const Plan>* plan) const {
  class Made : public Plan {
   public:
    explicit Made(std::shared_ptr<const OtherBuild> build) : build_(std::move(build)) {
      build_->functions_->construct(memory_);
    }
    ~Made() override { build_->functions_->destroy(memory_); }
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;

    Status Create(const Problem& problem, const PlanOptions& options) {
      return build_->functions_->create(problem, options, memory_);
    }
    Status Run(const Arguments& args) const override { return build_->functions_->run(memory_, args); }
    std::string kernel_name() const override { return build_->functions_->kernel_name(memory_); }
    std::size_t workspace_size() const override { return build_->functions_->workspace_size(memory_); }

   private:
    std::shared_ptr<const OtherBuild> build_;
    alignas(gemm::Plan) std::byte memory_[sizeof(gemm::Plan)];
  };
  const auto made = std::make_shared<Made>(shared_from_this());
  const Status status = made->Create(problem, options);
  if (status.ok()) *plan = made;
  return status;
}

}  // namespace gemm::tool::bench
