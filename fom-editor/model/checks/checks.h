// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>
#include <optional>
#include <string>

#include "fom-editor/model/loaded_model.h"

namespace tutti::fomedit {

/// Gives the bytes of a module by the path as it was given; nothing where it cannot be read.
using ModuleReader = std::function<std::optional<std::string>(const QString& path)>;
/// Reads a file of at most omt::maxModuleBytes; nothing where it cannot be read, or is a pipe.
std::optional<std::string> moduleBytes(const QString& path);

/// Adds to the findings of loadModel() what stricter RTIs refuse (Level::Strict), what the schemas
/// of the edition and the standard ask for (Level::Complete, Level::Described), and hints of style;
/// and gives findings their columns and fixes. Only modules in XML. Of a model whose modules are
/// read again by `read`: a module that has changed in between has findings of both versions.
/// Thread-safe.
void checkModules(LoadedModel& loaded, const ModuleReader& read = &moduleBytes);

/// "loads", "strict", "dif", "omt": as the command line and JSON say it.
QString levelWord(Level level);
std::optional<Level> levelOfWord(const QString& word);

}  // namespace tutti::fomedit
