#include "tests/fake_driver/libcuda/state.h"

#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <sstream>

#include "tests/fake_driver/exports.h"

namespace gemm::fake {
namespace {

const char* const kSettings[] = {"DEVICES", "VERSION", "MISSING", "FAIL", "REFUSE", "REFUSE_LATE", "MEMORY"};

std::vector<std::string> Items(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, ',');) items.push_back(item);
  return items;
}

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

bool IsValid(const std::string& name, const std::string& value) {
  if (name == "DEVICES" && value != "none") {
    for (const std::string& item : Items(value)) {
      if (FindProfile(item) == nullptr) return false;
    }
    return !value.empty();
  }
  if (name == "VERSION") return IsNumber(value);
  if (name == "MEMORY" || name == "REFUSE_LATE") return value.empty() || IsNumber(value);
  for (const char* known : kSettings) {
    if (name == known) return true;
  }
  return false;
}

// FAIL=name:error or name:error#first. `call` counts from 1.
CUresult PlannedFailure(const std::string& function, std::size_t call) {
  for (const std::string& item : Items(Setting("FAIL"))) {
    const std::size_t colon = item.find(':');
    if (colon == std::string::npos || item.substr(0, colon) != function) continue;
    const std::size_t hash = item.find('#');
    const std::size_t first =
        hash == std::string::npos ? 1 : std::strtoul(item.c_str() + hash + 1, nullptr, 10);
    if (call >= first) return static_cast<CUresult>(std::atoi(item.c_str() + colon + 1));
  }
  return CUDA_SUCCESS;
}

}  // namespace

State& GetState() {
  // Never destroyed: the program may call until its very end.
  static State* const state = [] {
    auto* fresh = new State;
    fresh->settings = {{"DEVICES", "h200"}, {"VERSION", "13000"}};
    for (const char* name : kSettings) {
      const char* value = std::getenv((std::string("GEMM_FAKE_CUDA_") + name).c_str());
      if (value != nullptr && IsValid(name, value)) fresh->settings[name] = value;
    }
    return fresh;
  }();
  return *state;
}

std::vector<Context*>& ContextStack() {
  // Never destroyed: a thread may call until its very end, in destructors that run after those of ours.
  static std::mutex mutex;
  static auto& stacks = *new std::list<std::vector<Context*>>;
  thread_local std::vector<Context*>* stack = nullptr;
  if (stack == nullptr) {
    const std::lock_guard<std::mutex> lock(mutex);
    stack = &stacks.emplace_back();
  }
  return *stack;
}

std::string Setting(const std::string& name) {
  const auto found = GetState().settings.find(name);
  return found == GetState().settings.end() ? std::string() : found->second;
}

int ClaimedVersion() { return std::atoi(Setting("VERSION").c_str()); }

bool Lists(const std::string& setting, const std::string& item) {
  for (const std::string& listed : Items(Setting(setting))) {
    if (listed == item) return true;
  }
  return false;
}

Call::Call(const char* function, bool needs_init) : lock_(GetState().mutex), result_(CUDA_SUCCESS) {
  const std::size_t number = ++GetState().calls[function];
  result_ = PlannedFailure(function, number);
  if (result_ == CUDA_SUCCESS && needs_init && !GetState().initialized) result_ = CUDA_ERROR_NOT_INITIALIZED;
}

}  // namespace gemm::fake

using gemm::fake::ContextStack;
using gemm::fake::GetState;

extern "C" {
#define GEMM_FAKE_DECLARE_EXPORT(type, name, parameters) \
  __attribute__((visibility("default"))) type name parameters;
GEMM_FAKE_EXPORTS(GEMM_FAKE_DECLARE_EXPORT)
#undef GEMM_FAKE_DECLARE_EXPORT

int gemm_fake_set(const char* name, const char* value) {
  if (!gemm::fake::IsValid(name, value)) return 1;
  std::lock_guard<std::mutex> lock(GetState().mutex);
  GetState().settings[name] = value;
  return 0;
}

std::size_t gemm_fake_launch_count() {
  std::lock_guard<std::mutex> lock(GetState().mutex);
  return GetState().launches.size();
}

const gemm::fake::Launch* gemm_fake_launch(std::size_t index) {
  std::lock_guard<std::mutex> lock(GetState().mutex);
  return index < GetState().launches.size() ? &GetState().launches[index] : nullptr;
}

void gemm_fake_observe(gemm::fake::LaunchObserver observer, void* user) {
  std::lock_guard<std::mutex> lock(GetState().mutex);
  GetState().observer = observer;
  GetState().observer_user = user;
}

std::size_t gemm_fake_graph_launch_count() {
  std::lock_guard<std::mutex> lock(GetState().mutex);
  return GetState().graph_launches;
}

std::size_t gemm_fake_calls(const char* function) {
  std::lock_guard<std::mutex> lock(GetState().mutex);
  if (function != nullptr) {
    const auto found = GetState().calls.find(function);
    return found == GetState().calls.end() ? 0 : found->second;
  }
  std::size_t sum = 0;
  for (const auto& [name, count] : GetState().calls) sum += count;
  return sum;
}

std::size_t gemm_fake_alive(const char* kind) {
  std::lock_guard<std::mutex> lock(GetState().mutex);
  const gemm::fake::State& state = GetState();
  if (std::strcmp(kind, "library") == 0) return state.libraries.size();
  if (std::strcmp(kind, "memory") == 0) return state.memory.size();
  if (std::strcmp(kind, "stream") == 0) return state.streams.size();
  if (std::strcmp(kind, "event") == 0) return state.events.size();
  if (std::strcmp(kind, "graph") == 0) return state.graphs.size() + state.executables.size();
  if (std::strcmp(kind, "context") != 0) std::abort();
  std::size_t references = 0;
  for (const gemm::fake::Context* context : state.contexts) references += context->references;
  return references;
}

std::size_t gemm_fake_context_depth() { return ContextStack().size(); }
}
