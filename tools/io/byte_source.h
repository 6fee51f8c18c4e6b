// Where a reader's bytes come from: a file, or memory in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gemm/status.h"

namespace gemm::io {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  // Copies bytes [offset, offset + count), which lie within size(), to `to`.
  virtual Status Read(std::uint64_t offset, std::size_t count, void* to) const = 0;
};

// A regular file, opened for reading. Not thread-safe to assign; Read is.
class File : public ByteSource {
 public:
  File() = default;
  ~File() override;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // kInvalidArgument with the system's reason when `path` is not a readable regular file. Call it once.
  Status Open(const std::string& path);
  std::uint64_t size() const override { return size_; }
  Status Read(std::uint64_t offset, std::size_t count, void* to) const override;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

// Bytes that outlive it.
class Memory : public ByteSource {
 public:
  explicit Memory(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Status Read(std::uint64_t offset, std::size_t count, void* to) const override;

 private:
  std::string_view bytes_;
};

}  // namespace gemm::io
