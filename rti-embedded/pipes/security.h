// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "fabric/endpoint.h"
#include "pipes/stream.h"

namespace tutti::pipes {

/// Proves to other nodes that this one belongs to them, and asks them for the same proof: TLS 1.3,
/// either with a key that all of them share or with certificates on both sides. Nothing is accepted
/// without the proof.
class Security {
 public:
  enum class Side { Connects, Accepts };
  /// PEM files: the certificate of this node with those between it and the trusted ones, its
  /// private key, and the certificates of the authorities whose certificates are accepted.
  struct Certificates {
    std::string certificate;
    std::string privateKey;
    std::string trusted;
  };

  static tl::expected<std::shared_ptr<const Security>, std::string> fromKeyFile(
      const std::string& path);
  static tl::expected<std::shared_ptr<const Security>, std::string> fromCertificates(
      const Certificates& files);
  ~Security();
  Security(const Security&) = delete;
  Security& operator=(const Security&) = delete;

  /// An encrypted stream over a connected, non-blocking socket. It may outlive this.
  std::unique_ptr<Stream> over(fabric::UniqueFd socket, Side side) const;

  /// "the key in FILE", for the log.
  const std::string& text() const { return text_; }

 private:
  struct Context;
  explicit Security(std::shared_ptr<Context> context, std::string text);

  std::shared_ptr<Context> context_;
  std::string text_;

  friend class TlsStream;
};

/// Plain when there is no security.
std::unique_ptr<Stream> streamOver(fabric::UniqueFd socket,
                                   const std::shared_ptr<const Security>& security,
                                   Security::Side side);

}  // namespace tutti::pipes
