// SPDX-License-Identifier: Apache-2.0
#include "omt/module_writer.h"

#include "omt/hla13_writing.h"
#include "omt/xml_module_writer.h"

namespace tutti::omt {

WrittenModule writeModule(const Module& module, Edition edition) {
  LossReport report;
  WrittenModule written;
  switch (edition) {
    case Edition::Hla13Fed:
      written.text = writeHla13Fed(module, report);
      break;
    case Edition::Hla13Omt:
      written.text = writeHla13Omt(module, report);
      break;
    case Edition::Ieee2000:
    case Edition::Ieee2010:
    case Edition::Ieee2025:
      written.text = writeXmlModule(module, edition, report);
      break;
  }
  written.losses = report.take();
  return written;
}

}  // namespace tutti::omt
