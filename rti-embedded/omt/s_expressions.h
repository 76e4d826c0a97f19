// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace tutti::omt {

/// The notation of HLA 1.3: lists in parentheses that begin with a word, as in
/// (class Car (attribute speed reliable timestamp)). A semicolon begins a comment, which ends with
/// its line. Whole texts stand in quotes, references to notes in brackets.
///
/// A document is one array of nodes, each list before what it contains: reading and deleting it
/// needs no recursion, and a node costs 32 bytes. Texts are views of the document.
class SExpressions {
 public:
  enum class Kind : std::uint8_t { List, Word, Text, Brackets };
  struct Node {
    std::string_view text;  ///< without quotes or brackets; empty for a list
    std::uint32_t end = 0;  ///< the node behind it and all that it contains
    int line = 0;           ///< from 1
    Kind kind = Kind::List;
  };

  /// What a document may contain. The object model of RPR FOM 2.0 has 52 000 nodes in 7 levels.
  struct Limits {
    std::size_t nodes = 2'000'000;
    std::size_t depth = 250;
    std::size_t textBytes = std::size_t{1} << 20;  ///< of one word, text or pair of brackets
  };

  /// Why a document is not read.
  struct Fault {
    int line = 0;
    std::string message;
    std::string hint;
  };

  enum class Escapes : std::uint8_t {
    None,      ///< a backslash is one: FED
    Backslash  ///< a backslash makes the next character one of the text: OMT
  };

  /// `document` is UTF-8 and outlives the result. The time grows with its length only.
  static tl::expected<SExpressions, Fault> parse(std::string_view document, Escapes escapes,
                                                 const Limits& limits);
  static tl::expected<SExpressions, Fault> parse(std::string_view document, Escapes escapes) {
    return parse(document, escapes, Limits{});
  }

  /// One node, with those that it contains. As long as its document.
  class Item {
   public:
    Item(const SExpressions& all, std::uint32_t at) : all_(&all), at_(at) {}
    bool isList() const { return node().kind == Kind::List; }
    bool isBrackets() const { return node().kind == Kind::Brackets; }
    int line() const { return node().line; }
    /// As written, escapes included; of a list empty.
    std::string_view text() const { return node().text; }
    /// The word that a list begins with; empty where it begins with another list, or is no list.
    std::string_view head() const {
      const bool named = isList() && at_ + 1 < node().end && !first().isList();
      return named ? first().text() : std::string_view();
    }
    /// Whether its head is that word, in whatever case.
    bool is(std::string_view word) const;

    class Iterator {
     public:
      Iterator(const SExpressions& all, std::uint32_t at) : all_(&all), at_(at) {}
      Item operator*() const { return {*all_, at_}; }
      Iterator& operator++() {
        at_ = all_->nodes_[at_].end;
        return *this;
      }
      bool operator!=(const Iterator& other) const { return at_ != other.at_; }

     private:
      const SExpressions* all_;
      std::uint32_t at_;
    };
    /// What a list contains, its head included; nothing for others.
    Iterator begin() const { return {*all_, isList() ? at_ + 1 : node().end}; }
    Iterator end() const { return {*all_, node().end}; }

   private:
    const Node& node() const { return all_->nodes_[at_]; }
    Item first() const { return {*all_, at_ + 1}; }
    const SExpressions* all_;
    std::uint32_t at_;
  };

  /// The document: a list of what stands in it.
  Item whole() const { return {*this, 0}; }
  /// Lines in which comments begin, the first few; they are in no node.
  const std::vector<int>& commentLines() const { return commentLines_; }
  std::size_t commentCount() const { return commentCount_; }

 private:
  friend class SExpressionParser;
  static constexpr std::size_t mostCommentLines = 1000;
  std::vector<Node> nodes_;
  std::vector<int> commentLines_;
  std::size_t commentCount_ = 0;
};

/// The word that the first list of `document` begins with, without reading on; empty: none.
std::string_view firstHead(std::string_view document);

}  // namespace tutti::omt
