// SPDX-License-Identifier: Apache-2.0
#include "pipes/security.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "pipes/key_file.h"

namespace tutti::pipes {

using fabric::UniqueFd;

namespace {

/// What a client names the shared key by. There is but one.
constexpr std::string_view identity = "tutti";
constexpr unsigned char contextName[] = "tutti";
/// Both use the hash that the key is bound to.
constexpr const char* cipherSuites = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256";
constexpr unsigned char pskCipher[] = {0x13, 0x01};
/// Bytes that are read before the other side has proved that it belongs here.
constexpr std::size_t longestKeyHandshake = 4096;
constexpr std::size_t longestCertificateHandshake = 32768;
/// Keys are renewed long before the cipher's bound of 2^24 full records.
constexpr std::uint64_t recordsPerKey = std::uint64_t{1} << 22;
constexpr std::size_t readAhead = 64 * 1024;

struct FreeContext {
  void operator()(SSL_CTX* one) const { SSL_CTX_free(one); }
};
struct FreeConnection {
  void operator()(SSL* one) const { SSL_free(one); }
};

std::string lastError() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "no reason is known" : reason;
}

}  // namespace

struct Security::Context {
  std::unique_ptr<SSL_CTX, FreeContext> tls;
  Key key;
  bool hasKey = false;

  /// What both sides would have from an earlier meeting: the shared key.
  SSL_SESSION* session(SSL* connection) const {
    SSL_SESSION* made = SSL_SESSION_new();
    const SSL_CIPHER* cipher = SSL_CIPHER_find(connection, pskCipher);
    if (made != nullptr && cipher != nullptr &&
        SSL_SESSION_set1_master_key(
            made, reinterpret_cast<const unsigned char*>(key.value().data()), Key::bytes) == 1 &&
        SSL_SESSION_set_cipher(made, cipher) == 1 &&
        SSL_SESSION_set1_id_context(made, contextName, sizeof contextName) == 1 &&
        SSL_SESSION_set_protocol_version(made, TLS1_3_VERSION) == 1) {
      return made;
    }
    SSL_SESSION_free(made);
    return nullptr;
  }
  static const Context& of(SSL* connection) {
    return *static_cast<const Context*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(connection)));
  }
  static int offer(SSL* connection, const EVP_MD* hash, const unsigned char** id, std::size_t* bytes,
                   SSL_SESSION** session) {
    *session = nullptr;
    *id = nullptr;
    *bytes = 0;
    if (hash != nullptr && EVP_MD_get_type(hash) != NID_sha256) return 1;
    *session = of(connection).session(connection);
    if (*session == nullptr) return 0;
    *id = reinterpret_cast<const unsigned char*>(identity.data());
    *bytes = identity.size();
    return 1;
  }
  static int find(SSL* connection, const unsigned char* id, std::size_t bytes,
                  SSL_SESSION** session) {
    *session = nullptr;
    if (std::string_view(reinterpret_cast<const char*>(id), bytes) != identity) return 1;
    *session = of(connection).session(connection);
    return *session != nullptr ? 1 : 0;
  }

  static tl::expected<std::shared_ptr<Context>, std::string> make() {
    auto context = std::make_shared<Context>();
    context->tls.reset(SSL_CTX_new(TLS_method()));
    SSL_CTX* tls = context->tls.get();
    if (tls == nullptr || SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_max_proto_version(tls, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_ciphersuites(tls, cipherSuites) != 1 ||
        SSL_CTX_set_session_id_context(tls, contextName, sizeof contextName) != 1 ||
        SSL_CTX_set_num_tickets(tls, 0) != 1) {
      return tl::unexpected("TLS 1.3 cannot be set up: " + lastError());
    }
    SSL_CTX_set_app_data(tls, context.get());
    SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS);
    // Without the shared key a certificate is asked for, of which none is trusted then.
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    return context;
  }
};

