// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing but the precompiled headers of CMakeLists.txt.
