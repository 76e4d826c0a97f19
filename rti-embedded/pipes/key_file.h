// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <tl/expected.hpp>

namespace tutti::pipes {

/// What the nodes of a federation's hosts share, and nobody else knows: 256 random bits. Its memory
/// is wiped when it goes.
class Key {
 public:
  static constexpr std::size_t bytes = 32;

  Key() = default;
  Key(const Key&) = default;
  Key& operator=(const Key&) = default;
  ~Key();

  std::array<std::byte, bytes>& value() { return value_; }
  const std::array<std::byte, bytes>& value() const { return value_; }

 private:
  std::array<std::byte, bytes> value_{};
};

/// Draws a key and writes it to a new file that its owner alone can read (mode 0600). The error says
/// what to do: an existing file, or a symbolic link, is never written to.
tl::expected<void, std::string> makeKeyFile(const std::string& path);

/// Reads what makeKeyFile() has written. Refused when the file belongs to somebody else, or others
/// can read or write it; the error says what to do.
tl::expected<Key, std::string> readKeyFile(const std::string& path);

/// The same check for a file with another secret, such as a private key.
tl::expected<void, std::string> checkSecretFile(const std::string& path);

}  // namespace tutti::pipes
