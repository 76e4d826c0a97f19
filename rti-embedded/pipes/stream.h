// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "fabric/endpoint.h"

namespace tutti::pipes {

/// Bytes to and from another host over a connected, non-blocking socket: as they are, or encrypted.
/// No call waits. After an error the stream is of no more use. Not thread-safe.
///
/// An encrypted stream first agrees on keys with the other side. read() and write() drive that too,
/// and transfer nothing before both sides have proved that they know the key.
class Stream {
 public:
  /// How the connection has ended.
  struct Error {
    Error(std::string how, int systems = 0) : text(std::move(how)), number(systems) {}
    std::string text;  ///< the end of a sentence: "was ended by the other side"
    int number = 0;    ///< errno, if the kernel has ended it
  };

  virtual ~Stream() = default;

  /// Reads up to `to.size()` bytes of what has come; 0: there is nothing now.
  virtual tl::expected<std::size_t, Error> read(std::span<std::byte> to) = 0;
  /// Whether bytes have come that the descriptor does not show any more: read() is to be called
  /// until it returns less than it could have.
  virtual bool holdsBytes() const = 0;
  /// Takes some of the bytes; 0: none now.
  virtual tl::expected<std::size_t, Error> write(std::span<const std::byte> bytes) = 0;
  /// Whether something can be done as soon as the descriptor is writable. `hasMore`: the caller has
  /// bytes that write() has not taken.
  virtual bool wantsWrite(bool hasMore) const = 0;
  /// Bytes handed to the kernel, with those that the encryption adds.
  virtual std::uint64_t written() const = 0;
  /// Of the socket.
  virtual int descriptor() const = 0;
};

/// Bytes as they are.
class PlainStream final : public Stream {
 public:
  explicit PlainStream(fabric::UniqueFd socket) : socket_(std::move(socket)) {}

  tl::expected<std::size_t, Error> read(std::span<std::byte> to) override;
  bool holdsBytes() const override { return false; }
  tl::expected<std::size_t, Error> write(std::span<const std::byte> bytes) override;
  bool wantsWrite(bool hasMore) const override { return hasMore; }
  std::uint64_t written() const override { return written_; }
  int descriptor() const override { return socket_.get(); }

 private:
  fabric::UniqueFd socket_;
  std::uint64_t written_ = 0;
};

}  // namespace tutti::pipes
