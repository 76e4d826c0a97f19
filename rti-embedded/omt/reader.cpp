// SPDX-License-Identifier: Apache-2.0
#include "omt/reader.h"

#include <libxml/encoding.h>
#include <libxml/parser.h>
#include <libxml/tree.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <utility>

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
  std::string_view result(static_cast<const char*>(static_cast<const void*>(
                              xmlBufferContent(kept.get()))),
                          static_cast<std::size_t>(xmlBufferLength(kept.get())));
  if (result.starts_with(utf8Mark)) result.remove_prefix(utf8Mark.size());
  return result;
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
    return failed(0, "The file is empty.", "Give an OMT file of IEEE 1516.2-2010.");
  }
  if (bytes.size() > maxModuleBytes) {
    return failed(0, "The file is larger than 64 MiB.", "Split it into modules.");
  }
  const char* text = static_cast<const char*>(static_cast<const void*>(bytes.data()));
  const std::string_view start = std::string_view(text, std::min<std::size_t>(bytes.size(), 256));
  const std::size_t firstMark = start.find_first_not_of(" \t\r\n");
  if (firstMark != std::string_view::npos &&
      (start[firstMark] == '(' || start.substr(firstMark, 2) == ";;")) {
    return failed(1, "This is an object model of HLA 1.3 (FED), not XML.",
                  "Convert it to IEEE 1516.2-2010.");
  }

  Buffer converted;
  const auto utf8 = inUtf8({text, bytes.size()}, converted);
  if (!utf8) return failed(1, utf8.error(), "Save it in UTF-8.");
  return readXmlModule(*utf8, displayName);
}

tl::expected<Module, Error> readModule(std::string_view text, std::string displayName) {
  return readModule(std::as_bytes(std::span(text.data(), text.size())), std::move(displayName));
}

tl::expected<Module, Error> readModuleFile(const std::filesystem::path& path) {
  const auto failed = [&](std::string message) {
    return tl::unexpected(Error{ErrorKind::CouldNotOpen,
                                path.string(),
                                0,
                                std::move(message),
                                "Check the path and who may read it.",
                                {},
                                0});
  };
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return failed("This is a folder, not a file.");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return failed("The file cannot be opened: " + std::string(std::strerror(errno)) + ".");
  std::string text;
  std::array<char, 65536> part;
  while (stream.read(part.data(), part.size()), stream.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > maxModuleBytes) break;  // readModule says so
  }
  if (stream.bad()) return failed("The file cannot be read to its end.");
  return readModule(text, path.string());
}

}  // namespace tutti::omt
