// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "omt/module.h"
#include "omt/object_model.h"

namespace tutti::omt {

/// What the modules of a merged model define, as one module, without what only the MIM defines: a
/// class of the MIM is in it, named only, where something below it is not of the MIM. Merged with
/// the MIM again it gives the same model.
///
/// The edition is that of the modules, or 2010 where they differ. Of their identifications it has
/// what all agree on, and each module's name as a reference of type "Composed_From". Lines are
/// those of the modules where there is one only.
Module moduleOf(const ObjectModel& model);

}  // namespace tutti::omt
