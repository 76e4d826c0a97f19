// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPair>
#include <QString>
#include <QStringList>
#include <optional>
#include <tl/expected.hpp>

#include "fom-editor/model/model_rows.h"
#include "fom-editor/model/module_edits.h"
#include "fom-editor/model/open_modules.h"
#include "omt/object_model.h"

namespace tutti::fomedit {

class EditDraft;

/// How a cell is edited.
struct CellEditor {
  enum class Kind : std::uint8_t {
    None,        ///< not at all
    Text,        ///< one line
    Prose,       ///< several lines
    Choice,      ///< one of `choices`
    OpenChoice,  ///< one of `choices`, or something else
    DataType,    ///< name of a datatype
    List         ///< several of `choices`, separated by commas
  };
  Kind kind = Kind::None;
  QStringList choices;
};

/// A cell of a new row that is not as usual.
using NewCell = QPair<QString, QString>;

/// Plans what a person changes in the open modules: each function gives the change for
/// OpenModules::apply(), or one sentence that says why it makes no sense. A change without splices
/// changes nothing.
///
/// A row that several modules define is changed in all of them, because definitions that differ
/// contradict each other; prose (semantics, update conditions) in the first, which is the one that
/// counts. What refers to a renamed row follows in all modules. Rows of the MIM are the standard's,
/// modules of HLA 1.3 have no source, and modules whose files cannot be written would have to
/// change with the others: these are refused with the reason.
///
/// Cells are named as the elements of IEEE 1516.2-2010 ("dataType", "transportation"). Besides:
/// "update" is the update type with its condition ("Periodic 0.1 s"), "dimensions" and "value" of
/// an enumerator are lists separated by commas, "value" of a switch or use history is all of it.
class ModelChanges {
 public:
  using Result = tl::expected<ModelEdit, QString>;

  /// The sources have to stay unchanged as long as this lives.
  explicit ModelChanges(const EditableModules& modules) : modules_(modules) {}
  explicit ModelChanges(const OpenModules& modules);

  const EditableModules& modules() const { return modules_; }
  /// The module that takes what no module is told for, as far as it can be written; -1: the first.
  void prefer(int module) { preferred_ = module; }

  /// Why a row, or that cell of it, cannot be changed, for instance because one of the files that
  /// would change is write-protected; of a row without a name why none can be added. Empty: it can.
  QString readOnlyReason(const RowRef& row, const QString& cell = {}) const;
  /// The text of a cell where the row is defined, lines kept; empty where it has none.
  QString cell(const RowRef& row, const QString& cell) const;
  CellEditor editorOf(const RowRef& row, const QString& cell) const;

  /// Gives a cell a value; an empty value removes it. "name" renames, see rename().
  Result setCell(const RowRef& row, const QString& cell, const QString& value) const;
  /// Gives a row another name; all references follow. The name of a class is its last part.
  Result rename(const RowRef& row, const QString& name) const;

  /// Adds a row: of a member `owner` is its class, of an enumerator, field or alternative its
  /// datatype; others go to row.module, or to the one preferred, or the first that can be edited.
  /// It stands behind the one at `after` among those of its kind, or last. Cells that are not given
  /// are as usual.
  Result add(const RowRef& row, const QList<NewCell>& cells = {}, int after = -1) const;
  /// Adds a datatype, with what makes it complete.
  Result addDataType(omt::DataTypeKind kind, const QString& name, int module = -1) const;
  /// Adds a reference datatype, which only modules of IEEE 1516-2025 have.
  Result addReferenceDataType(const QString& name, int module = -1) const;
  /// Adds a datatype and gives its name to a cell, in one step.
  Result setNewDataType(const RowRef& row, const QString& cell, omt::DataTypeKind kind,
                        const QString& name) const;
  /// Adds a class below another: in `module`, in the one preferred, or where the superclass is
  /// defined. A module that lacks the superclass names it, with those above it.
  Result addSubclass(const RowRef& superclass, const QString& name, int module = -1) const;

  /// Removes rows; of a class all modules forget it, with its subclasses.
  Result remove(const QList<RowRef>& rows) const;
  /// What goes with a row, or still refers to it: "2 subclasses and 12 attributes"; empty: nothing.
  QString removalEffect(const RowRef& row) const;

  /// Moves a row by that many places among those of its kind, up for less than 0.
  Result move(const RowRef& row, int by) const;
  /// Puts a class with its subclasses below another class.
  Result reparent(const RowRef& row, const QString& superclass) const;
  /// "loses 8 attributes", "loses 3 attributes, gains 1"; empty where the class keeps what it has.
  QString reparentEffect(const RowRef& row, const QString& superclass) const;
  /// The names behind it.
  struct Inheritance {
    QStringList lost;
    QStringList gained;
  };
  Inheritance inheritanceChange(const RowRef& row, const QString& superclass) const;

