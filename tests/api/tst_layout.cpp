// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled with -fno-access-control: the layout of private members matters as well.
#include <RTI/RTI1516.h>
#include <RTI/encoding/BasicDataElements.h>
#include <RTI/encoding/HLAfixedArray.h>
#include <RTI/encoding/HLAfixedRecord.h>
#include <RTI/encoding/HLAopaqueData.h>
#include <RTI/encoding/HLAvariableArray.h>
#include <RTI/encoding/HLAvariantRecord.h>
#include <RTI/time/HLAfloat64TimeFactory.h>
#include <RTI/time/HLAinteger64TimeFactory.h>

#include <QTest>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace {

using namespace rti1516e;

#define LAYOUT_SIZE(Class, size) static_assert(sizeof(Class) == size, #Class " has another size");
#define LAYOUT_BASE(Class, Base) static_assert(std::is_base_of_v<Base, Class>, #Class ": " #Base);
#define LAYOUT_OFFSET(Class, field, bits) \
  static_assert(offsetof(Class, field) * 8 == bits, #Class "::" #field " is elsewhere");
#define LAYOUT_VALUE(enumerator, value) static_assert(enumerator == value, #enumerator);
#define LAYOUT_SLOT(Class, method, slot, returned, arguments)
#include "layout_facts.inc"
#undef LAYOUT_SIZE
#undef LAYOUT_BASE
#undef LAYOUT_OFFSET
#undef LAYOUT_VALUE
#undef LAYOUT_SLOT

template <class T>
struct Type;
template <class T>
struct Type<void(T)> {
  using type = T;
};
template <>
struct Type<void()> {
  using type = void;
};

// Itanium C++ ABI 2.3: the first word of a pointer to a virtual member function is 1 plus its
// offset in the vtable; that of any other is the function's address, which is even.
template <class Pointer>
std::ptrdiff_t vtableSlot(Pointer pointer) {
  static_assert(sizeof(pointer) == 2 * sizeof(std::ptrdiff_t));
  std::ptrdiff_t words[2];
  std::memcpy(words, &pointer, sizeof(words));
  if (words[0] % 2 == 0 || words[1] != 0) return -1;
  return (words[0] - 1) / static_cast<std::ptrdiff_t>(sizeof(void*));
}

struct SlotFact {
  const char* method;
  std::ptrdiff_t expected;
  std::ptrdiff_t actual;
};

#define LAYOUT_SIZE(Class, size)
#define LAYOUT_BASE(Class, Base)
#define LAYOUT_OFFSET(Class, field, bits)
#define LAYOUT_VALUE(enumerator, value)
#define LAYOUT_SLOT(Class, method, slot, returned, arguments) \
  {#Class "::" #method #arguments, slot,                      \
   vtableSlot(static_cast<Type<void returned>::type(Class::*) arguments>(&Class::method))},

const SlotFact kSlots[] = {
#include "layout_facts.inc"
};

}  // namespace

// The layout of the classes is that of the table, so that object code compiled against another
// copy of the standard's headers calls the right functions. Sizes, offsets, bases and enumerators
// are checked by the compiler above.
class LayoutTest : public QObject {
  Q_OBJECT

 private slots:
  void vtableSlots() {
    int checked = 0;
    for (const SlotFact& fact : kSlots) {
      QVERIFY2(fact.actual == fact.expected, qPrintable(QString("%1: slot %2, the standard has %3")
                                                            .arg(fact.method)
                                                            .arg(fact.actual)
                                                            .arg(fact.expected)));
      ++checked;
    }
    QCOMPARE(checked, 869);
  }

  // Pointers to members do not tell a destructor's slots; deleting through a base does.
  void destructorsComeFirst() {
    struct Mine : NullFederateAmbassador {
      explicit Mine(bool& gone) : gone_(gone) {}
      ~Mine() noexcept override { gone_ = true; }
      bool& gone_;
    };
    bool gone = false;
    FederateAmbassador* ambassador = new Mine(gone);
    void** vtable = nullptr;
    std::memcpy(&vtable, ambassador, sizeof(vtable));
    using Deleting = void (*)(FederateAmbassador*);
    Deleting deleting = nullptr;
    std::memcpy(&deleting, &vtable[1], sizeof(deleting));
    deleting(ambassador);
    QVERIFY(gone);
  }
};

QTEST_GUILESS_MAIN(LayoutTest)
#include "tst_layout.moc"
