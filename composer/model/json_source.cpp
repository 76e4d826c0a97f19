// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/json_source.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <algorithm>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

namespace tutti::composer {

QString Error::place() const {
  if (file.isEmpty()) return {};
  return line > 0 ? QStringLiteral("%1:%2").arg(file).arg(line) : file;
}

QString Error::message() const {
  QString result = place();
  if (!pointer.isEmpty()) {
    result += result.isEmpty() ? pointer : QStringLiteral(" (%1)").arg(pointer);
  }
  if (!result.isEmpty()) result += QStringLiteral(": ");
  result += what;
  if (!next.isEmpty()) result += u' ' + next;
  return result;
}

namespace {

constexpr qint64 kMaximumSize = qint64{16} * 1024 * 1024;

int lineAt(const QByteArray& bytes, std::size_t offset) {
  const auto end = std::min<qsizetype>(static_cast<qsizetype>(offset), bytes.size());
  return static_cast<int>(std::count(bytes.cbegin(), bytes.cbegin() + end, '\n')) + 1;
}

/// Walks text that is known to be valid JSON and notes the line of every value. The parser itself
/// offers no positions, and its event interface reports after the look-ahead, which may be a line
/// too far.
class LineScanner {
 public:
  LineScanner(const QByteArray& bytes, std::unordered_map<std::string, int>& lines)
      : bytes_{bytes}, lines_{lines} {}

  struct Duplicate {
    std::string pointer;
    int line;
  };
  std::vector<Duplicate> duplicates;

  void scan() { value({}); }

