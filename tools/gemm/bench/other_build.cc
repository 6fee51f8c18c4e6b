#include "tools/gemm/bench/other_build.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <filesystem>
#include <system_error>
#include <type_traits>
#include <utility>

namespace gemm::tool::bench {

Status OtherBuild::Load(const std::string& path, std::unique_ptr<const OtherBuild>* build) {
  const auto refuse = [&](const std::string& why) { return Status(StatusCode::kInvalidArgument, path + why); };
  // Absolute: a name without a slash would be looked for among the system's libraries. Local: its functions are not to be taken for this
  // program's.
  std::error_code error;
  const std::filesystem::path file = std::filesystem::absolute(path, error);
  if (error) return refuse(fmt::format(" cannot be loaded: {}", error.message()));
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refuse(fmt::format(" cannot be loaded: {}", ::dlerror()));
  std::unique_ptr<OtherBuild> loaded(new OtherBuild(library));
  if (const char* const missing = loaded->Resolve(); missing != nullptr)
    return refuse(fmt::format(" is no libgemm.so: it has no {}", missing));
  if (const std::string version = loaded->version_(); version != Version()) {
    return refuse(
        fmt::format(" is version {}, this program's libgemm is {}: the two may differ in their headers",
                    version, Version()));
  }
  *build = std::move(loaded);
  return Status();
}

OtherBuild::~OtherBuild() { ::dlclose(library_); }

const char* OtherBuild::Resolve() {
  const char* missing = nullptr;
  const auto find = [&](const char* name, auto* function) {
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(::dlsym(library_, name));
    if (*function == nullptr) missing = name;
  };
  find("_ZNK4gemm4Plan11kernel_nameEv", &kernel_name_);
  find("_ZNK4gemm4Plan18kernel_name_with_cEv", &kernel_name_with_c_);
  find("_ZNK4gemm4Plan14workspace_sizeEv", &workspace_size_);
  find("_ZNK4gemm4Plan3RunERKNS_9ArgumentsE", &run_);
  find("_ZN4gemm4Plan6CreateERKNS_7ProblemERKNS_11PlanOptionsEPS0_", &create_);
  find("_ZN4gemm7VersionEv", &version_);
  return missing;
}

}  // namespace gemm::tool::bench
