// SPDX-License-Identifier: Apache-2.0
// Settings of the IEEE 1516.1-2010 C++ API that depend on the compiler and the language version.

#ifndef RTI_SpecificConfig_h
#define RTI_SpecificConfig_h

#define RTI_EXPORT __attribute__((visibility("default")))
#define RTI_EXPORT_FEDTIME __attribute__((visibility("default")))

// "throws nothing", which the original headers write as throw().
#define RTI_NOEXCEPT noexcept

// RTI_THROW((A, B)) is the exception list of a function. C++17 removed such lists; there it is a
// comment. RTI_MAY_THROW is the list of a function that a federate overrides: it is always a
// comment, because an overriding function without a list would not compile below one that has it.
#if __cplusplus >= 201703L
#define RTI_THROW(list)
#else
#define RTI_THROW(list) throw list
#endif
#define RTI_MAY_THROW(list)

// The owning pointer that services return, by the name that federates written with the headers of
// other RTIs call it.
#define RTI_UNIQUE_PTR std::auto_ptr

#endif
