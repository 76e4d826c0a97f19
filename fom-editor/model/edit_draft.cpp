// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/edit_draft.h"

#include <QFileInfo>
#include <algorithm>

namespace tutti::fomedit {

EditDraft::EditDraft(const EditableModules& modules)
    : modules_(modules), steps_(static_cast<std::size_t>(modules.size())) {}

EditDraft::~EditDraft() = default;

const ModuleSource& EditDraft::source(int module) const {
  const Module& m = steps_[static_cast<std::size_t>(module)];
  return m.copy ? *m.copy : *modules_[module].source;
}

void EditDraft::replace(std::vector<Piece>& pieces, const Splices& splices) {
  std::vector<Piece> result;
  result.reserve(pieces.size() + 2 * splices.size());
  /// The part of a piece from `begin` to `end`, counted from its own begin.
  const auto keep = [&](const Piece& piece, std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    if (piece.added.empty()) {
      result.push_back({{piece.kept.begin + begin, piece.kept.begin + end}, {}});
    } else {
      result.push_back({{}, piece.added.substr(begin, end - begin)});
    }
  };
  auto next = splices.begin();
  const auto write = [&] {
    if (!next->inserted.empty()) result.push_back({{}, next->inserted});
  };
  std::size_t at = 0;
  std::size_t removedTo = 0;
  for (const Piece& piece : pieces) {
    const std::size_t end = at + piece.size();
    std::size_t from = std::clamp(removedTo, at, end);
    for (; next != splices.end() && next->at < end; ++next) {
      keep(piece, from - at, next->at - at);
      write();
      removedTo = next->at + next->removed;
      from = std::min(removedTo, end);
    }
    keep(piece, from - at, piece.size());
    at = end;
  }
  for (; next != splices.end(); ++next) write();
  pieces = std::move(result);
}

void EditDraft::apply(int module, Splices splices) {
  if (splices.empty() || !error_.isEmpty()) return;
  Module& m = steps_[static_cast<std::size_t>(module)];
  const EditableModule& original = modules_[module];
  if (!original.isWritable()) {
    error_ = QStringLiteral("%1 would have to change as well. %2")
                 .arg(QFileInfo(original.name).fileName(), original.readOnlyReason);
    return;
  }
  if (!m.copy) {
    auto copy = original.source->withoutHistory();
    if (!copy) {
      error_ = QString::fromStdString(copy.error().toText());
      return;
    }
    m.copy = std::move(*copy);
    m.pieces = {{{0, original.source->text().size()}, {}}};
  }
  if (!arrange(splices, m.copy->text().size())) {
    error_ = QStringLiteral("%1: parts of this change touch each other.").arg(original.name);
    return;
  }
  const std::string expected = spliced(m.copy->text(), splices);
  if (auto done = m.copy->apply(splices); !done) {
    error_ = QString::fromStdString(done.error().toText());
    return;
  }
  // What the file's encoding does not have became references.
  if (m.copy->text() != expected) m.whole = true;
  if (m.whole) return;
  replace(m.pieces, splices);
}

Splices EditDraft::splicesOf(int module) const {
  const Module& m = steps_[static_cast<std::size_t>(module)];
  if (!m.copy) return {};
  const std::string_view before = modules_[module].source->text();
  const std::string_view after = m.copy->text();
  if (before == after) return {};
  if (m.whole) {
    std::size_t begin = 0;
    const std::size_t most = std::min(before.size(), after.size());
    while (begin < most && before[begin] == after[begin]) ++begin;
    std::size_t end = 0;
    while (end < most - begin && before[before.size() - 1 - end] == after[after.size() - 1 - end]) {
      ++end;
    }
    // Whole characters only: a byte that continues one does not begin a splice.
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    while (begin > 0 && continues(before[begin])) --begin;
    while (end > 0 && continues(before[before.size() - end])) --end;
    return {{begin, before.size() - end - begin,
             std::string(after.substr(begin, after.size() - end - begin))}};
  }
  Splices splices;
  std::size_t at = 0;
  std::string added;
  const auto upTo = [&](std::size_t next) {
    if (next > at || !added.empty()) splices.push_back({at, next - at, added});
    added.clear();
  };
  for (const Piece& piece : m.pieces) {
    if (!piece.added.empty()) {
      added += piece.added;
      continue;
    }
    upTo(piece.kept.begin);
    at = piece.kept.end;
  }
  upTo(before.size());
  std::erase_if(splices, [&](const Splice& s) {
    return before.substr(s.at, s.removed) == std::string_view(s.inserted);
  });
  return splices;
}

tl::expected<ModelEdit, QString> EditDraft::edit(const QString& label, const QString& item) const {
  if (!error_.isEmpty()) return tl::unexpected(error_);
  ModelEdit edit;
  edit.label = label;
  edit.item = item;
  for (int module = 0; module < modules_.size(); ++module) {
    Splices splices = splicesOf(module);
    if (!splices.empty()) edit.changes.emplace_back(module, std::move(splices));
  }
  return edit;
}

}  // namespace tutti::fomedit
