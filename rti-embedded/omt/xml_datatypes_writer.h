// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "omt/module.h"
#include "omt/xml_rows.h"

namespace tutti::omt {

/// The datatype tables of a module in XML. Base types of HLA 1.3 become datatypes of IEEE 1516,
/// with a word in the report.
class XmlDataTypesWriter {
 public:
  XmlDataTypesWriter(const Module& module, XmlRows& rows);

  /// The name of a datatype of the module, as it is written.
  std::string typeName(const std::string& name) const;
  void write();

 private:
  void renameBaseTypes();
  std::vector<DataType> written() const;
  void dataType(std::string_view name, const DataType& t);
  void reference(const DataType& t);
  void enumerator(const DataType& t, const Enumerator& e);

  const Module& module_;
  XmlRows& rows_;
  std::unordered_map<std::string, std::string> renamed_;  ///< by their name in module_
};

}  // namespace tutti::omt
