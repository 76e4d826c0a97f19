// SPDX-License-Identifier: Apache-2.0
#include "node/save_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>

#include "fabric/endpoint.h"

namespace tutti::node {
namespace {

using fabric::UniqueFd;

// A name of 255 bytes is the most a file system takes; longer ones end in a hash.
constexpr std::size_t longestName = 200;

std::string fileName(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || (c == '.' && !name.empty());
    if (plain) {
      name += c;
    } else {
      name += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  if (name.empty()) name = "%";
  if (name.size() > longestName) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a: the same in every build
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    name = name.substr(0, longestName) + "%" + std::to_string(hash);
  }
  return name;
}

tl::unexpected<std::string> failed(const std::string& what, const std::filesystem::path& where) {
  return tl::unexpected(what + " " + where.string() + " failed: " + std::strerror(errno));
}

/// Reads up to `most` bytes; nothing on an error, with errno.
std::optional<fabric::Bytes> readUpTo(int descriptor, std::size_t most) {
  fabric::Bytes content(most);
  std::size_t at = 0;
  while (at < content.size()) {
    const ssize_t n = ::read(descriptor, content.data() + at, content.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    at += static_cast<std::size_t>(n);
  }
  content.resize(at);
  return content;
}

bool writeAll(int descriptor, const fabric::Bytes& content) {
  std::size_t at = 0;
  while (at < content.size()) {
    const ssize_t n = ::write(descriptor, content.data() + at, content.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

std::filesystem::path SaveDirectory::fileOf(const std::string& federation,
                                            const std::string& label) const {
  return directory_ / fileName(federation) / (fileName(label) + ".save");
}

tl::expected<void, std::string> SaveDirectory::write(const std::string& federation,
                                                     const std::string& label,
                                                     const fabric::Bytes& content) {
  const std::filesystem::path file = fileOf(federation, label);
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) {
    return tl::unexpected("making the directory " + file.parent_path().string() +
                          " failed: " + error.message());
  }
  const std::filesystem::path draft = file.string() + ".new";
  UniqueFd descriptor(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!descriptor) return failed("creating", draft);
  if (!writeAll(descriptor.get(), content) || ::fsync(descriptor.get()) != 0) {
    const auto result = failed("writing " + std::to_string(content.size()) + " bytes to", draft);
    ::unlink(draft.c_str());
    return result;
  }
  if (::rename(draft.c_str(), file.c_str()) != 0) {
    const auto result = failed("moving the new save to", file);
    ::unlink(draft.c_str());
    return result;
  }
  const UniqueFd directory(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) ::fsync(directory.get());
  return {};
}

tl::expected<std::optional<fabric::Bytes>, std::string> SaveDirectory::read(
    const std::string& federation, const std::string& label) const {
  const std::filesystem::path file = fileOf(federation, label);
  const UniqueFd descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor) {
    if (errno == ENOENT) return std::nullopt;
    return failed("opening", file);
  }
  struct stat info {};
  if (::fstat(descriptor.get(), &info) != 0) return failed("reading", file);
  auto content = readUpTo(descriptor.get(), static_cast<std::size_t>(info.st_size));
  if (!content) return failed("reading", file);
  return content;
}

std::vector<executive::SaveStore::Kept> SaveDirectory::list(const std::string& federation) const {
  struct File {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    std::int64_t savedAt = 0;
  };
  std::vector<File> files;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(directory_ / fileName(federation), error)) {
    struct stat info {};
    if (entry.path().extension() != ".save" || ::stat(entry.path().c_str(), &info) != 0 ||
        !S_ISREG(info.st_mode)) {
      continue;
    }
    files.push_back({entry.path(), static_cast<std::uint64_t>(info.st_size), info.st_mtim.tv_sec});
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
    return std::tie(b.savedAt, a.path) < std::tie(a.savedAt, b.path);
  });
  if (files.size() > mostListed) files.resize(mostListed);
  std::vector<Kept> kept;
  for (const File& file : files) {
    const UniqueFd descriptor(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor) continue;
    auto head = readUpTo(descriptor.get(), std::min<std::uint64_t>(file.bytes, headBytes));
    if (head) kept.push_back({std::move(*head), file.bytes, file.savedAt});
  }
  return kept;
}

}  // namespace tutti::node
