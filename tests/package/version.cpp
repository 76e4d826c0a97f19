// SPDX-License-Identifier: GPL-3.0-or-later
// Says which RTI it was started with.
#include <RTI/RTI1516.h>

#include <iostream>

int main() {
  rti1516e::RTIambassadorFactory().createRTIambassador();
  std::wcout << rti1516e::rtiName() << L" " << rti1516e::rtiVersion() << std::endl;
}
