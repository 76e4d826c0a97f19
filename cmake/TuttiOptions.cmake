# SPDX-License-Identifier: GPL-3.0-or-later
# Settings shared by every room: language level, warnings, where results go, how a test is made.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

add_compile_options(-Wall -Wextra -Werror -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
                    -fno-strict-aliasing)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # The preset `fuzz`. The compiler that Tutti is written for is GCC: its warnings count.
  add_compile_options(-w -fsized-deallocation)
endif()

set(TUTTI_SANITIZE "" CACHE STRING "address, thread, or (clang) fuzz: build with that sanitizer")
if(TUTTI_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(TUTTI_SANITIZE STREQUAL "fuzz")
  # Coverage for libFuzzer, addresses, and undefined behaviour as a trap. Calls instead of inlined
  # checks, and traps instead of messages, make the build a third shorter; the stack trace of a
  # trap still names the line. Left out: what ASan finds itself (null, object-size), and what
  # reading packed records in place rests on (alignment).
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer
                      -fno-sanitize=vptr,null,alignment,object-size,function
                      -fsanitize-trap=undefined -mllvm -asan-instrumentation-with-call-threshold=0)
  add_link_options(-fsanitize=address)
elseif(TUTTI_SANITIZE STREQUAL "thread")
  # GCC warns that atomic_thread_fence is not modelled; the fabric pairs fences with atomic stores.
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
  add_link_options(-fsanitize=thread)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1
      ${CCACHE_PROGRAM})
  # Without CCACHE_DEPEND a header that differs in a comment only would get the precompiled header of the
  # other version, where #pragma once does not know it again. And ccache can only reuse a file that uses
  # a precompiled header when the header is not timestamped.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()

include(GNUInstallDirs)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Svg Sql Network PrintSupport Test)
find_package(QCustomPlotQt6 REQUIRED)
find_package(LibXml2 REQUIRED)
find_package(EXPAT REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(spdlog REQUIRED)
find_package(Boost 1.74 REQUIRED)

# What `./check asan` and `./check tsan` build: the tests labelled rti and what they run.
add_custom_target(rti_tests)

# Qt tells each test its folder, for test data that is looked up. With it each folder would need
# precompiled headers of its own.
set(TUTTI_TEST_HEADERS_OPTIONS -UQT_TESTCASE_BUILDDIR -UQT_TESTCASE_SOURCEDIR)

# Which of tests/headers a test that links those libraries is compiled with.
function(tutti_test_headers result)
  if(ARGN MATCHES "tutti_rti_(recorder|processes)|tutti_conformance")
    set(${result} tutti_test_headers_rti PARENT_SCOPE)
  elseif(ARGN MATCHES "composer|launcher_(engine|ui)|monitor_ui|fom_|theme|tutti_app|Qt6::(Gui|Widgets)")
    set(${result} tutti_test_headers_widgets PARENT_SCOPE)
  else()
    set(${result} tutti_test_headers_core PARENT_SCOPE)
  endif()
endfunction()

# tutti_test(NAME tst_ring [SOURCES a.cpp ...] [LIBS t ...] [LABELS l ...] [TIMEOUT s] [GUI] [SERIAL]
#            [OWN_HEADERS])
# One Qt Test executable, registered with ctest. SOURCES defaults to NAME.cpp. A GUI test runs
# under Xvfb with a window manager; a SERIAL test runs alone. One with OWN_HEADERS is compiled without
# the precompiled headers of tests/headers, because its options or definitions are others.
function(tutti_test)
  cmake_parse_arguments(T "GUI;SERIAL;OWN_HEADERS" "NAME;TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  if(NOT T_SOURCES)
    set(T_SOURCES ${T_NAME}.cpp)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  set(environment "QT_QPA_PLATFORM=offscreen")
  if(TUTTI_SANITIZE)
    # Instrumented code takes its time, and Qt's watchdog 5 minutes.
    math(EXPR T_TIMEOUT "10 * ${T_TIMEOUT}")
    list(APPEND environment "QTEST_FUNCTION_TIMEOUT=3600000")
  endif()
  if(TUTTI_SANITIZE STREQUAL "thread")
    list(APPEND T_SOURCES "${CMAKE_SOURCE_DIR}/tests/tsan_clone.cpp")
  endif()
  add_executable(${T_NAME} ${T_SOURCES})
  set_target_properties(${T_NAME} PROPERTIES AUTOMOC ON
                        RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(${T_NAME} PRIVATE Qt6::Test ${T_LIBS})
  if(NOT T_OWN_HEADERS)
    tutti_test_headers(headers ${T_LIBS})
    target_compile_options(${T_NAME} PRIVATE ${TUTTI_TEST_HEADERS_OPTIONS})
    target_link_libraries(${T_NAME} PRIVATE ${headers})
    target_precompile_headers(${T_NAME} REUSE_FROM ${headers})
  endif()
  target_compile_definitions(${T_NAME} PRIVATE
    TUTTI_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TUTTI_BINARY_DIR="${CMAKE_BINARY_DIR}")
  if("rti" IN_LIST T_LABELS)
    add_dependencies(rti_tests ${T_NAME})
  endif()
  if(T_GUI)
    add_test(NAME ${T_NAME} COMMAND "${CMAKE_SOURCE_DIR}/scripts/with-display" $<TARGET_FILE:${T_NAME}>)
  else()
    add_test(NAME ${T_NAME} COMMAND ${T_NAME})
  endif()
  set_tests_properties(${T_NAME} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}"
                       ENVIRONMENT "${environment}")
  if(T_SERIAL)
    set_tests_properties(${T_NAME} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()
