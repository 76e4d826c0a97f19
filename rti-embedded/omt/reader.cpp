// SPDX-License-Identifier: Apache-2.0
#include "omt/reader.h"

#include <fcntl.h>
#include <libxml/encoding.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "omt/hla13_reading.h"
#include "omt/s_expressions.h"
#include "omt/text.h"
#include "omt/xml_limits.h"
#include "omt/xml_reader.h"

namespace tutti::omt {

namespace {

/// The encoding that an XML declaration in 8-bit characters names; empty: none.
std::string declaredEncoding(std::string_view text) {
  if (!text.starts_with("<?xml")) return {};
  text = text.substr(0, text.find("?>"));
  constexpr std::string_view key = "encoding";
  std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  at = text.find_first_of("\"'");
  if (at == std::string_view::npos || text.substr(0, at).find('=') == std::string_view::npos) {
    return {};
  }
  const std::size_t end = text.find(text[at], at + 1);
  return end == std::string_view::npos ? std::string()
                                       : std::string(text.substr(at + 1, end - at - 1));
}

struct BufferDeleter {
  void operator()(xmlBuffer* buffer) const { xmlBufferFree(buffer); }
};
using Buffer = std::unique_ptr<xmlBuffer, BufferDeleter>;

/// `text` in UTF-8, which is what is looked at before it is parsed; `kept` holds it where it had to
/// be converted. The error says what is wrong with the encoding.
tl::expected<std::string_view, std::string> inUtf8(std::string_view text, Buffer& kept) {
  constexpr std::string_view utf8Mark = "\xEF\xBB\xBF";
  if (text.starts_with(utf8Mark)) return text.substr(utf8Mark.size());
  const auto* bytes = static_cast<const xmlChar*>(static_cast<const void*>(text.data()));
  const xmlCharEncoding found =
      xmlDetectCharEncoding(bytes, static_cast<int>(std::min<std::size_t>(text.size(), 4)));
  std::string name;
  xmlCharEncodingHandlerPtr handler = nullptr;
  if (found == XML_CHAR_ENCODING_NONE || found == XML_CHAR_ENCODING_UTF8) {
    name = declaredEncoding(text);
    for (const std::string_view same : {"", "UTF-8", "UTF8", "US-ASCII", "ASCII"}) {
      if (sameIgnoringCase(name, same)) return text;
    }
    for (const std::string_view wide : {"UTF-16", "UTF16", "UCS-", "UCS4", "UTF-32", "UTF32"}) {
      if (sameIgnoringCase(std::string_view(name).substr(0, wide.size()), wide)) {
        return tl::unexpected("The file says that it is in " + name + ", but it is not.");
      }
    }
    handler = xmlFindCharEncodingHandler(name.c_str());
  } else {
    name = "the encoding of its first bytes";
    handler = xmlGetCharEncodingHandler(found);
  }
  if (handler == nullptr) return tl::unexpected("The file is in " + name + ", which is unknown.");
  const Buffer from(xmlBufferCreateSize(text.size() + 1));
  kept.reset(xmlBufferCreateSize(text.size() * 2 + 1));
  bool whole = from && kept && xmlBufferAdd(from.get(), bytes, static_cast<int>(text.size())) == 0;
  while (whole && xmlBufferLength(from.get()) > 0) {
    const int before = xmlBufferLength(from.get());
    whole = xmlCharEncInFunc(handler, kept.get(), from.get()) >= 0 &&
            xmlBufferLength(from.get()) < before;
  }
  xmlCharEncCloseFunc(handler);
  if (!whole) return tl::unexpected("The file is not in " + name + " to its end.");
  std::string_view result(
      static_cast<const char*>(static_cast<const void*>(xmlBufferContent(kept.get()))),
      static_cast<std::size_t>(xmlBufferLength(kept.get())));
  if (result.starts_with(utf8Mark)) result.remove_prefix(utf8Mark.size());
  return result;
}

constexpr std::string_view whatIsRead =
    "Give an object model: XML that begins with <objectModel> (IEEE 1516), or a file that begins "
    "with (FED or (DIF HLA-OMT (HLA 1.3).";

enum class Notation : std::uint8_t { Xml, Fed, Omt13, Unknown };

/// By what a document begins with: neither names of files nor folders say it reliably.
Notation notationOf(std::string_view document) {
  const std::size_t first = document.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && document[first] == '<') return Notation::Xml;
  const std::string_view head = firstHead(document);
  if (sameIgnoringCase(head, "FED")) return Notation::Fed;
  if (sameIgnoringCase(head, "DIF") || sameIgnoringCase(head, "ObjectModel")) {
    return Notation::Omt13;
  }
  return Notation::Unknown;
}

/// The first bytes in quotes, with \xNN for what is no printable character of ASCII.
std::string beginning(std::string_view document) {
  constexpr std::size_t most = 24;
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text = "\"";
  for (const char c : document.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      text += c;
    } else {
      text += "\\x";
      text += digits[byte >> 4U];
      text += digits[byte & 0xFU];
    }
  }
  return text + (document.size() > most ? "...\"" : "\"");
}

std::string latin1InUtf8(std::string_view text) {
  std::string result;
  result.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xC0U | (byte >> 6U));
      result += static_cast<char>(0x80U | (byte & 0x3FU));
    }
  }
  return result;
}

