// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "omt/compact_model.h"
#include "omt/compact_writer.h"
#include "omt/merge.h"
#include "omt/model_writer.h"
#include "omt/reader.h"
#include "target.h"

namespace tutti::fuzz {

inline Landmark writtenAndRead("a model was written as a document and read again");

/// What every model has to offer to federates, whatever it was made of.
inline void checkModel(const omt::ObjectModel& model) {
  const std::vector<std::byte> compact = omt::encode(model);
  const auto opened = omt::CompactModel::open(compact);
  require(opened.has_value(), opened ? "" : "the compact form can be opened: " + opened.error());
  require(opened->objectClassCount() == model.objectClasses().size(),
          "the compact form has every object class");
  require(opened->attributeCount() == model.attributes().size(),
          "the compact form has every attribute");
  require(opened->parameterCount() == model.parameters().size(),
          "the compact form has every parameter");
  for (const omt::ObjectClass& one : model.objectClasses()) {
    require(opened->objectClass(one.fullName) == one.handle, "a class is found by its name");
    require(opened->attributes(one.handle).size() == model.allAttributes(one.handle).size(),
            "a class has all attributes");
  }
  const std::string text = omt::writeModel(model);
  const auto again = omt::readModule(text, "written.xml");
  require(again.has_value(),
          again ? "" : "what was written can be read: " + again.error().toText());
  const omt::Module modules[] = {*again};
  const auto merged = omt::merge(modules);
  require(merged.has_value(),
          merged ? "" : "what was written can be merged: " + merged.error().toText());
  writtenAndRead.reach();
}

/// What a file of one module may do, in whatever edition: it is read or refused, and what is read
/// is merged or refused.
inline void readOne(std::string_view text, omt::Edition edition, Landmark& read, Landmark& merged) {
  const auto module = omt::readModule(text, "module");
  if (!module) {
    require(!module.error().message.empty(), "an error says what is wrong");
    return;
  }
  if (module->edition != edition) return;
  read.reach();
  const omt::Module modules[] = {*module};
  const auto model = omt::merge(modules);
  if (!model) {
    require(!model.error().message.empty(), "an error says what is wrong");
    return;
  }
  merged.reach();
  checkModel(model->model);
}

}  // namespace tutti::fuzz
