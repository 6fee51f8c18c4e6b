#include "tools/emulator/driver/state.h"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "tools/emulator/driver/capture.h"
#include "tools/emulator/driver/code.h"
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/graph.h"
#include "tools/emulator/driver/link.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

// Null before the first call and after the library's end.
State* state = nullptr;
bool ended = false;

struct AtEnd {
  ~AtEnd() {
    std::lock_guard lock(Mutex());
    delete state;
    state = nullptr;
    ended = true;
  }
} at_end;

void DestroyStreams(Context& context) {
  for (const auto& [handle, stream] : context.streams) Drop(*stream);
  for (const auto& [thread, stream] : context.per_thread) Drop(*stream);
  Drop(*context.legacy);
  context.streams.Clear();
  context.per_thread.clear();
}

}  // namespace

Context::Context() = default;
Context::~Context() = default;

State::State() = default;

State::~State() {
  modules.Clear();
  libraries.Clear();
}

std::recursive_mutex& Mutex() {
  static std::recursive_mutex* const mutex = [] {
    alignas(std::recursive_mutex) static unsigned char storage[sizeof(std::recursive_mutex)];
    return new (storage) std::recursive_mutex;
  }();
  return *mutex;
}

State& GetState() {
  if (state == nullptr) state = new State;
  return *state;
}

bool& InHostFunction() {
  thread_local bool inside = false;
  return inside;
}

CUresult WhyNotNow() {
  if (ended) return CUDA_ERROR_DEINITIALIZED;
  if (InHostFunction()) return CUDA_ERROR_NOT_PERMITTED;
  return GetState().initialized ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult UsableContext(Context** context) {
  if (ContextStack().empty() || ContextStack().back() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *context = Current();
  if (*context == nullptr || !(*context)->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return (*context)->error;
}

CUresult FromException() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "emulator: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "emulator: an unknown error\n");
  }
  return CUDA_ERROR_UNKNOWN;
}

std::vector<Context*>& ContextStack() {
  thread_local std::vector<Context*> stack;
  return stack;
}

bool Exists(Context* context) {
  const State& known = GetState();
  if (known.contexts.Find(context) != nullptr) return true;
  return context != nullptr && std::any_of(known.devices.begin(), known.devices.end(), [&](const auto& device) {
           return device->primary.get() == context;
         });
}

Context* Current() {
  if (ContextStack().empty()) return nullptr;
  Context* const top = ContextStack().back();
  return Exists(top) ? top : nullptr;
}

std::vector<Context*> ContextsOf(const Device& device) {
  std::vector<Context*> found;
  if (device.primary != nullptr && device.primary->alive) found.push_back(device.primary.get());
  for (const auto& [handle, context] : GetState().contexts) {
    if (context->device == &device) found.push_back(context.get());
  }
  return found;
}

std::unique_ptr<Context> MakeContext(Device& device, unsigned flags) {
  auto context = std::make_unique<Context>();
  context->device = &device;
  context->flags = flags;
  context->id = GetState().next_id++;
  context->legacy = std::make_unique<Stream>();
  context->legacy->context = context.get();
  context->legacy->id = GetState().next_id++;
  context->legacy->legacy = true;
  return context;
}

void Empty(Context& context) {
  State& known = GetState();
  DestroyStreams(context);
  const auto erase = [&](auto& registry) {
    for (auto entry = registry.begin(); entry != registry.end();) {
      const auto& object = (entry++)->second;
      if (object->context == &context) registry.Erase(object.get());
    }
  };
  erase(known.events);
  erase(known.modules);
  for (auto entry = known.allocations.begin(); entry != known.allocations.end();) {
    const auto& [address, allocation] = *entry;
    if (allocation.context != &context) {
      ++entry;
      continue;
    }
    if (allocation.kind == Allocation::Kind::kDevice || allocation.kind == Allocation::Kind::kManaged) {
      allocation.device->used_bytes -= allocation.bytes;
    }
    if (allocation.kind == Allocation::Kind::kRegistered) {
      known.memory->Forget(address);
    } else {
      known.memory->Free(address);
    }
    entry = known.allocations.erase(entry);
  }
  context.error = CUDA_SUCCESS;
  context.launches = 0;
  context.limits.clear();
  context.peers.clear();
}

}  // namespace emu::driver
