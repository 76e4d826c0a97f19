// SPDX-License-Identifier: Apache-2.0
#include "pipes/seal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "pipes/datagram.h"

namespace tutti::pipes {

struct CipherContext {
  EVP_CIPHER_CTX* evp = EVP_CIPHER_CTX_new();
};
void FreeCipherContext::operator()(CipherContext* one) const {
  EVP_CIPHER_CTX_free(one->evp);
  delete one;
}

namespace {

constexpr std::size_t headBytes = sizeof(DatagramHead);
constexpr std::size_t nonceBytes = 12;
using Nonce = std::array<unsigned char, nonceBytes>;

unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }
const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

Nonce nonceOf(std::uint64_t number) {
  Nonce nonce{};
  std::memcpy(nonce.data() + nonceBytes - sizeof number, &number, sizeof number);
  return nonce;
}

/// The key of one direction; null when the system's library has no such cipher.
std::unique_ptr<CipherContext, FreeCipherContext> cipherFor(std::span<const std::byte> key,
                                                            std::uint64_t from, std::uint64_t to,
                                                            bool seals) {
  static constexpr std::string_view purpose = "tutti datagram 1";
  std::array<unsigned char, purpose.size() + 2 * sizeof(std::uint64_t)> direction{};
  std::memcpy(direction.data(), purpose.data(), purpose.size());
  std::memcpy(direction.data() + purpose.size(), &from, sizeof from);
  std::memcpy(direction.data() + purpose.size() + sizeof from, &to, sizeof to);
  std::array<unsigned char, EVP_MAX_MD_SIZE> own{};
  unsigned bytes = 0;
  std::unique_ptr<CipherContext, FreeCipherContext> cipher(new CipherContext);
  const bool made =
      key.size() == Key::bytes && cipher->evp != nullptr &&
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), direction.data(),
           direction.size(), own.data(), &bytes) != nullptr &&
      bytes == Key::bytes &&
      EVP_CipherInit_ex(cipher->evp, EVP_aes_256_gcm(), nullptr, own.data(), nullptr,
                        seals ? 1 : 0) == 1;
  OPENSSL_cleanse(own.data(), own.size());
  if (!made) cipher.reset();
  return cipher;
}

}  // namespace

std::vector<std::byte> randomDatagramKey() {
  std::vector<std::byte> key(Key::bytes);
  for (std::size_t done = 0; done < key.size();) {
    const ssize_t count = ::getrandom(key.data() + done, key.size() - done, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    done += static_cast<std::size_t>(count);
  }
  return key;
}

Sealer::Sealer(std::span<const std::byte> key, std::uint64_t from, std::uint64_t to)
    : cipher_(cipherFor(key, from, to, true)) {}

std::span<const std::byte> Sealer::seal(std::span<const std::byte> datagram) {
  if (!cipher_ || datagram.size() < headBytes) return {};
  const auto payload = datagram.subspan(headBytes);
  sealed_.resize(datagram.size() + seal::overhead);
  ++number_;
  std::memcpy(sealed_.data(), datagram.data(), headBytes);
  std::memcpy(sealed_.data() + headBytes, &number_, sizeof number_);
  std::byte* encrypted = sealed_.data() + headBytes + seal::numberBytes;
  const Nonce nonce = nonceOf(number_);
  EVP_CIPHER_CTX* evp = cipher_->evp;
  int count = 0;
  const bool done =
      EVP_EncryptInit_ex(evp, nullptr, nullptr, nullptr, nonce.data()) == 1 &&
      EVP_EncryptUpdate(evp, nullptr, &count, raw(sealed_.data()), headBytes) == 1 &&
      EVP_EncryptUpdate(evp, raw(encrypted), &count, raw(payload.data()),
                        static_cast<int>(payload.size())) == 1 &&
      EVP_EncryptFinal_ex(evp, raw(encrypted) + payload.size(), &count) == 1 &&
      EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_GCM_GET_TAG, seal::tagBytes,
                          raw(encrypted) + payload.size()) == 1;
  if (!done) return {};
  return sealed_;
}

Opener::Opener(std::span<const std::byte> key, std::uint64_t from, std::uint64_t to)
    : cipher_(cipherFor(key, from, to, false)) {}

Opener::Result Opener::open(std::span<const std::byte> datagram,
                            std::span<const std::byte>& opened) {
  if (!cipher_ || datagram.size() < headBytes + seal::overhead) return Result::Forged;
  std::uint64_t number = 0;
  std::memcpy(&number, datagram.data() + headBytes, sizeof number);
  if (number == 0) return Result::Forged;
  if (!window_.isNew(number)) return Result::Repeated;
  const auto payload = datagram.subspan(headBytes + seal::numberBytes,
                                        datagram.size() - headBytes - seal::overhead);
  opened_.resize(headBytes + payload.size());
  std::array<unsigned char, seal::tagBytes> tag{};
  std::memcpy(tag.data(), payload.data() + payload.size(), tag.size());
  const Nonce nonce = nonceOf(number);
  EVP_CIPHER_CTX* evp = cipher_->evp;
  unsigned char* plain = raw(opened_.data()) + headBytes;
  int count = 0;
  const bool done =
      EVP_DecryptInit_ex(evp, nullptr, nullptr, nullptr, nonce.data()) == 1 &&
      EVP_DecryptUpdate(evp, nullptr, &count, raw(datagram.data()), headBytes) == 1 &&
      EVP_DecryptUpdate(evp, plain, &count, raw(payload.data()),
                        static_cast<int>(payload.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_GCM_SET_TAG, seal::tagBytes, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(evp, plain + payload.size(), &count) == 1;
  if (!done) return Result::Forged;
  window_.add(number);
  std::memcpy(opened_.data(), datagram.data(), headBytes);
  opened = opened_;
  return Result::Opened;
}

}  // namespace tutti::pipes
