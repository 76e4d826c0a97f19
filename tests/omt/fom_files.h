// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <QStringList>

/// Real object models that lie beside the source, not in it.
namespace fomfiles {

inline QString folder() {
  const QString given = qEnvironmentVariable("TUTTI_FOMS");
  return given.isEmpty() ? QStringLiteral(TUTTI_SOURCE_DIR "/../shared/foms") : given;
}

inline bool present() { return QDir(folder() + "/rpr2").exists(); }

inline QString path(const QString& name) { return folder() + '/' + name; }

/// The 2010 modules of a folder, by name.
inline QStringList modules(const QString& sub, const QStringList& except = {}) {
  QStringList paths;
  for (const QFileInfo& f :
       QDir(folder() + '/' + sub).entryInfoList({"*.xml"}, QDir::Files, QDir::Name)) {
    if (f.fileName().contains("1516-2") || except.contains(f.fileName())) continue;
    paths << f.filePath();
  }
  return paths;
}

/// Sets of modules that make one federation's model.
inline QStringList set(const QString& name) {
  if (name == "rpr2") return modules("rpr2");
  if (name == "rpr2 merged") return {path("rpr2/RPR_FOM_v2.0_1516-2010.xml")};
  if (name == "restaurant") return {path("restaurant/RestaurantFOMmodule.xml")};
  if (name == "restaurant SOM") return {path("restaurant/RestaurantSOMmodule.xml")};
  if (name == "restaurant-modules") return modules("restaurant-modules");
  if (name == "spacefom") return modules("spacefom");
  if (name == "netn2") return modules("rpr2") + modules("netn2");
  return {};
}

inline QStringList sets() {
  return {"rpr2",     "rpr2 merged", "restaurant", "restaurant SOM", "restaurant-modules",
          "spacefom", "netn2"};
}

}  // namespace fomfiles

#define SKIP_WITHOUT_FOMS() \
  if (!fomfiles::present()) QSKIP("no real object models at ../shared/foms or TUTTI_FOMS")
