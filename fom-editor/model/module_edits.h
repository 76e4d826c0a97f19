// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fom-editor/model/module_source.h"

/// Changes of an object model in its own words. Each function only plans: it gives the splices for
/// ModuleSource::apply(), with the file's own indentation, line ends and prefix, and in the
/// notation of its edition (cells of IEEE 1516-2000 are XML attributes). Splices of several calls
/// can be applied as one step unless they overlap. No splices: there is nothing to change.
namespace tutti::fomedit {

/// An element that is to be written: a cell with text, or a row with cells and rows.
struct NewElement {
  std::string name;
  std::string text;
  std::vector<NewElement> children;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< XML attributes
};

/// The text of a cell, with runs of blanks as one; of a child element, or of an XML attribute.
std::optional<std::string> cellOf(const ModuleSource& source, ElementId row, std::string_view cell);
/// The name of a row, or the label of a note or synchronization point; empty: none.
std::string rowName(const ModuleSource& source, ElementId row);

/// A class by its full name, "HLAobjectRoot.Track.Flight"; noElement where there is none.
ElementId findClass(const ModuleSource& source, bool isObject, std::string_view fullName);
/// The first element at that path of element names below the first, such as {"dataTypes",
/// "simpleDataTypes"}.
ElementId findTable(const ModuleSource& source, const std::vector<std::string_view>& path);
/// A child by element name and row name.
ElementId findRow(const ModuleSource& source, ElementId parent, std::string_view element,
                  std::string_view name);

/// Gives a cell a value; one that is not there yet is added where the schema has it.
Splices setCell(const ModuleSource& source, ElementId row, std::string_view cell,
                std::string_view value);
Splices removeCell(const ModuleSource& source, ElementId row, std::string_view cell);
/// Sets an XML attribute, such as "notes", or isEnabled of a switch.
Splices setAttribute(const ModuleSource& source, ElementId id, std::string_view name,
                     std::string_view value);
Splices removeAttribute(const ModuleSource& source, ElementId id, std::string_view name);

/// Adds an element where the schema has it, behind others of its name; or behind `after`, a child
/// of `parent`.
Splices addElement(const ModuleSource& source, ElementId parent, const NewElement& element,
                   ElementId after = noElement);
/// Adds a row to a table (see findTable), and the table where there is none yet.
Splices addToTable(const ModuleSource& source, const std::vector<std::string_view>& path,
                   const NewElement& row);
/// Removes an element with all below it, and its line where nothing else is on it. Comments beside
/// it stay.
Splices removeElement(const ModuleSource& source, ElementId id);
/// Puts an element below another parent, or behind `after` below the same. Nothing for a parent
/// within the element itself.
Splices moveElement(const ModuleSource& source, ElementId id, ElementId parent,
                    ElementId after = noElement);
/// Gives a row another name. What refers to a datatype, dimension, transportation type or note by
/// name in this module follows; other modules do not.
Splices renameRow(const ModuleSource& source, ElementId row, std::string_view name);

/// Replaces what an element without child elements contains by `content`, which is XML already;
/// blanks around it and comments stay.
Splices replaceContent(const ModuleSource& source, ElementId id, std::string content);

/// A child that is to be added. `write` gives its XML: `indent` is that of its line; none: it
/// stands on the line of others.
struct Addition {
  ElementId after = noElement;  ///< a child of the parent; noElement: before all
  std::string element;          ///< name of the element
  bool isCell = false;          ///< without child elements
  std::function<std::string(const std::optional<std::string>& indent)> write;
};
/// Adds children to one parent; those with the same `after` in that order.
Splices addChildren(const ModuleSource& source, ElementId parent,
                    const std::vector<Addition>& additions);
/// The child that an element of that name goes behind by the schema; noElement: before all.
ElementId placeInOrder(const ModuleSource& source, ElementId parent, std::string_view element);

/// The blanks before an element, when nothing else is before it on its line.
std::optional<std::string> indentOf(const ModuleSource& source, ElementId id);
/// "\n", "\r\n" or "\r", as the file has them.
std::string newlineOf(const ModuleSource& source);
/// The prefix of an element's name with its colon; empty: none.
std::string prefixOf(const ModuleSource& source, ElementId id);

/// The bytes of an element of `from`, to stand in `to` on a line with that indentation. Lines of
/// prose and of comments keep theirs.
std::string copyOf(const ModuleSource& from, ElementId id, const ModuleSource& to,
                   const std::optional<std::string>& indent);

/// Text and values of XML attributes as XML has them.
std::string escapedText(std::string_view text);
std::string escapedValue(std::string_view value, char quote);

}  // namespace tutti::fomedit