 private:
  char peek() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }
  void advance() {
    if (peek() == '\n') ++line_;
    ++at_;
  }
  void skipBlanks() {
    while (at_ < bytes_.size() &&
           (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n'))
      advance();
  }
  std::string string() {
    const qsizetype begin = at_;
    advance();
    while (at_ < bytes_.size() && peek() != '"') {
      if (peek() == '\\') advance();
      advance();
    }
    advance();
    return Json::parse(bytes_.constData() + begin, bytes_.constData() + at_, nullptr, false)
        .get<std::string>();
  }
  void value(const std::string& pointer) {
    skipBlanks();
    lines_.emplace(pointer, line_);
    if (peek() == '{') {
      object(pointer);
    } else if (peek() == '[') {
      array(pointer);
    } else if (peek() == '"') {
      string();
    } else {
      while (at_ < bytes_.size() && !std::strchr(",]} \t\r\n", peek())) advance();
    }
  }
  void object(const std::string& pointer) {
    std::set<std::string> keys;
    advance();
    for (skipBlanks(); at_ < bytes_.size() && peek() != '}'; skipBlanks()) {
      const int line = line_;
      const std::string key = string();
      const std::string child = pointer + "/" + pointerToken(key);
      if (!keys.insert(key).second) duplicates.push_back({child, line});
      skipBlanks();
      advance();  // the colon
      value(child);
      skipBlanks();
      if (peek() == ',') advance();
    }
    advance();
  }
  void array(const std::string& pointer) {
    advance();
    int index = 0;
    for (skipBlanks(); at_ < bytes_.size() && peek() != ']'; skipBlanks()) {
      value(pointer + "/" + std::to_string(index++));
      skipBlanks();
      if (peek() == ',') advance();
    }
    advance();
  }

  const QByteArray& bytes_;
  std::unordered_map<std::string, int>& lines_;
  qsizetype at_ = 0;
  int line_ = 1;
};

/// The parser recurses per level, so hostile nesting must be refused before it runs out of stack.
bool nestsTooDeep(const QByteArray& bytes) {
  constexpr int kMaximumDepth = 200;
  int depth = 0;
  bool inString = false;
  for (qsizetype i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (inString) {
      if (c == '\\') ++i;
      if (c == '"') inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaximumDepth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::string pointerToken(const std::string& key) {
  std::string result;
  for (const char c : key) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

tl::expected<JsonSource, Error> JsonSource::parse(const QByteArray& bytes, const QString& file) {
  JsonSource source;
  source.file_ = file;
  if (bytes.trimmed().isEmpty()) {
    return tl::unexpected(Error{file, 0, {}, QStringLiteral("The file is empty."), {}});
  }
  if (nestsTooDeep(bytes)) {
    return tl::unexpected(
        Error{file, 0, {}, QStringLiteral("Values are nested more than 200 levels deep."), {}});
  }
  try {
    source.root_ = Json::parse(bytes.cbegin(), bytes.cend());
  } catch (const Json::parse_error& error) {
    // The text starts with the library's own "[json.exception...] ... : "; only the reason after it
    // helps.
    QString why = text(error.what());
    if (const auto colon = why.indexOf(QStringLiteral(": syntax error ")); colon >= 0) {
      why = why.mid(colon + 2);
    }
    return tl::unexpected(Error{file,
                                lineAt(bytes, error.byte > 0 ? error.byte - 1 : 0),
                                {},
                                QStringLiteral("This is not JSON: %1.").arg(why),
                                QStringLiteral("Correct the text at this line.")});
  } catch (const Json::exception& error) {
    // A number that no double can hold; the text names it, which leads to its line.
    const QByteArray why{error.what()};
    const auto begin = why.indexOf('\'');
    const QByteArray token =
        begin < 0 ? QByteArray{} : why.mid(begin + 1, why.lastIndexOf('\'') - begin - 1);
    const auto at = token.isEmpty() ? -1 : bytes.indexOf(token);
    return tl::unexpected(
        Error{file,
              at < 0 ? 1 : lineAt(bytes, static_cast<std::size_t>(at)),
              {},
              QStringLiteral("The number %1 is too large.").arg(QString::fromUtf8(token)),
              {}});
  }
  LineScanner scanner{bytes, source.lines_};
  scanner.scan();
  if (!scanner.duplicates.empty()) {
    const auto& duplicate = scanner.duplicates.front();
    return tl::unexpected(
        Error{file, duplicate.line, text(duplicate.pointer),
              QStringLiteral("This key stands twice in its object, so one value would be lost."),
              QStringLiteral("Remove one of the two.")});
  }
  return source;
}

tl::expected<JsonSource, Error> JsonSource::read(const QString& file) {
  const QString path = QDir::cleanPath(QFileInfo{file}.absoluteFilePath());
  QFile input{path};
  if (QFileInfo{path}.isDir()) {
    return tl::unexpected(Error{path, 0, {}, QStringLiteral("This is a folder, not a file."), {}});
  }
  if (!input.open(QIODevice::ReadOnly)) {
    return tl::unexpected(
        Error{path,
              0,
              {},
              QStringLiteral("The file cannot be read: %1.").arg(input.errorString()),
              QStringLiteral("Check its name and your right to read it.")});
  }
  const QByteArray bytes = input.read(kMaximumSize + 1);
  if (bytes.size() > kMaximumSize) {
    return tl::unexpected(
        Error{path, 0, {}, QStringLiteral("The file is larger than 16 MiB."), {}});
  }
  return parse(bytes, path);
}

int JsonSource::lineOf(const std::string& pointer) const {
  std::string at = pointer;
  for (;;) {
    if (const auto found = lines_.find(at); found != lines_.end()) return found->second;
    const auto slash = at.rfind('/');
    if (slash == std::string::npos) return 1;
    at.resize(slash);
  }
}

Error JsonSource::error(const std::string& pointer, QString what, QString next) const {
  return {file_, lineOf(pointer), text(pointer), std::move(what), std::move(next)};
}

QByteArray canonicalBytes(const Json& value) {
  return QByteArray::fromStdString(value.dump(2, ' ', false, Json::error_handler_t::replace)) +
         '\n';
}

tl::expected<void, Error> replaceFile(const QString& file, const QByteArray& bytes) {
  QSaveFile output{file};
  const auto failed = [&] {
    return tl::unexpected(Error{
        file,
        0,
        {},
        QStringLiteral("The file was not saved: %1.").arg(output.errorString()),
        QStringLiteral("What it held before is intact. Free space or choose another folder.")});
  };
  if (!output.open(QIODevice::WriteOnly)) return failed();
  if (output.write(bytes) != bytes.size()) return failed();
  // Without this commit() would put a part, or nothing, in the place of the file: it does not look
  // whether its own last write did it.
  if (!output.flush() || !output.commit()) return failed();
  return {};
}

}  // namespace tutti::composer
