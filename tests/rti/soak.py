#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs tst_soak with one seed after the other and writes what they did to docs/conformance.md.

    soak.py --program build/release/tests/tst_soak [--seeds 20] [--seconds 30] [--write]
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / 'docs' / 'conformance.md'
HEADING = '\n## Long runs\n'
LINE = re.compile(r'seed (\d+): (\d+) steps, (\d+) callbacks, (\d+) lives of federates, '
                  r'logical time (\d+), ([\d.]+) MiB at most after ([\d.]+) early')


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--program', type=pathlib.Path, required=True)
    parser.add_argument('--seeds', type=int, default=20)
    parser.add_argument('--seconds', type=int, default=30)
    parser.add_argument('--write', action='store_true')
    arguments = parser.parse_args()
    rows = []
    for seed in range(1, arguments.seeds + 1):
        environment = dict(os.environ, TUTTI_SEED=str(seed), QT_QPA_PLATFORM='offscreen',
                           TUTTI_SOAK_SECONDS=str(arguments.seconds))
        done = subprocess.run([arguments.program], env=environment, capture_output=True, text=True,
                              timeout=arguments.seconds * 4 + 120, check=False)
        found = LINE.search(done.stdout)
        if done.returncode != 0 or found is None:
            sys.stdout.write(done.stdout + done.stderr)
            print(f'soak: seed {seed} failed; again: TUTTI_SEED={seed} {arguments.program}')
            return 1
        rows.append(found.groups())
        print('soak:', found[0], flush=True)
    hours = sum(int(row[4]) for row in rows) / 3600
    lines = [HEADING, f'{arguments.seeds} seeds of {arguments.seconds} s by `./check soak`: twelve '
             'federates join, resign, are cut off,', 'declare, register, update, delete, trade '
             'ownership, move regions and advance time, and a model', 'of the rules checks every '
             'callback and, when nothing is left to deliver, what has to have come', '(`tst_soak`). '
             f'None diverged. Together they served {hours:.0f} hours of logical time. Memory is that of the '
             'node', 'for the federation execution.', '',
             '| Seed | Steps | Callbacks | Lives of federates | Logical time, s | Memory, MiB, '
             'first third | Memory, MiB, at most |', '|--:|--:|--:|--:|--:|--:|--:|']
    lines += [f'| {s} | {steps} | {calls} | {lives} | {time} | {early} | {most} |'
              for s, steps, calls, lives, time, most, early in rows]
    if arguments.write:
        text = DOCUMENT.read_text(encoding='utf-8').partition(HEADING)[0]
        DOCUMENT.write_text(text.rstrip('\n') + '\n' + '\n'.join(lines) + '\n', encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