/// TLS 1.3 over a socket.
class TlsStream final : public Stream {
 public:
  TlsStream(std::shared_ptr<Security::Context> context, UniqueFd socket, Security::Side side)
      : context_(std::move(context)),
        socket_(std::move(socket)),
        tls_(SSL_new(context_->tls.get())) {
    BIO* bio = tls_ ? BIO_new(method()) : nullptr;
    if (bio == nullptr) {
      error_ = "cannot be encrypted: " + lastError();
      return;
    }
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls_.get(), bio, bio);
    if (side == Security::Side::Accepts) {
      SSL_set_accept_state(tls_.get());
    } else {
      SSL_set_connect_state(tls_.get());
    }
  }

  tl::expected<std::size_t, Error> read(std::span<std::byte> to) override;
  bool holdsBytes() const override { return established_ && SSL_has_pending(tls_.get()) == 1; }
  tl::expected<std::size_t, Error> write(std::span<const std::byte> bytes) override;
  bool wantsWrite(bool hasMore) const override { return blocked_ || (hasMore && established_); }
  std::uint64_t written() const override { return written_; }
  int descriptor() const override { return socket_.get(); }

 private:
  /// True: both sides have proved that they belong together.
  bool shakeHands();
  /// After a call that did not succeed. Sets the error unless it only has to be tried again.
  void judge(int result);
  std::string refusal() const;
  void renewKey();

  static BIO_METHOD* method();
  static int send(BIO* bio, const char* bytes, int count);
  static int receive(BIO* bio, char* bytes, int count);
  static long control(BIO* bio, int command, long number, void* pointer);

  std::shared_ptr<Security::Context> context_;
  UniqueFd socket_;
  std::unique_ptr<SSL, FreeConnection> tls_;
  std::string error_;  ///< why it is of no more use
  bool established_ = false;
  bool blocked_ = false;  ///< what it has to send does not leave
  bool ended_ = false;    ///< by the other side
  int systemError_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t mayReceive_ = 0;  ///< up to there, so that no sender keeps read() busy
  std::uint64_t records_ = 0;     ///< with the present key
};

BIO_METHOD* TlsStream::method() {
  static BIO_METHOD* const made = [] {
    BIO_METHOD* one = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tutti");
    BIO_meth_set_write(one, send);
    BIO_meth_set_read(one, receive);
    BIO_meth_set_ctrl(one, control);
    return one;
  }();
  return made;
}

long TlsStream::control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

int TlsStream::send(BIO* bio, const char* bytes, int count) {
  auto& self = *static_cast<TlsStream*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  for (;;) {
    const ssize_t sent = ::send(self.socket_.get(), bytes, static_cast<std::size_t>(count),
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      self.written_ += static_cast<std::uint64_t>(sent);
      return static_cast<int>(sent);
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      BIO_set_retry_write(bio);
    } else {
      self.systemError_ = errno;
    }
    return -1;
  }
}

int TlsStream::receive(BIO* bio, char* bytes, int count) {
  auto& self = *static_cast<TlsStream*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (self.received_ >= self.mayReceive_) {
    BIO_set_retry_read(bio);
    return -1;
  }
  const auto most = std::min<std::uint64_t>(static_cast<std::uint64_t>(count),
                                            self.mayReceive_ - self.received_);
  for (;;) {
    const ssize_t came = ::recv(self.socket_.get(), bytes, most, MSG_DONTWAIT);
    if (came > 0) {
      self.received_ += static_cast<std::uint64_t>(came);
      return static_cast<int>(came);
    }
    if (came == 0) {
      self.ended_ = true;
      return 0;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      BIO_set_retry_read(bio);
    } else {
      self.systemError_ = errno;
    }
    return -1;
  }
}

std::string TlsStream::refusal() const {
  const int reason = ERR_GET_REASON(ERR_peek_error());
  const std::string other = context_->hasKey ? "another key" : "a certificate that is not trusted";
  switch (reason) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_RECORD_TOO_SMALL:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_BAD_RECORD_TYPE:
    case SSL_R_UNEXPECTED_MESSAGE:
      return "is closed: what is there shows no key. Is it an RTI node without --key-file (for a "
             "federate: TUTTI_KEY_FILE), or none at all?";
    case SSL_R_BINDER_DOES_NOT_VERIFY:
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
    case SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return "is closed: one side has " + other + ", or none (" + lastError() +
             "). All RTI nodes of a federation use copies of one key file, or certificates that "
             "each other trusts";
    default:
      return "is closed: no encryption can be agreed on (" + lastError() + ")";
  }
}

void TlsStream::judge(int result) {
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return;
    case SSL_ERROR_WANT_WRITE:
      blocked_ = true;
      return;
    case SSL_ERROR_ZERO_RETURN:
      error_ = "was ended by the other side";
      return;
    default:
      break;
  }
  if (systemError_ != 0) {
    error_ = std::string("has ended: ") + std::strerror(systemError_);
  } else if (ended_) {
    error_ = established_ ? "was ended by the other side"
                          : "was ended by the other side before it had shown a key";
  } else if (!established_) {
    error_ = refusal();
  } else {
    error_ = "is closed: what came was changed on its way, or not encrypted with the right key (" +
             lastError() + ")";
  }
}

bool TlsStream::shakeHands() {
  if (established_ || !error_.empty()) return established_;
  mayReceive_ = context_->hasKey ? longestKeyHandshake : longestCertificateHandshake;
  blocked_ = false;
  ERR_clear_error();
  if (const int result = SSL_do_handshake(tls_.get()); result != 1) {
    judge(result);
    if (error_.empty() && received_ >= mayReceive_) {
      error_ = "is closed: it sends much and shows no key";
    }
    return false;
  }
  if (context_->hasKey && SSL_session_reused(tls_.get()) != 1) {
    error_ = "is closed: what is there does not have the key";
    return false;
  }
  established_ = true;
  return true;
}

