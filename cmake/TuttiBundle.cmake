# SPDX-License-Identifier: GPL-3.0-or-later
# Runs while `cpack -G TXZ` installs: adds the shared libraries and Qt plugins that the console, the command
# line and the node need, so that the tarball runs where they are missing or have other versions.
#   lib/tutti/shared    libraries; found by RUNPATH only, so that no federate and no program that is started
#                       from the console ever loads one
#   lib/tutti/plugins   Qt's plugins, found by bin/qt.conf
# Needs TUTTI_PATCHELF and TUTTI_QT_PLUGINS (where this machine has Qt's plugins).
cmake_policy(VERSION 3.25)
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
set(programs "${root}/bin/tutti" "${root}/bin/tutti-console" "${root}/bin/tutti-rti")
if(NOT TUTTI_PATCHELF)
  message(FATAL_ERROR "The tarball needs patchelf. Install it and configure again.")
endif()

# What each host must have, by the reasons of the AppImage exclude list: libraries that belong to
# its kernel, C library, display server or graphics driver (glibc, libxcb, libX11, libGL, libEGL), that
# share files or a protocol with the rest of the host (fontconfig, D-Bus), or that those of the host
# load themselves and need in their own version, which is the newer one (libstdc++, FreeType, HarfBuzz,
# GLib, expat, zlib). None has broken its binary interface for a decade.
set(host
  "ld-linux.*" "lib(c|m|dl|rt|pthread|resolv|util|anl)\\.so.*" "lib(stdc\\+\\+|gcc_s)\\.so.*"
  "lib(GL|EGL|GLX|GLdispatch|OpenGL|drm|gbm|glapi|wayland-.*)\\.so.*"
  "lib(xcb|X11|X11-xcb|Xau|Xdmcp|ICE|SM|uuid)\\.so.*"
  "lib(fontconfig|freetype|harfbuzz|glib-2\\.0|dbus-1|expat|z)\\.so.*")
list(TRANSFORM host PREPEND "^")
list(TRANSFORM host APPEND "$")

# Those whose absence nothing would say but a window that does not open or shows no icon, and
# those that this machine may lack. None for OpenGL: the window does not use it, and the host's driver
# would load its own libraries beside ours.
set(needed platforms/libqxcb.so platforms/libqoffscreen.so sqldrivers/libqsqlite.so
           imageformats/libqsvg.so iconengines/libqsvgicon.so)
foreach(plugin ${needed})
  if(NOT EXISTS "${TUTTI_QT_PLUGINS}/${plugin}")
    message(FATAL_ERROR "The tarball needs ${plugin}, which is not in ${TUTTI_QT_PLUGINS}.")
  endif()
endforeach()
file(GLOB optional RELATIVE "${TUTTI_QT_PLUGINS}"
     "${TUTTI_QT_PLUGINS}/platforms/libqwayland-generic.so"
     "${TUTTI_QT_PLUGINS}/wayland-*/*.so"
     "${TUTTI_QT_PLUGINS}/platforminputcontexts/*.so"
     "${TUTTI_QT_PLUGINS}/platformthemes/libqxdgdesktopportal.so")
set(plugins ${needed} ${optional})

foreach(plugin ${plugins})
  get_filename_component(folder "${root}/lib/tutti/plugins/${plugin}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  file(COPY_FILE "${TUTTI_QT_PLUGINS}/${plugin}" "${root}/lib/tutti/plugins/${plugin}")
endforeach()
file(WRITE "${root}/bin/qt.conf" "[Paths]\nPrefix = ../lib/tutti\nPlugins = plugins\n")

set(modules ${plugins})
list(TRANSFORM modules PREPEND "${TUTTI_QT_PLUGINS}/")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} MODULES ${modules}
     RESOLVED_DEPENDENCIES_VAR libraries UNRESOLVED_DEPENDENCIES_VAR missing
     PRE_EXCLUDE_REGEXES ${host})
if(missing)
  message(FATAL_ERROR "Not found on this machine, so not in the tarball: ${missing}")
endif()
file(MAKE_DIRECTORY "${root}/lib/tutti/shared")
foreach(library ${libraries})
  get_filename_component(name "${library}" NAME)
  file(COPY_FILE "${library}" "${root}/lib/tutti/shared/${name}")
endforeach()

function(find_libraries from)
  execute_process(COMMAND "${TUTTI_PATCHELF}" --set-rpath "${from}" ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
file(GLOB copied "${root}/lib/tutti/shared/*")
find_libraries("$ORIGIN" ${copied})
file(GLOB copied "${root}/lib/tutti/plugins/*/*.so")
find_libraries("$ORIGIN/../../shared" ${copied})
find_libraries("$ORIGIN/../lib/tutti/shared" ${programs})

# Whose they are: the licence of each Debian package, and its version, of which Debian keeps the source.
set(notices "${root}/share/doc/tutti/shared")
file(MAKE_DIRECTORY "${notices}")
set(packages "")
foreach(file ${libraries} ${modules})
  file(REAL_PATH "${file}" real)
  string(REGEX REPLACE "^/usr/" "/" real "${real}")  # dpkg may know it by either name
  execute_process(COMMAND dpkg-query --search "*${real}" OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX REPLACE ":.*" "" owner "${owner}")
  if(failed OR NOT EXISTS "/usr/share/doc/${owner}/copyright")
    message(WARNING "${file}: no Debian package says its licence; add it to ${notices} before you pass the tarball on")
  elseif(NOT EXISTS "${notices}/${owner}")
    file(COPY_FILE "/usr/share/doc/${owner}/copyright" "${notices}/${owner}")
    execute_process(COMMAND dpkg-query --show "--showformat=\${Package} \${Version} (source \${source:Package})\n"
                    "${owner}" OUTPUT_VARIABLE line)
    string(REGEX REPLACE "\n.*" "\n" line "${line}")
    list(APPEND packages "${line}")
  endif()
endforeach()
list(SORT packages)
list(JOIN packages "" packages)
file(WRITE "${notices}/PACKAGES" "${packages}")