/// Stricter readers refuse a file that has bytes which the encoding that it names has not.
void warnOfAscii(std::string_view text, Module& module) {
  const std::string name = declaredEncoding(text);
  if (!sameIgnoringCase(name, "US-ASCII") && !sameIgnoringCase(name, "ASCII")) return;
  const auto at = std::find_if(text.begin(), text.end(),
                               [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (at == text.end()) return;
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(*at);
  addWarning(module.warnings,
             {ErrorKind::ErrorReading,
              module.file,
              static_cast<int>(1 + std::count(text.begin(), at, '\n')),
              "The file says that it is in " + name + ", but its byte " +
                  std::to_string(at - text.begin() + 1) + " is 0x" + digits[byte >> 4U] +
                  digits[byte & 0xFU] + ". It is read as UTF-8; stricter RTIs refuse it.",
              "Name UTF-8 in its first line.",
              {},
              0});
}

/// How long a pipe may be silent.
constexpr int pipeMilliseconds = 5000;

struct Descriptor {
  int number = -1;
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

tl::expected<Module, Error> readHla13(std::string_view text, Notation notation,
                                      const std::string& displayName) {
  std::string converted;
  std::size_t end = charactersEnd(text);
  // These files say nothing of their encoding; those that are not in UTF-8 are from Windows.
  const bool latin1 = end < text.size() && static_cast<unsigned char>(text[end]) >= 0x80;
  if (latin1) {
    converted = latin1InUtf8(text);
    text = converted;
    end = charactersEnd(text);
  }
  if (end < text.size()) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(end), '\n');
    return tl::unexpected(
        Error{ErrorKind::ErrorReading,
              displayName,
              static_cast<int>(line),
              "A byte that is no text stands here: " + beginning(text.substr(end, 1)) + ".",
              "Export the file again as text.",
              {},
              0});
  }
  auto module =
      notation == Notation::Fed ? readHla13Fed(text, displayName) : readHla13Omt(text, displayName);
  if (module && latin1) {
    addWarning(module->warnings, {ErrorKind::ErrorReading,
                                  displayName,
                                  0,
                                  "The file is not in UTF-8; it is read as Latin-1.",
                                  "Save it in UTF-8.",
                                  {},
                                  0});
  }
  return module;
}

}  // namespace

tl::expected<Module, Error> readModule(std::span<const std::byte> bytes, std::string displayName) {
  static std::once_flag initialized;
  std::call_once(initialized, [] { xmlInitParser(); });

  const auto failed = [&](int line, std::string message, std::string hint) {
    return tl::unexpected(Error{
        ErrorKind::ErrorReading, displayName, line, std::move(message), std::move(hint), {}, 0});
  };
  if (bytes.empty()) {
    return failed(0, "The file is empty.", std::string(whatIsRead));
  }
  if (bytes.size() > maxModuleBytes) {
    return failed(0, "The file is larger than 64 MiB.", "Split it into modules.");
  }
  const char* text = static_cast<const char*>(static_cast<const void*>(bytes.data()));
  Buffer converted;
  const auto utf8 = inUtf8({text, bytes.size()}, converted);
  if (!utf8) return failed(1, utf8.error(), "Save it in UTF-8.");
  const Notation notation = notationOf(*utf8);
  if (notation == Notation::Xml) {
    auto module = readXmlModule(*utf8, displayName);
    if (module && converted == nullptr) warnOfAscii({text, bytes.size()}, *module);
    return module;
  }
  if (notation == Notation::Unknown) {
    return failed(
        1, "Not well-formed XML, and no file of HLA 1.3: it begins with " + beginning(*utf8) + ".",
        std::string(whatIsRead));
  }
  return readHla13(*utf8, notation, displayName);
}

tl::expected<Module, Error> readModule(std::string_view text, std::string displayName) {
  return readModule(std::as_bytes(std::span(text.data(), text.size())), std::move(displayName));
}

tl::expected<std::string, Error> readModuleBytes(const std::filesystem::path& path) {
  const auto failed = [&](std::string message) {
    return tl::unexpected(Error{ErrorKind::CouldNotOpen,
                                path.string(),
                                0,
                                std::move(message),
                                "Check the path and who may read it.",
                                {},
                                0});
  };
  // Opening a pipe waits for a program that writes into it, unless that is asked for so.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (file.number < 0)
    return failed("The file cannot be opened: " + std::string(std::strerror(errno)) + ".");
  struct stat status {};
  if (::fstat(file.number, &status) != 0)
    return failed("The file cannot be read: " + std::string(std::strerror(errno)) + ".");
  if (S_ISDIR(status.st_mode)) return failed("This is a folder, not a file.");
  const bool isPipe = S_ISFIFO(status.st_mode);
  if (!S_ISREG(status.st_mode) && !isPipe) return failed("This is a device, not a file.");
  std::string text;
  std::vector<char> part(std::size_t{1} << 16U);
  for (;;) {
    pollfd wait{file.number, POLLIN, 0};
    if (isPipe && ::poll(&wait, 1, pipeMilliseconds) == 0)
      return failed("Nothing has come through this pipe for 5 s.");
    const ssize_t count = ::read(file.number, part.data(), part.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0)
      return failed("The file cannot be read to its end: " + std::string(std::strerror(errno)) +
                    ".");
    if (count == 0) return text;
    text.append(part.data(),
                std::min(static_cast<std::size_t>(count), maxModuleBytes + 1 - text.size()));
    if (text.size() > maxModuleBytes) return text;  // readModule says so
  }
}

tl::expected<Module, Error> readModuleFile(const std::filesystem::path& path) {
  const auto bytes = readModuleBytes(path);
  if (!bytes) return tl::unexpected(bytes.error());
  return readModule(*bytes, path.string());
}

}  // namespace tutti::omt
