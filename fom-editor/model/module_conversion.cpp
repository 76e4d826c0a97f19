// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_conversion.h"

#include <utility>

#include "fom-editor/model/unread_content.h"
#include "omt/merge.h"
#include "omt/model_module.h"
#include "omt/module_writer.h"
#include "omt/reader.h"

namespace tutti::fomedit {

namespace {

/// Nothing is handed out that cannot be read again.
tl::expected<void, omt::Error> check(const std::string& text, const std::string& displayName,
                                     omt::Edition to) {
  const auto again = omt::readModule(text, displayName);
  if (again && again->edition == to) return {};
  omt::Error error;
  error.file = displayName;
  error.message = "It cannot be written as " + std::string(omt::toText(to)) +
                  ": nobody could read the result" +
                  (again ? std::string(".") : ". " + again.error().message);
  error.hint = "Shorten the names, or split the module.";
  return tl::unexpected(std::move(error));
}

/// Reading warns of what this RTI does not offer; a module of 2025 keeps it.
bool isKept(const omt::Loss& loss, omt::Edition to) {
  return to == omt::Edition::Ieee2025 && loss.kind == omt::Loss::Kind::Read &&
         (loss.what.starts_with("Directed interactions are not offered") ||
          loss.what.starts_with("Required values of attributes") ||
          (loss.what.starts_with("Switch ") &&
           loss.what.find("of IEEE 1516-2025 is not offered") != std::string::npos) ||
          loss.what.starts_with("Reference datatype "));
}

void append(std::vector<omt::Loss>& all, std::vector<omt::Loss> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

tl::expected<Conversion, omt::Error> convertModule(std::string_view bytes,
                                                   const std::string& displayName,
                                                   omt::Edition to) {
  const auto module = omt::readModule(bytes, displayName);
  if (!module) return tl::unexpected(module.error());
  omt::LossReport unread;
  reportUnread(bytes, *module, unread);
  omt::WrittenModule written = omt::writeModule(*module, to);
  if (auto checked = check(written.text, displayName, to); !checked) {
    return tl::unexpected(std::move(checked.error()));
  }
  Conversion conversion{module->edition, std::move(written.text), unread.take()};
  std::erase_if(conversion.losses, [&](const omt::Loss& loss) { return isKept(loss, to); });
  append(conversion.losses, std::move(written.losses));
  return conversion;
}

tl::expected<Conversion, omt::Error> joinModules(const std::vector<JoinedFile>& files,
                                                 const std::string& name, omt::Edition to) {
  std::vector<omt::Module> modules;
  Conversion conversion;
  omt::LossReport all;
  for (const JoinedFile& file : files) {
    auto module = omt::readModule(file.bytes, file.displayName);
    if (!module) return tl::unexpected(module.error());
    omt::LossReport unread;
    reportUnread(file.bytes, *module, unread);
    // Lines of several files say nothing without them.
    for (const omt::Loss& loss : unread.take()) {
      if (isKept(loss, to)) continue;
      for (const omt::Loss::Place& place : loss.places) {
        std::string of = file.displayName;
        if (place.line > 0) of += ':' + std::to_string(place.line);
        if (!place.name.empty()) of += ' ' + place.name;
        all.add(loss.kind, loss.what, loss.became, of, 0);
      }
    }
    module->warnings.clear();  // told; merging tells its own
    modules.push_back(std::move(*module));
  }
  const auto merged = omt::merge(modules);
  if (!merged) return tl::unexpected(merged.error());
  for (const omt::Error& warning : merged->warnings) {
    all.add(omt::Loss::Kind::Read, warning.message, warning.hint,
            warning.file + ':' + std::to_string(warning.line), 0);
  }
  conversion.losses = all.take();
  omt::Module joined = omt::moduleOf(merged->model);
  joined.identification.name = name;
  conversion.from = joined.edition;
  omt::WrittenModule written = omt::writeModule(joined, to);
  if (auto checked = check(written.text, name, to); !checked) {
    return tl::unexpected(std::move(checked.error()));
  }
  conversion.text = std::move(written.text);
  append(conversion.losses, std::move(written.losses));
  return conversion;
}

std::string newModule(const std::string& name, omt::Edition edition) {
  omt::Module module;
  module.edition = edition;
  module.identification.name = name;
  module.identification.type = "FOM";
  module.identification.version = "1.0";
  module.objectClasses.emplace_back().name = omt::objectRootName;
  module.interactionClasses.emplace_back().name = omt::interactionRootName;
  return omt::writeModule(module, edition).text;
}

}  // namespace tutti::fomedit