tl::expected<std::size_t, Stream::Error> TlsStream::read(std::span<std::byte> to) {
  if (!shakeHands()) {
    if (!error_.empty()) return tl::unexpected(Error(error_, systemError_));
    return 0;
  }
  if (to.size() > longestKeyHandshake && SSL_get_read_ahead(tls_.get()) == 0) {
    // From here on large blocks come: what follows the greeting is for who reads it.
    SSL_set_default_read_buffer_len(tls_.get(), readAhead);
    SSL_set_read_ahead(tls_.get(), 1);
  }
  constexpr std::size_t record = 17 * 1024;  // and what the encryption adds
  mayReceive_ = received_ + std::max(to.size(), record);
  std::size_t done = 0;
  ERR_clear_error();
  while (done < to.size() && error_.empty()) {
    std::size_t count = 0;
    const int result = SSL_read_ex(tls_.get(), to.data() + done, to.size() - done, &count);
    if (result == 1) {
      done += count;
      continue;
    }
    judge(result);
    if (error_.empty()) break;
  }
  if (done == 0 && !error_.empty()) return tl::unexpected(Error(error_, systemError_));
  return done;
}

tl::expected<std::size_t, Stream::Error> TlsStream::write(std::span<const std::byte> bytes) {
  if (!shakeHands()) {
    if (!error_.empty()) return tl::unexpected(Error(error_, systemError_));
    return 0;
  }
  std::size_t done = 0;
  blocked_ = false;
  ERR_clear_error();
  while (done < bytes.size() && error_.empty() && !blocked_) {
    std::size_t count = 0;
    const int result = SSL_write_ex(tls_.get(), bytes.data() + done, bytes.size() - done, &count);
    if (result == 1) {
      done += count;
      if (++records_ >= recordsPerKey) renewKey();
      continue;
    }
    judge(result);
  }
  if (done == 0 && !error_.empty()) return tl::unexpected(Error(error_, systemError_));
  return done;
}

void TlsStream::renewKey() {
  if (SSL_key_update(tls_.get(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1) records_ = 0;
  ERR_clear_error();
}

// --- Security ------------------------------------------------------------------------------------

Security::Security(std::shared_ptr<Context> context, std::string text)
    : context_(std::move(context)), text_(std::move(text)) {}
Security::~Security() = default;

tl::expected<std::shared_ptr<const Security>, std::string> Security::fromKeyFile(
    const std::string& path) {
  const auto key = readKeyFile(path);
  if (!key) return tl::unexpected(key.error());
  auto context = Context::make();
  if (!context) return tl::unexpected(context.error());
  (*context)->key = *key;
  (*context)->hasKey = true;
  SSL_CTX_set_psk_use_session_callback((*context)->tls.get(), Context::offer);
  SSL_CTX_set_psk_find_session_callback((*context)->tls.get(), Context::find);
  return std::shared_ptr<const Security>(
      new Security(std::move(*context), "the key in '" + path + "'"));
}

tl::expected<std::shared_ptr<const Security>, std::string> Security::fromCertificates(
    const Certificates& files) {
  if (auto checked = checkSecretFile(files.privateKey); !checked) {
    return tl::unexpected(checked.error());
  }
  auto context = Context::make();
  if (!context) return tl::unexpected(context.error());
  SSL_CTX* tls = (*context)->tls.get();
  const auto refuse = [](const std::string& file, const char* what) {
    return tl::unexpected("the file '" + file + "' cannot be used as " + what + ": " + lastError());
  };
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(tls, files.certificate.c_str()) != 1) {
    return refuse(files.certificate, "the certificate of this node (PEM)");
  }
  if (SSL_CTX_use_PrivateKey_file(tls, files.privateKey.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(tls) != 1) {
    return refuse(files.privateKey, "the private key of its certificate (PEM)");
  }
  if (SSL_CTX_load_verify_locations(tls, files.trusted.c_str(), nullptr) != 1) {
    return refuse(files.trusted, "trusted certificates (PEM)");
  }
  return std::shared_ptr<const Security>(
      new Security(std::move(*context), "the certificate in '" + files.certificate + "'"));
}

std::unique_ptr<Stream> Security::over(UniqueFd socket, Side side) const {
  return std::make_unique<TlsStream>(context_, std::move(socket), side);
}

std::unique_ptr<Stream> streamOver(UniqueFd socket, const std::shared_ptr<const Security>& security,
                                   Security::Side side) {
  if (security) return security->over(std::move(socket), side);
  return std::make_unique<PlainStream>(std::move(socket));
}

}  // namespace tutti::pipes
