// Objects that the API hands out as pointers, and whether a pointer is one of them.
#pragma once

#include <map>
#include <memory>
#include <utility>

namespace emu::driver {

template <class T>
class Registry {
 public:
  T* Add(std::unique_ptr<T> object) {
    T* const handle = object.get();
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  // Null when the handle is none of ours.
  T* Find(const void* handle) const {
    const auto found = objects_.find(static_cast<const T*>(handle));
    return found == objects_.end() ? nullptr : found->second.get();
  }
  void Erase(const T* object) { objects_.erase(object); }
  // Takes it out of here.
  std::unique_ptr<T> Take(const T* object) { return std::move(objects_.extract(object).mapped()); }
  void Clear() { objects_.clear(); }
  std::size_t size() const { return objects_.size(); }
  auto begin() const { return objects_.begin(); }
  auto end() const { return objects_.end(); }

 private:
  std::map<const T*, std::unique_ptr<T>> objects_;
};

}  // namespace emu::driver
