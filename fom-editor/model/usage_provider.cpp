// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/usage_provider.h"
