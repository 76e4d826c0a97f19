#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declares the IEEE 1516.1-2010 C++ API as another vendor's headers would, from the tables alone.

usage: declarations.py OUTPUT

Reads tests/data/rti1516e.tsv and writes one header with every class in it: virtual functions in the
order of their vtable slots, fields in the order of their offsets, exception lists where the language
allows them. What the library exports is declared only, so that a program which uses it needs the
library's symbols. Has nothing in common with rti-embedded/include/generate.py but the table.
"""
import csv
import pathlib
import re
import sys

DATA = pathlib.Path(__file__).resolve().parents[1] / 'data'

# What must stand before what.
ORDER = ['Enums', 'Exception', 'EncodingConfig', 'EncodingExceptions', 'VariableLengthData',
         'Handle', 'LogicalTimeInterval', 'LogicalTime', 'LogicalTimeFactory', 'RangeBounds',
         'Typedefs', 'FederateAmbassador', 'NullFederateAmbassador', 'RTIambassador',
         'RTIambassadorFactory', 'RTI1516', 'HLAfloat64Interval', 'HLAfloat64Time',
         'HLAfloat64TimeFactory', 'HLAinteger64Interval', 'HLAinteger64Time',
         'HLAinteger64TimeFactory', 'DataElement']


def rows():
    with open(DATA / 'rti1516e.tsv', newline='') as file:
        table = list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))
    place = {name: i for i, name in enumerate(ORDER)}
    return sorted(table, key=lambda row: place.get(pathlib.Path(row['header']).stem, len(ORDER)))


def function(row, defined):
    words = []
    if row['static']:
        words.append('static')
    if row['virtual']:
        words.append('virtual')
    name = row['name']
    if row['kind'] == 'conversion':
        name = f'operator {row["type"]}'
    elif row['type']:
        words.append(row['type'])
    text = ' '.join(words + [f'{name}({", ".join(row["params_or_bases"].split("; "))})'])
    if row['const']:
        text += ' const'
    if row['throws'] == '()':
        text += ' NOTHROW'
    elif row['throws']:
        text += f' THROWS(({row["throws"].replace(",", ", ")}))'
    if row['pure']:
        return text + ' = 0;'
    return text + (' {}' if defined else ';')


def declaration(head, members):
    name = head['name']
    bases = ', '.join(f'public {base}' for base in head['params_or_bases'].split('; ') if base)
    lines = [f'class {name}{" : " + bases if bases else ""} {{']
    functions = [row for row in members if row['kind'] in ('ctor', 'dtor', 'method', 'conversion')]
    virtual = [row for row in functions if row['vtable_slot']]
    virtual.sort(key=lambda row: int(row['vtable_slot'].split(',')[0]))
    slots = [int(slot) for row in virtual for slot in row['vtable_slot'].split(',')]
    if not bases and slots != list(range(len(slots))):
        sys.exit(f'{name}: slots {slots} are not in sequence')
    others = [row for row in functions if not row['vtable_slot']]
    fields = [row for row in members if row['kind'] == 'field']
    fields.sort(key=lambda row: int(row['extra'].split('=')[1]))
    for row in virtual + others:
        # Without a definition in the library: the class is for deriving from it.
        defined = name == 'NullFederateAmbassador'
        lines.append(f' {row["access"]}: {function(row, defined)}')
    for row in fields:
        lines.append(f' {row["access"]}: {row["type"]} {row["name"]};')
    for row in members:
        if row['kind'] == 'friend':
            lines.append(f'  friend {row["name"] or row["type"]};')
    lines.append('};')
    size = dict(part.split('=') for part in head['extra'].split())['size']
    lines.append(f'static_assert(sizeof({name}) == {size}, "{name}");')
    return lines


def main():
    table = rows()
    classes = {row['name'] for row in table if row['kind'] == 'class'}
    named = {row['name'] for row in table if row['kind'] in ('class', 'enum', 'typedef')}
    forward = set(classes)
    for row in table:
        for column in ('type', 'params_or_bases', 'name'):
            forward |= {word for word in re.findall(r'rti1516e::(\w+)', row[column])
                        if word not in named}
    members = {}
    for row in table:
        members.setdefault(row['class'], []).append(row)

    lines = ['#include <cstddef>', '#include <map>', '#include <memory>', '#include <ostream>',
             '#include <set>', '#include <string>', '#include <utility>', '#include <vector>',
             '#if __cplusplus < 201703L', '#define NOTHROW throw()', '#define LIST(...) __VA_ARGS__',
             '#define THROWS(list) throw(LIST list)', '#else', '#define NOTHROW noexcept',
             '#define THROWS(list)', '#endif', 'namespace rti1516e {']
    lines += [f'class {name};' for name in sorted(forward)]
    for row in table:
        if row['kind'] == 'enum':
            lines.append(f'enum {row["name"]} {{ {row["params_or_bases"]} }};')
        elif row['kind'] == 'typedef' and '(*)' in row['type']:
            lines.append(f'typedef {row["type"].replace("(*)", "(*" + row["name"] + ")")};')
        elif row['kind'] == 'typedef':
            lines.append(f'typedef {row["type"]} {row["name"]};')
        elif row['kind'] == 'class':
            lines += declaration(row, members.get(f'{row["class"]}::{row["name"]}', []))
        elif row['kind'] == 'function':
            lines.append(function(row, False))
    lines.append('}')
    pathlib.Path(sys.argv[1]).write_text('\n'.join(lines) + '\n')


main()
