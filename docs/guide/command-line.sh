#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# command-line.sh PROGRAM: prints docs/guide/command-line.md from what that `tutti` and the `tutti-rti`
# beside it say of themselves.
set -euo pipefail
tutti=${1:?usage: command-line.sh PROGRAM > docs/guide/command-line.md}
rti=$(dirname "$tutti")/tutti-rti

fenced() { printf '```text\n'; sed 's/[[:space:]]*$//'; printf '```\n'; }

cat <<'TEXT'
# The command line

After this page you can do from a terminal or a script what the console does, and tell by exit codes and JSON what came of it.

`docs/guide/command-line.sh PROGRAM` writes this page from the help of the program. In a clone, `./tutti VERB ...` builds
what changed and does the same as `build/release/bin/tutti VERB ...`; an installation has `tutti`.

## Exit codes and output

| exit code | meaning |
| --- | --- |
| 0 | done; nothing is wrong |
| 1 | something is wrong with what was checked or run: a finding of severity error, a federate that died, lost messages |
| 2 | the command line or a file could not be understood, or nothing could be started |

- `--json` makes every verb print one JSON value on standard output. An error is an object with `error`.
- Standard output has results; standard error has refusals and progress.
- Control characters in names and in what federates print are escaped, so that no name steers the terminal.
- `NO_COLOR` and `TERM=dumb` switch colours off. The live table of `tutti run` appears only when standard output is a
  terminal; otherwise a line is written each second.

## tutti

TEXT
"$tutti" help | fenced
"$tutti" help --json | grep '"name"' | sed 's/.*"name": "\(.*\)".*/\1/' | while read -r verb; do
  printf '\n## tutti %s\n\n' "$verb"
  "$tutti" help "$verb" < /dev/null | fenced
done
printf '\n## tutti-rti\n\n'
printf 'The RTI node. The first `connect` of a federate starts one, so most federations never need this by hand;\n'
printf '[several-hosts.md](several-hosts.md) shows when they do.\n\n'
"$rti" --help | fenced
