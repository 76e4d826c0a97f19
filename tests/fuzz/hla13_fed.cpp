// SPDX-License-Identifier: GPL-3.0-or-later
// FED files of HLA 1.3: reading, merging, the compact form, and the current FDD as a document.
#include "models.h"
#include "target.h"

namespace tutti::fuzz {

namespace {

Landmark read("a FED file was read");
Landmark merged("a FED file was merged with the standard MIM");

}  // namespace

void target(Input input) { readOne(textOf(input), omt::Edition::Hla13Fed, read, merged); }

std::vector<Bytes> seeds() {
  return {
      bytesOf(R"fed(;; a comment
(FED (Federation f) (FEDversion v1.3)
 (spaces (space Map (dimension X) (dimension "Y")))
 (objects (class ObjectRoot (attribute privilegeToDelete reliable timestamp)
  (class RTIprivate) (class Manager (class Federate (attribute a best_effort receive)))
  (class Ship (attribute position best_effort timestamp Map) (attribute name RELIABLE RECEIVE)
   (class Tug (sec_level "Public")))))
 (interactions (class InteractionRoot best_effort receive
  (class Call reliable timestamp Map (parameter text) (class Mayday best_effort receive))))))fed"),
      bytesOf("(fed (objects (class Topmost (attribute a))) (interactions (class m reliable)))"),
      bytesOf("(FED (FEDversion v1.0)) (more)"), bytesOf("(FED (Federation \"Caf\xE9\"))")};
}

}  // namespace tutti::fuzz
