// SPDX-License-Identifier: Apache-2.0
#include "pipes/key_file.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "fabric/endpoint.h"

namespace tutti::pipes {

using fabric::UniqueFd;

namespace {

/// The file: this, the key in hexadecimal digits, and the end of the line.
constexpr std::string_view heading = "tutti-key-1 ";
constexpr std::size_t fileBytes = heading.size() + 2 * Key::bytes + 1;
constexpr std::string_view digits = "0123456789abcdef";

std::string quoted(const std::string& path) { return "'" + path + "'"; }

tl::unexpected<std::string> failed(const std::string& what, const std::string& path, int error) {
  return tl::unexpected("the key file " + quoted(path) + " cannot be " + what + ": " +
                        std::strerror(error));
}

tl::expected<UniqueFd, std::string> openSecret(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) {
    const std::string next =
        errno == ENOENT ? ". Make one with tutti-rti --make-key FILE on one host and copy it to the "
                          "others"
                        : "";
    return tl::unexpected(failed("read", path, errno).value() + next);
  }
  struct stat information {};
  if (::fstat(file.get(), &information) != 0) return failed("read", path, errno);
  if (!S_ISREG(information.st_mode)) {
    return tl::unexpected("the key file " + quoted(path) + " is no regular file");
  }
  if (information.st_uid != ::geteuid()) {
    return tl::unexpected("the key file " + quoted(path) + " is not used: it belongs to user " +
                          std::to_string(information.st_uid) + ", and this is user " +
                          std::to_string(::geteuid()) + ". Make a copy of your own: install -m 600 " +
                          path + " FILE");
  }
  if ((information.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return tl::unexpected("the key file " + quoted(path) +
                          " is not used: other users can read or write it. If none has, chmod 600 " +
                          path + "; else make a new key");
  }
  return file;
}

}  // namespace

Key::~Key() { OPENSSL_cleanse(value_.data(), value_.size()); }

tl::expected<void, std::string> makeKeyFile(const std::string& path) {
  Key key;
  for (std::size_t done = 0; done < Key::bytes;) {
    const ssize_t count = ::getrandom(key.value().data() + done, Key::bytes - done, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return tl::unexpected(std::string("no key can be made: the system gives no random numbers (") +
                            std::strerror(errno) + ")");
    }
    done += static_cast<std::size_t>(count);
  }
  std::string text(heading);
  for (const std::byte one : key.value()) {
    text += digits[std::to_integer<unsigned>(one) >> 4];
    text += digits[std::to_integer<unsigned>(one) & 15];
  }
  text += '\n';
  const UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file) {
    if (errno == EEXIST) {
      return tl::unexpected("the key file " + quoted(path) +
                            " exists already and is left as it is: name another file, or remove it "
                            "first if no host uses it any more");
    }
    return failed("made", path, errno);
  }
  bool written = ::fchmod(file.get(), S_IRUSR | S_IWUSR) == 0;
  for (std::size_t done = 0; written && done < text.size();) {
    const ssize_t count = ::write(file.get(), text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    written = count > 0;
    done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  written = written && ::fsync(file.get()) == 0;
  const int error = errno;
  OPENSSL_cleanse(text.data(), text.size());
  if (written) return {};
  ::unlink(path.c_str());
  return failed("written", path, error);
}

tl::expected<Key, std::string> readKeyFile(const std::string& path) {
  const auto file = openSecret(path);
  if (!file) return tl::unexpected(file.error());
  std::array<char, fileBytes + 1> text{};
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t count = ::read(file->get(), text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("read", path, errno);
    if (count == 0) break;
    length += static_cast<std::size_t>(count);
  }
  Key key;
  bool sound = length == fileBytes && std::string_view(text.data(), heading.size()) == heading &&
               text[fileBytes - 1] == '\n';
  for (std::size_t i = 0; sound && i < Key::bytes; ++i) {
    const auto high = digits.find(text[heading.size() + 2 * i]);
    const auto low = digits.find(text[heading.size() + 2 * i + 1]);
    sound = high != std::string_view::npos && low != std::string_view::npos;
    key.value()[i] = static_cast<std::byte>((high & 15) << 4 | (low & 15));
  }
  OPENSSL_cleanse(text.data(), text.size());
  if (sound) return key;
  return tl::unexpected("the file " + quoted(path) +
                        " holds no key: it is made by tutti-rti --make-key FILE, and copied to the "
                        "other hosts as it is");
}

tl::expected<void, std::string> checkSecretFile(const std::string& path) {
  const auto file = openSecret(path);
  if (!file) return tl::unexpected(file.error());
  return {};
}

}  // namespace tutti::pipes
