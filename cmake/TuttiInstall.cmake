# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` puts where, and the packages that CPack makes of it. Three components:
#   rti      the RTI node and the two libraries of the C++ API: all that a host of federates needs
#   dev      headers, CMake package and pkg-config files: what a federate is built with
#   console  console, command line, samples and measuring programs
# and one tarball of all three with the libraries of others that they need, for any distribution.
include(CMakePackageConfigHelpers)

# All that is installed or packed, without the tests. Otherwise `cmake --install` and CPack would want those, too.
add_custom_target(installation DEPENDS rti1516e fedtime1516e tutti-rti tutti tutti-console tutti-supervisor components
                  bench_programs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# Programs that nobody starts by hand. The same for every architecture, so that programs find it
# from their own folder (composer::Catalog::binaryFolders).
set(TUTTI_PROGRAMS lib/tutti)
set(TUTTI_DATA "${CMAKE_INSTALL_DATADIR}/tutti")
set(TUTTI_HEADERS "${CMAKE_INSTALL_INCLUDEDIR}/rti1516e")

# From a program in `folder` below the prefix to the libraries: the prefix may be moved as a whole.
function(tutti_find_libraries_from folder)
  file(RELATIVE_PATH way "/${folder}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(${ARGN} PROPERTIES INSTALL_RPATH "$ORIGIN/${way}")
endfunction()

# --- rti -------------------------------------------------------------------------------------------

# The name without a version belongs to what runs, not to what is built: a federate that was linked
# to the library of another vendor may ask for it.
set_target_properties(rti1516e fedtime1516e PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS rti1516e fedtime1516e EXPORT RTI1516eTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT rti NAMELINK_COMPONENT rti)
install(TARGETS tutti-rti RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT rti)

# --- dev -------------------------------------------------------------------------------------------

install(TARGETS rti1516e_headers EXPORT RTI1516eTargets)
install(DIRECTORY rti-embedded/include/RTI DESTINATION "${TUTTI_HEADERS}" COMPONENT dev)
install(EXPORT RTI1516eTargets NAMESPACE RTI1516e:: COMPONENT dev
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/RTI1516e")
configure_package_config_file(cmake/RTI1516eConfig.cmake.in RTI1516eConfig.cmake
                              INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/RTI1516e")
write_basic_package_version_file(RTI1516eConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/RTI1516eConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/RTI1516eConfigVersion.cmake"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/RTI1516e" COMPONENT dev)
# The same from the build, so that a federate can be built beside a clone.
export(EXPORT RTI1516eTargets NAMESPACE RTI1516e::
       FILE "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/cmake/RTI1516e/RTI1516eTargets.cmake")
configure_file("${CMAKE_CURRENT_BINARY_DIR}/RTI1516eConfig.cmake"
               "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/cmake/RTI1516e/RTI1516eConfig.cmake" COPYONLY)
configure_file("${CMAKE_CURRENT_BINARY_DIR}/RTI1516eConfigVersion.cmake"
               "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/cmake/RTI1516e/RTI1516eConfigVersion.cmake" COPYONLY)
# From the pkg-config file to the prefix, for the same reason.
file(RELATIVE_PATH TUTTI_PREFIX_FROM_PC "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
foreach(library rti1516e fedtime1516e)
  configure_file(cmake/${library}.pc.in ${library}.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${library}.pc"
          DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endforeach()

# --- console ---------------------------------------------------------------------------------------

tutti_find_libraries_from("${CMAKE_INSTALL_BINDIR}" tutti tutti-console tutti-rti)
install(TARGETS tutti tutti-console
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT console)
install(TARGETS tutti-supervisor RUNTIME DESTINATION ${TUTTI_PROGRAMS} COMPONENT console)
install(PROGRAMS launcher/lab/tutti-lab launcher/lab/tutti-lab-slurm DESTINATION ${TUTTI_PROGRAMS} COMPONENT console)
foreach(id ${TUTTI_SAMPLE_COMPONENTS})
  tutti_find_libraries_from(${TUTTI_PROGRAMS}/components/${id} component_${id})
  install(TARGETS component_${id}
          RUNTIME DESTINATION ${TUTTI_PROGRAMS}/components/${id} COMPONENT console)
endforeach()
tutti_find_libraries_from(${TUTTI_PROGRAMS} ${TUTTI_BENCH_PROGRAMS})
install(TARGETS ${TUTTI_BENCH_PROGRAMS} RUNTIME DESTINATION ${TUTTI_PROGRAMS} COMPONENT console)
# They look for the RTI node beside them.
install(CODE "file(CREATE_LINK ../../${CMAKE_INSTALL_BINDIR}/tutti-rti
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${TUTTI_PROGRAMS}/tutti-rti\" SYMBOLIC)" COMPONENT console)
install(FILES ${TUTTI_BENCH_FILES} DESTINATION ${TUTTI_PROGRAMS} COMPONENT console)
install(DIRECTORY resources/components resources/federations DESTINATION "${TUTTI_DATA}"
        COMPONENT console PATTERN CMakeLists.txt EXCLUDE)
# What the console's guide shows.
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tutti/docs" COMPONENT console
        FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
install(DIRECTORY resources/schemas DESTINATION "${TUTTI_DATA}" COMPONENT console)
install(DIRECTORY resources/templates DESTINATION "${TUTTI_DATA}" COMPONENT console)
install(FILES resources/desktop/tutti.desktop
        DESTINATION "${CMAKE_INSTALL_DATADIR}/applications" COMPONENT console)
install(FILES resources/desktop/tutti.svg
        DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps" COMPONENT console)
install(FILES resources/desktop/tutti.xml
        DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages" COMPONENT console)
foreach(part rti dev console)
  set(package_rti tutti-rti)
  set(package_dev librti1516e-dev)
  set(package_console tutti)
  install(FILES README.md DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package_${part}}"
          COMPONENT ${part})
  install(FILES LICENSES/Apache-2.0.txt LICENSES/GPL-3.0-or-later.txt
          DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package_${part}}/licenses" COMPONENT ${part})
endforeach()

# Its fonts and icons.
install(FILES LICENSES/LGPL-3.0-or-later.txt LICENSES/OFL-1.1.txt
        DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tutti/licenses" COMPONENT console)
install(FILES resources/theme/NOTICE.txt DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tutti"
        COMPONENT console)

# --- tarball ---------------------------------------------------------------------------------------

# Only `cpack -G TXZ` installs it. No package of a distribution needs it: there libraries are shared.
find_program(TUTTI_PATCHELF patchelf)
install(CODE "set(TUTTI_PATCHELF \"${TUTTI_PATCHELF}\")
  set(TUTTI_QT_PLUGINS \"${QT6_INSTALL_PREFIX}/${QT6_INSTALL_PLUGINS}\")"
        COMPONENT bundle EXCLUDE_FROM_ALL)
install(SCRIPT cmake/TuttiBundle.cmake COMPONENT bundle EXCLUDE_FROM_ALL)

# --- packages --------------------------------------------------------------------------------------

set(CPACK_PACKAGE_NAME tutti)
set(CPACK_PACKAGE_CONTACT "The Tutti maintainers <maintainers@tutti.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL rti dev console)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(same "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RTI_PACKAGE_NAME tutti-rti)
set(CPACK_DEBIAN_RTI_DESCRIPTION "HLA run-time infrastructure: node and libraries
 The RTI of Tutti (IEEE 1516.1-2010): the libraries librti1516e.so and libfedtime1516e.so
 that federates are linked to, and the RTI node tutti-rti, which joins them over shared
 memory on one machine and over sockets between machines.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME librti1516e-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "tutti-rti ${same}")
set(CPACK_DEBIAN_DEV_DESCRIPTION "HLA run-time infrastructure: files to build federates with
 Headers of the C++ API of IEEE 1516.1-2010, the CMake package RTI1516e and pkg-config files.")
set(CPACK_DEBIAN_CONSOLE_PACKAGE_NAME tutti)
# What shared libraries do not say: the recorder opens SQLite, and the window is drawn with SVGs.
set(CPACK_DEBIAN_CONSOLE_PACKAGE_DEPENDS "tutti-rti ${same}, libqt6sql6-sqlite, libqt6svg6")
set(CPACK_DEBIAN_CONSOLE_PACKAGE_RECOMMENDS "fonts-inter, fonts-dejavu-core, graphviz, openssh-client")
set(CPACK_DEBIAN_CONSOLE_PACKAGE_SUGGESTS "librti1516e-dev, openssh-server, nftables")
set(CPACK_DEBIAN_CONSOLE_DESCRIPTION "Operator console for HLA federations
 Compose a federation from catalogs of components, check that they fit together, run it
 and watch it live; with samples, benchmarks and a command line.")
# The tarball: `cpack -G TXZ`.
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_BINARY_DIR}/TuttiPack.cmake")
configure_file(cmake/TuttiPack.cmake.in TuttiPack.cmake @ONLY)
include(CPack)

# `sudo cmake --install` and `cpack` write this file: it stays with whoever builds, else the second could not.
file(TOUCH "${CMAKE_BINARY_DIR}/install_manifest.txt")
