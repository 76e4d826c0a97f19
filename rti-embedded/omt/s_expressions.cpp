// SPDX-License-Identifier: Apache-2.0
#include "omt/s_expressions.h"

#include <algorithm>
#include <utility>

#include "omt/text.h"

namespace tutti::omt {

namespace {

bool endsWord(char c) {
  return isBlank(c) || c == '\f' || c == '\v' || c == '(' || c == ')' || c == '"' || c == ';';
}

/// Where the next thing is that is neither blank nor a comment.
std::size_t skipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (text[at] == ';') {
      at = text.find_first_of("\r\n", at);
      if (at == std::string_view::npos) return text.size();
    } else if (isBlank(text[at]) || text[at] == '\f' || text[at] == '\v') {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

}  // namespace

class SExpressionParser {
 public:
  using Kind = SExpressions::Kind;

  SExpressionParser(std::string_view text, SExpressions::Escapes escapes,
                    const SExpressions::Limits& limits)
      : text_(text), escapes_(escapes), limits_(limits) {}

  tl::expected<SExpressions, SExpressions::Fault> parse() {
    open(1);
    for (;;) {
      passBlanks();
      if (fault_.line > 0) return tl::unexpected(std::move(fault_));
      if (at_ == text_.size()) break;
      readOne();
    }
    if (open_.size() > 1) {
      const int line = result_.nodes_[open_.back()].line;
      fail(line,
           std::to_string(open_.size() - 1) +
               (open_.size() == 2 ? " parenthesis is" : " parentheses are") +
               " not closed; the innermost is opened here.",
           "Close it, or the file has been cut off.");
      return tl::unexpected(std::move(fault_));
    }
    close();
    return std::move(result_);
  }

 private:
  void fail(int line, std::string message, std::string hint) {
    if (fault_.line == 0) fault_ = {line, std::move(message), std::move(hint)};
  }

  /// Counts lines that end as on any system.
  void advanceTo(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (text_[at_] == '\n' || (text_[at_] == '\r' && text_.substr(at_ + 1, 1) != "\n")) ++line_;
    }
  }

  /// Blanks and comments, a comment at a time so that each has its line.
  void passBlanks() {
    const std::size_t end = skipBlanks(text_, at_);
    std::size_t comment = text_.substr(0, end).find(';', at_);
    while (comment != std::string_view::npos) {
      advanceTo(comment);
      ++result_.commentCount_;
      if (result_.commentLines_.size() < SExpressions::mostCommentLines) {
        result_.commentLines_.push_back(line_);
      }
      const std::size_t lineEnd = std::min(text_.find_first_of("\r\n", comment), end);
      comment = text_.substr(0, end).find(';', lineEnd);
    }
    advanceTo(end);
  }

  bool add(Kind kind, std::string_view text, int line) {
    if (result_.nodes_.size() >= limits_.nodes) {
      fail(line, "The file has more than " + std::to_string(limits_.nodes) + " lists and words.",
           "No object model needs as many; export the file again.");
      return false;
    }
    const auto next = static_cast<std::uint32_t>(result_.nodes_.size() + 1);
    result_.nodes_.push_back({text, next, line, kind});
    return true;
  }

  void open(int line) {
    if (open_.size() > limits_.depth) {
      fail(line, "Parentheses are nested more than " + std::to_string(limits_.depth) + " deep.",
           "No object model needs as many levels; export the file again.");
      return;
    }
    if (!add(Kind::List, {}, line)) return;
    open_.push_back(static_cast<std::uint32_t>(result_.nodes_.size() - 1));
  }

  void close() {
    result_.nodes_[open_.back()].end = static_cast<std::uint32_t>(result_.nodes_.size());
    open_.pop_back();
  }

  void readOne() {
    const char c = text_[at_];
    if (c == '(') {
      open(line_);
      ++at_;
    } else if (c == ')') {
      if (open_.size() == 1) {
        fail(line_, "A parenthesis is closed here that is not open.",
             "Delete it, or open the list that it closes.");
        return;
      }
      close();
      ++at_;
    } else if (c == '"') {
      readEnclosed(Kind::Text, '"');
    } else if (c == '[') {
      readEnclosed(Kind::Brackets, ']');
    } else {
      std::size_t end = at_;
      while (end < text_.size() && !endsWord(text_[end])) ++end;
      addPiece(Kind::Word, at_, end, line_);
      at_ = end;
    }
  }

  /// What is opened at this place, up to `mark`.
  void readEnclosed(Kind kind, char mark) {
    const std::size_t start = at_ + 1;
    const int line = line_;
    std::size_t end = start;
    const bool escaping = kind == Kind::Text && escapes_ == SExpressions::Escapes::Backslash;
    while (end < text_.size() && text_[end] != mark) {
      end += escaping && text_[end] == '\\' && end + 1 < text_.size() ? 2 : 1;
    }
    if (end == text_.size()) {
      fail(line,
           kind == Kind::Text ? "A text in quotes begins here and does not end."
                              : "A bracket is opened here and not closed.",
           "Close it, or the file has been cut off.");
      return;
    }
    addPiece(kind, start, end, line);
    advanceTo(end + 1);
  }

  void addPiece(Kind kind, std::size_t start, std::size_t end, int line) {
    if (end - start > limits_.textBytes) {
      fail(line,
           "A word or text is longer than " + std::to_string(limits_.textBytes >> 10) + " KiB.",
           "Shorten it.");
      return;
    }
    add(kind, text_.substr(start, end - start), line);
  }

  std::string_view text_;
  SExpressions::Escapes escapes_;
  const SExpressions::Limits& limits_;
  SExpressions result_;
  std::vector<std::uint32_t> open_;  ///< lists, the document first
  std::size_t at_ = 0;
  int line_ = 1;
  SExpressions::Fault fault_;
};

tl::expected<SExpressions, SExpressions::Fault> SExpressions::parse(std::string_view document,
                                                                    Escapes escapes,
                                                                    const Limits& limits) {
  return SExpressionParser(document, escapes, limits).parse();
}

bool SExpressions::Item::is(std::string_view word) const { return sameIgnoringCase(head(), word); }

std::string_view firstHead(std::string_view document) {
  std::size_t at = skipBlanks(document, 0);
  if (at >= document.size() || document[at] != '(') return {};
  at = skipBlanks(document, at + 1);
  std::size_t end = at;
  while (end < document.size() && !endsWord(document[end])) ++end;
  return document.substr(at, end - at);
}

}  // namespace tutti::omt
