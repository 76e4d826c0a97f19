#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Says which services of IEEE 1516.1-2010 work, by proof, in docs/conformance.md.

usage: mutate.py run --tests DIR --mutant LIBRARY --rti PROGRAM [--write] [--only NAME]
       mutate.py check --tests DIR

A service or callback works when the test function of its name passes, and fails when just that
function of the interface is replaced: a service by one that throws, a callback by one that is not
called (mutant.cpp). Each overload is replaced by itself. What has no test function of its name
throws RTIinternalError, which tst_every_service shows, or is a callback that never comes.

run     tries all, and fails when a proof fails or docs/conformance.md is not what follows from it;
        --write writes that file; --only tries one function and leaves the file alone.
check   tries nothing: docs/conformance.md lists every service once, and the test functions that it
        names exist.
"""
import argparse
import collections
import concurrent.futures
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / 'tests' / 'data'
DOCUMENT = ROOT / 'docs' / 'conformance.md'
# The programs with a test function for each service of a clause.
PROGRAMS = sorted(file.stem for file in pathlib.Path(__file__).parent.glob('tst_*.cpp')
                  if file.stem != 'tst_every_service')
WRITTEN_BY_HAND = '\n## Where the standard leaves a choice\n'
LATER = ('tst_every_service', 'servicesThatComeLater')
WORKING, LATER_STATE, NOT_YET = 'working', 'throws RTIinternalError', 'not yet'
RUN_LIMIT = 120  # seconds
MUTATED_LIMIT = '3000'  # milliseconds that a mutated test waits for what does not come

Function = collections.namedtuple('Function', 'interface name slot parameters')
Outcome = collections.namedtuple('Outcome', 'passed met end')


def rows(name):
    with open(DATA / name, encoding='utf-8', newline='') as file:
        return list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))


def interface_functions():
    """The functions of both interfaces in the order of their tables."""
    functions = []
    for row in rows('rti1516e.tsv'):
        interface = row['class'].removeprefix('rti1516e::')
        if row['kind'] == 'method' and interface in ('RTIambassador', 'FederateAmbassador'):
            functions.append(Function(interface, row['name'], int(row['vtable_slot']),
                                      row['params_or_bases']))
    return functions


def test_functions(tests):
    """Test functions by name: the program that has it."""
    found = {}
    for program in PROGRAMS:
        listed = subprocess.run([tests / program, '-functions'], check=True, capture_output=True,
                                text=True).stdout
        for name in re.findall(r'^(\w+)\(\)', listed, re.MULTILINE):
            if name in found:
                raise SystemExit(f'{name} is a test function of {found[name]} and of {program}: '
                                 'give one of them another name')
            found[name] = program
    return found


class Runner:
    def __init__(self, tests, mutant, rti):
        self.tests, self.mutant, self.rti = tests, mutant, rti

    def run(self, program, function, mutant=None):
        """Runs one test function. Without a mutant, what replaces functions is loaded all the same:
        so it is the replaced function alone that lets a test fail."""
        environment = dict(os.environ, QT_QPA_PLATFORM='offscreen', TUTTI_MUTANT='none 0',
                           LD_PRELOAD=str(self.mutant.resolve()))
        with tempfile.TemporaryDirectory(prefix='tutti-mutate-') as scratch:
            report = pathlib.Path(scratch) / 'called'
            if mutant:
                environment.update(TUTTI_MUTANT=f'{mutant.interface} {mutant.slot}',
                                   TUTTI_MUTANT_REPORT=str(report), TUTTI_TEST_LIMIT=MUTATED_LIMIT)
            process = subprocess.Popen([self.tests / program, function], env=environment,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       errors='replace')
            try:
                output, _ = process.communicate(timeout=RUN_LIMIT)
                end = f'exit code {process.returncode}'
            except subprocess.TimeoutExpired:
                process.kill()
                output, _ = process.communicate()
                end = f'not done after {RUN_LIMIT} s'
            if process.returncode < 0:
                # It could not end the RTI node that it started for itself.
                subprocess.run([self.rti, '--stop', '--shm', f'test-{process.pid}-1'],
                               capture_output=True, check=False)
            ran = bool(re.search(r'^(PASS|FAIL!) ', output, re.MULTILINE))
            return Outcome(process.returncode == 0 and ran, report.exists(),
                           end if ran else end + ', without a result of a test')

    def prove(self, function, program):
        """Nothing, or why `function` cannot be said to work. Its test has passed unmutated."""
        outcome = self.run(program, function.name, function)
        what = f'{function.interface}::{function.name} (slot {function.slot})'
        test = f'{program} {function.name}'
        if outcome.end.startswith('not done'):
            return f'{what}: with the mutant, {test} is {outcome.end}: let it wait with a limit'
        if outcome.passed:
            met = 'although it calls it' if outcome.met else 'and never calls it'
            return f'{what}: {test} passes with the mutant, {met}: let it test what this does'
        if not outcome.met:
            return f'{what}: {test} fails with the mutant but never calls it ({outcome.end})'
        return None

    def is_later(self, function):
        row = f'{LATER[1]}:{function.name} {function.slot}'
        return self.run(LATER[0], row).passed


def states(runner, tests, only=None):
    """State of each function, and what went wrong."""
    functions = [f for f in interface_functions() if only in (None, f.name)]
    named = test_functions(tests)
    state, problems = {}, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tested = sorted({f.name for f in functions if f.name in named})
        unmutated = dict(zip(tested, pool.map(lambda n: runner.run(named[n], n), tested)))
        for name, outcome in unmutated.items():
            if not outcome.passed:
                problems.append(f'{named[name]} {name} fails without a mutant ({outcome.end})')
        provable = [f for f in functions if f.name in unmutated and unmutated[f.name].passed]
        for function, problem in zip(provable, pool.map(
                lambda f: runner.prove(f, named[f.name]), provable)):
            state[function] = WORKING
            if problem:
                problems.append(problem)
        others = [f for f in functions if f.name not in named]
        services = [f for f in others if f.interface == 'RTIambassador']
        for function, later in zip(services, pool.map(runner.is_later, services)):
            state[function] = LATER_STATE
            if not later:
                problems.append(f'{function.interface}::{function.name} (slot {function.slot}) has '
                                f'no test function of its name, and {LATER[0]} does not show that '
                                'it throws RTIinternalError')
        for function in others:
            if function.interface == 'FederateAmbassador':
                state[function] = NOT_YET
    return state, problems


def document(state, named):
    by_name = collections.defaultdict(list)
    for function in interface_functions():
        by_name[function.interface, function.name].append(function)
    services = rows('services.tsv')
    lines = ['# Conformance to IEEE 1516.1-2010', '',
             'Generated by `./check mutate`; `tests/conformance/mutate.py` says how to renew it.', '',
             'A service or callback is listed as working when the test named beside it passes, and',
             'fails as soon as that one function of the interface is replaced: a service by one that',
             'throws, a callback by one that is not called; each overload by itself. A service that',
             'throws RTIinternalError says in it that this version does not offer the service; a',
             'callback that is "not yet" never comes.', '',
             '| | working | throws RTIinternalError | not yet | all |', '|---|--:|--:|--:|--:|']

    def summary(title, chosen):
        count = collections.Counter(chosen)
        cells = [count[s] or '' for s in (WORKING, LATER_STATE, NOT_YET)]
        lines.append('| ' + ' | '.join(str(c) for c in [title, *cells, len(chosen)]) + ' |')

    def overall(functions):
        found = {state[f] for f in functions}
        return found.pop() if len(found) == 1 else NOT_YET

    for interface, title in (('RTIambassador', 'Services (RTIambassador)'),
                             ('FederateAmbassador', 'Callbacks (FederateAmbassador)')):
        names = [overall(by_name[i, n]) for i, n in by_name if i == interface]
        summary(title, names)
    summary('Functions, each overload counted', list(state.values()))

    groups = collections.defaultdict(list)
    for service in services:
        groups[service['clause'].split('.')[0], service['group']].append(service)
    for (clause, group), members in groups.items():
        works = sum(overall(by_name[m['interface'], m['name']]) == WORKING for m in members)
        lines += ['', f'## {clause} {group}', '',
                  f'{works} of {len(members)} work. † marks callbacks.', '',
                  '| Clause | Service | Function | State | Test |', '|---|---|---|---|---|']
        for service in members:
            forms = by_name[service['interface'], service['name']]
            mark = ' †' if service['interface'] == 'FederateAmbassador' else ''
            apart = len({state[f] for f in forms}) > 1
            for form in forms if apart else forms[:1]:
                name = f'`{form.name}`'
                if apart:
                    name = f'`{form.name}({form.parameters.replace("rti1516e::", "")})`'
                elif len(forms) > 1:
                    name += f', {len(forms)} forms'
                test = ''
                if state[form] == WORKING:
                    test = f'`{named[form.name]} {form.name}`'
                elif state[form] == LATER_STATE:
                    test = f'`{LATER[0]} {LATER[1]}`'
                lines.append(f'| {service["clause"]} | {service["service"]}{mark} | {name} | '
                             f'{state[form]} | {test} |')
    return '\n'.join(lines) + '\n'


def run(arguments):
    runner = Runner(arguments.tests, arguments.mutant, arguments.rti)
    state, problems = states(runner, arguments.tests, arguments.only)
    for problem in problems:
        print('mutate:', problem)
    count = collections.Counter(state.values())
    print('mutate:', ', '.join(f'{n} functions {s}' for s, n in sorted(count.items())))
    if problems or arguments.only:
        return 1 if problems else 0
    text = document(state, test_functions(arguments.tests))
    if DOCUMENT.exists():
        # Choices and what the long runs showed stand behind; for these see tests/rti/soak.py.
        _, heading, results = DOCUMENT.read_text(encoding='utf-8').partition(WRITTEN_BY_HAND)
        text += heading + results
    if arguments.write:
        DOCUMENT.parent.mkdir(exist_ok=True)
        DOCUMENT.write_text(text, encoding='utf-8')
    elif not DOCUMENT.exists() or DOCUMENT.read_text(encoding='utf-8') != text:
        print(f'mutate: {DOCUMENT.relative_to(ROOT)} says something else than was proved: renew it '
              'with the command of ctest -V -R mutate and --write')
        return 1
    return 0


def check(arguments):
    problems = []
    listed = collections.defaultdict(list)
    named = test_functions(arguments.tests)
    for line in DOCUMENT.read_text(encoding='utf-8').splitlines():
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        if len(cells) != 5 or not cells[2].startswith('`'):
            continue
        name = re.match(r'`(\w+)', cells[2])[1]
        listed[name].append(cells[3])
        if cells[3] == WORKING:
            program, function = cells[4].strip('`').split()
            if function != name or named.get(function) != program:
                problems.append(f'{name} is said to work, but there is no test {cells[4]}')
    services = {service['name'] for service in rows('services.tsv')}
    problems += [f'{name} is missing' for name in sorted(services - set(listed))]
    problems += [f'{name} is no service' for name in sorted(set(listed) - services)]
    for name in sorted(services & set(named)):
        if WORKING not in listed[name]:
            problems.append(f'{name} has a test function but is not said to work')
    for problem in problems:
        print(f'{DOCUMENT.relative_to(ROOT)}: {problem}: run ./check mutate')
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for command in (run, check):
        sub = commands.add_parser(command.__name__)
        sub.add_argument('--tests', type=pathlib.Path, required=True)
        sub.set_defaults(command=command)
        if command is run:
            sub.add_argument('--mutant', type=pathlib.Path, required=True)
            sub.add_argument('--rti', type=pathlib.Path, required=True)
            sub.add_argument('--write', action='store_true')
            sub.add_argument('--only')
    arguments = parser.parse_args()
    return arguments.command(arguments)


if __name__ == '__main__':
    sys.exit(main())
