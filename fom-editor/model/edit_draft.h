// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fom-editor/model/model_rows.h"
#include "fom-editor/model/open_modules.h"

namespace tutti::fomedit {

/// A change that takes several steps, each planned on what the steps before it made of a module.
/// The modules themselves stay as they are; edit() gives all steps as splices of their texts.
class EditDraft {
 public:
  explicit EditDraft(const EditableModules& modules);
  ~EditDraft();

  /// A module after the steps so far. Ids of its elements are valid until the next step on it.
  const ModuleSource& source(int module) const;
  /// A step on a module that cannot be written is an error: the change makes sense as a whole only.
  void apply(int module, Splices splices);

  /// What did not work, in one sentence; empty: nothing.
  const QString& error() const { return error_; }
  tl::expected<ModelEdit, QString> edit(const QString& label, const QString& item = {}) const;

 private:
  /// A stretch of a module's original text, or new text.
  struct Piece {
    ByteRange kept;
    std::string added;  ///< where `kept` is empty
    std::size_t size() const { return added.empty() ? kept.size() : added.size(); }
  };
  struct Module {
    std::optional<ModuleSource> copy;  ///< after the steps; absent where there were none
    std::vector<Piece> pieces;
    bool whole = false;  ///< the pieces are not known any more: all that differs is one splice
  };
  /// Arranged splices of what the pieces make.
  static void replace(std::vector<Piece>& pieces, const Splices& splices);
  Splices splicesOf(int module) const;

  EditableModules modules_;
  std::vector<Module> steps_;
  QString error_;
};

}  // namespace tutti::fomedit