  /// A name that is not taken yet: "attribute1".
  QString freeName(const RowRef& row, const QString& stem) const;
  /// itemPath() of the class or table that shows a row.
  static QString itemOf(const RowRef& row);

 private:
  tl::expected<std::vector<FoundRow>, QString> targets(const RowRef& row) const;
  tl::expected<int, QString> moduleFor(const RowRef& row) const;
  const ModuleSource& sourceOf(int module) const { return *modules_[module].source; }
  /// " in Tracks.xml" where a row could have gone to another module; else nothing.
  QString inFile(int module) const;
  bool isWritable(int module) const {
    return module >= 0 && module < modules_.size() && modules_[module].isWritable();
  }
  QString nothingEditable(const RowRef& row) const;
  QString faultOfName(const RowRef& row, const QString& name) const;
  QString faultOfValue(const RowRef& row, const QString& cell, const QString& value) const;
  QString faultOfMemberName(const RowRef& row, const QString& name) const;
  QString faultOfDirected(const RowRef& row, const QString& name) const;
  QString faultOfReference(const RowRef& row, const QString& cell, const QString& value) const;
  /// Full names of the classes that a module means by `name`: all that end with it.
  QStringList classesNamed(RowKind kind, const QString& name) const;
  /// Own and inherited ones of the class that a module means by `name`.
  QStringList attributesOfClass(const QString& name) const;
  /// Whether a cell is of IEEE 1516-2025 only.
  static bool isOnlyIn2025(const RowRef& row, const QString& cell);
  /// Why such a cell cannot be set where the row stands; empty: it can.
  QString faultBefore2025(const RowRef& row, const QString& cell,
                          const std::vector<FoundRow>& found) const;
  /// The datatype of a dimension of 2025, the first of those that its normalization takes.
  static Splices setInputDataType(const ModuleSource& source, ElementId dimension,
                                  const QString& value);
  /// For rows that no edition before 2025 has: the module that takes one.
  tl::expected<int, QString> moduleOf2025(const RowRef& row) const;
  QStringList inherited(bool isObject, const QString& className) const;
  QString memberBelow(bool isObject, const QString& className, const QString& member) const;
  QString reparentFault(const RowRef& row, const QString& superclass) const;
  void writeCell(EditDraft& draft, const FoundRow& at, const RowRef& row, const QString& cell,
                 const QString& value) const;
  void writeSwitch(EditDraft& draft, const RowRef& row, const QString& value) const;
  void writeTypeUse(EditDraft& draft, const RowRef& row, const QString& cell,
                    const QString& value) const;
  /// Of a dimension in a routing space; the result says what makes no sense.
  QString addFedDimension(EditDraft& draft, int module, const QString& name) const;
  /// For a cell that FED files have: the choices; of one they lack none. Nothing: of another file.
  std::optional<CellEditor> fedEditorOf(const RowRef& row, const QString& cell) const;
  /// Why a value or name cannot stand in a FED file that has the row; empty: it can, or none has
  /// it.
  QString faultInFed(const RowRef& row, const QString& cell, const QString& value) const;
  /// A value of the cell "dimensions", as the module of `meantIn` means it, in the words of that of
  /// `at`: a FED file names a routing space, IEEE 1516 the dimensions. An error where that has
  /// none.
  tl::expected<QString, QString> dimensionsAt(const FoundRow& at, const FoundRow& meantIn,
                                              const QString& value) const;
  /// What a dimension of a FED file is called there; an error for a name outside of its space.
  tl::expected<QString, QString> nameForFed(const FoundRow& at, const QString& name) const;
  /// The dimensions that a routing space lists where it is defined, and what they are called when
  /// its name changes, with which theirs begin; an error where one of these names is taken.
  tl::expected<QList<QPair<RowRef, RowRef>>, QString> dimensionsOfRenamed(
      const std::vector<FoundRow>& spaces, const QString& before, const QString& after) const;
  bool isAnyFed() const;
  Result addDirected(const RowRef& row, const QList<NewCell>& cells, int after) const;
  void addNewDataType(EditDraft& draft, omt::DataTypeKind kind, const QString& name,
                      int module) const;
  /// Adds an element below a class, which is named where the module lacks it. The result says what
  /// did not work.
  QString addClassElement(EditDraft& draft, int module, const RowRef& superclass,
                          NewElement added) const;
  int uses(const RowRef& row) const;

  EditableModules modules_;
  int preferred_ = -1;
};

}  // namespace tutti::fomedit
