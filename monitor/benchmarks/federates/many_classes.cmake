# SPDX-License-Identifier: GPL-3.0-or-later
# many_classes(FILE TRANSPORT): writes a FOM module with the classes of pairs of federates: what is sent
# (S1 to S32) and what is returned (R1 to R32), as object classes with attributes A1 to A32 and as interaction
# classes with parameters P1 to P32, all of one transportation type; and what tests are coordinated with.
function(many_classes file transport)
  set(attributes "")
  set(parameters "")
  foreach(i RANGE 1 32)
    string(APPEND attributes "<attribute><name>A${i}</name><dataType>HLAopaqueData</dataType>"
      "<updateType>Conditional</updateType><ownership>NoTransfer</ownership>"
      "<sharing>PublishSubscribe</sharing><transportation>${transport}</transportation>"
      "<order>Receive</order></attribute>\n")
    string(APPEND parameters "<parameter><name>P${i}</name><dataType>HLAopaqueData</dataType></parameter>\n")
  endforeach()
  set(objects "<objectClass><name>Here</name><sharing>PublishSubscribe</sharing><attribute>"
    "<name>name</name><dataType>HLAopaqueData</dataType><updateType>Static</updateType>"
    "<ownership>NoTransfer</ownership><sharing>PublishSubscribe</sharing>"
    "<transportation>HLAreliable</transportation><order>Receive</order></attribute></objectClass>\n")
  string(CONCAT objects ${objects})
  set(interactions "")
  foreach(name testDirective testDescription testState testResults endFedex)
    string(APPEND interactions "<interactionClass><name>${name}</name><sharing>PublishSubscribe</sharing>"
      "<transportation>HLAreliable</transportation><order>Receive</order>"
      "<parameter><name>text</name><dataType>HLAopaqueData</dataType></parameter></interactionClass>\n")
  endforeach()
  foreach(kind S R)
    foreach(i RANGE 1 32)
      string(APPEND objects "<objectClass><name>${kind}${i}</name><sharing>PublishSubscribe</sharing>\n"
        "${attributes}</objectClass>\n")
      string(APPEND interactions "<interactionClass><name>${kind}${i}</name>"
        "<sharing>PublishSubscribe</sharing><transportation>${transport}</transportation>"
        "<order>Receive</order>\n${parameters}</interactionClass>\n")
    endforeach()
  endforeach()
  set(namespace "http://standards.ieee.org/IEEE1516-2010")
  file(CONFIGURE OUTPUT "${file}" CONTENT "<?xml version=\"1.0\" encoding=\"utf-8\"?>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<objectModel xmlns=\"${namespace}\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"${namespace} http://standards.ieee.org/downloads/1516/1516.2-2010/IEEE1516-DIF-2010.xsd\">
<modelIdentification><name>Benchmark of pairs, ${transport}</name><type>FOM</type><version>1.0</version>
<modificationDate>2024-01-01</modificationDate><securityClassification>Unclassified</securityClassification>
<purpose>Measures pairs of federates that do not hear each other</purpose>
<description>Classes to send and to return, and the interactions that coordinate tests.</description>
<poc><pocType>Primary author</pocType><pocName>Tutti</pocName></poc></modelIdentification>
<objects><objectClass><name>HLAobjectRoot</name>
${objects}</objectClass></objects>
<interactions><interactionClass><name>HLAinteractionRoot</name>
${interactions}</interactionClass></interactions>
<time><timeStamp><dataType>HLAfloat64Time</dataType></timeStamp><lookahead><dataType>HLAfloat64Time</dataType></lookahead></time>
</objectModel>
")
endfunction()
