#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""guide_pages.py list|run: follows the documents word by word.

list        reads the shell blocks of README.md, docs/*.md and docs/guide/*.md, says which are not run and why, and ends
            with 1 when a block is neither run nor marked, or a mark is not understood.
run ROOT CLONE  runs them as the user 1000 of the system in ROOT, in the order of docs/README.md and of each page, each
            page in a new terminal in the folder CLONE of ROOT, and compares what they print with what the page shows.
            Ends with 1 when a command fails or prints something else. TUTTI_GUIDE_PAGES names pages, else all are run;
            DISPLAY is where windows open.

A shell block is one marked `console`; each line "$ ..." is a command (a backslash at its end continues it), the lines
below are what it prints. "…" in them stands for anything, alone on a line for any lines. A comment before the block says
what else holds, as <!-- guide: numbers vary; until: ready -->:

not run: WHY        the block is left out
output varies: WHY  only the exit code is compared
numbers vary        numbers, and how many blanks stand between columns, may be others
exit N              the exit code of the block's last command (0)
until: TEXT         the last command goes on until it has printed TEXT; then Ctrl+C ends it
stays: TEXT         once it has printed TEXT, the next blocks are run in another terminal; it goes on to the page's end
meanwhile: TEXT     once it has printed TEXT, the next block is run in another terminal; then it has to end by itself
types: N            N empty lines are typed, each when the one before has been answered, then Ctrl+C
network: ADDRESS    the page is followed in a network without any other machine, in which this one has that address
window: TITLE       the last command opens a window whose title holds that, and ends when it is closed
edit FILE after: TEXT, edit FILE before: TEXT, edit FILE instead: TEXT
                    (any language) the block is put into FILE beside, or instead of, the line with TEXT
shows FILE          (any language) the block is FILE, or with "…" parts of it
"""
import argparse
import os
import re
import selectors
import signal
import subprocess
import sys
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([A-Za-z0-9_+-]*)")
MARK = re.compile(r"<!--\s*guide:\s*(.*?)\s*-->", re.S)
SHELL = {"console", "sh", "bash", "shell"}
FLAGS = {"numbers vary"}
WITH_TEXT = {"not run", "output varies", "until", "stays", "meanwhile", "types", "window", "network"}
NUMBER = r"[-–0-9][-–0-9.,:]*(?: ?[kMG](?=/s|\b))?"
# A command that has said nothing new for so long hangs; the first build is the longest.
PATIENCE = int(os.environ.get("TUTTI_GUIDE_PATIENCE", "3600"))


class Block:
    def __init__(self, page, line, language, text, marks):
        self.page, self.line, self.language, self.text, self.marks = page, line, language, text, marks

    @property
    def place(self):
        return f"{self.page}:{self.line}"

    def is_shell(self):
        return self.language in SHELL or (self.language in ("", "text") and
                                          any(line.startswith("$ ") for line in self.text))

    def commands(self):
        """(command, printed lines) of each."""
        found, continued = [], False
        for line in self.text:
            if continued:
                found[-1][0] += "\n" + line
                continued = line.endswith("\\")
            elif line.startswith("$ "):
                found.append([line[2:], []])
                continued = line.endswith("\\")
            elif found:
                found[-1][1].append(line)
        return found


def marks_of(text):
    """What a comment says: name to text; raises ValueError for what it may not say."""
    marks = {}
    for clause in filter(None, (part.strip() for part in re.split(r";\s+", text))):
        name, colon, value = clause.partition(":")
        if clause in FLAGS:
            marks[clause] = ""
        elif re.fullmatch(r"exit \d+", clause):
            marks["exit"] = int(clause.split()[1])
        elif colon and name in WITH_TEXT:
            marks[name] = value.strip()
            if name in ("not run", "output varies") and not marks[name]:
                raise ValueError(f'"{name}" needs a reason')
        elif match := re.fullmatch(r"edit (\S+) (after|before|instead): (.+)", clause):
            marks["edit"] = match.groups()
        elif match := re.fullmatch(r"shows (\S+)", clause):
            marks["shows"] = match.group(1)
        else:
            raise ValueError(f'"{clause}" is not known')
    return marks


def read_page(path, faults):
    """The blocks of a page that are shell or have a mark."""
    page, blocks = os.path.relpath(path, ROOT), []
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    marks, fence, begin = {}, None, 0
    for number, line in enumerate(lines, 1):
        match = FENCE.match(line)
        if fence:
            if match and match.group(2).startswith(fence.group(2)) and not match.group(3):
                text = [one[len(fence.group(1)):] for one in lines[begin:number - 1]]
                block = Block(page, begin, fence.group(3).lower(), text, marks)
                if block.is_shell() or marks:
                    blocks.append(block)
                if block.is_shell() and block.language != "console":
                    faults.append(f"{block.place}: a block with commands is called console, not \"{block.language}\"")
                elif block.is_shell() and not block.commands():
                    faults.append(f"{block.place}: no line of this block begins with \"$ \"")
                elif not block.is_shell() and marks and not ({"edit", "shows"} & set(marks)):
                    faults.append(f"{block.place}: only a block with commands can be marked so")
                marks, fence = {}, None
        elif match:
            fence, begin = match, number
        elif found := MARK.search(line):
            try:
                marks = marks_of(found.group(1))
            except ValueError as error:
                faults.append(f"{page}:{number}: {error}")
        elif line.strip() and marks:
            faults.append(f"{page}:{number}: the mark above has no block")
            marks = {}
    return blocks


def pages_in_order(faults):
    """Paths, in the order of docs/README.md; a page that it does not lead to is a fault."""
    index = os.path.join(ROOT, "docs", "README.md")
    with open(index, encoding="utf-8") as file:
        linked = re.findall(r"\]\(([A-Za-z/.-]+\.md)\)", file.read())
    pages = [os.path.join(ROOT, "README.md"), index]
    for link in linked:
        path = os.path.normpath(os.path.join(ROOT, "docs", link))
        if path not in pages and os.path.dirname(path) in (os.path.join(ROOT, "docs"), os.path.join(ROOT, "docs", "guide")):
            pages.append(path)
    for name in sorted(os.listdir(os.path.join(ROOT, "docs", "guide"))):
        if name.endswith(".md") and os.path.join(ROOT, "docs", "guide", name) not in pages:
            faults.append(f"docs/README.md: it does not lead to docs/guide/{name}")
    return pages


def pattern_of(lines, numbers_vary):
    """A regular expression for what is printed, line by line."""
    whole = ""
    for line in lines:
        if line.strip() == "…":
            whole += r"(?:.*\n)*?"
            continue
        part = ""
        for piece in re.split(r"(…)", line.rstrip()):
            if piece == "…":
                part += ".*"
            elif numbers_vary:
                for word in re.split(rf"(\b[0-9]{{8}}-[0-9]{{6}}-[0-9a-f]{{8}}\b|{NUMBER}|[ ]+)", piece):
                    if re.fullmatch(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}", word):
                        part += r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}"
                    elif re.fullmatch(r" +", word):
                        part += r"[ ]+"
                    else:
                        part += NUMBER if re.fullmatch(NUMBER, word) else re.escape(word)
            else:
                part += re.escape(piece)
        whole += part + r"[ ]*\n"
    return re.compile(whole)


class System:
    """The system below a folder, and its user."""

    def __init__(self, root, clone):
        self.root, self.clone, self.path, self.network = root, clone, "/usr/local/bin:/usr/bin:/bin", None

    def enter_network(self, address):
        """Terminals are in a network of their own from now on."""
        self.network = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", f"ip link set lo up && ip addr add {address}/24 dev lo && echo up && exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.network.stdout.readline() != b"up\n":
            raise Fault(f"no network with the address {address} can be made")

    def leave_network(self):
        if self.network:
            self.network.stdin.close()
            self.network.wait()
            self.network = None

    def here(self, path, folder):
        """Where a file of that system is, by a path that its user writes in a folder."""
        path = path.replace("~", "/home/you", 1) if path.startswith("~") else os.path.join(folder, path)
        return self.root + path

    def own(self, text):
        """What a page writes, with the folder of the clone as it is here."""
        return text.replace("/home/you/tutti/", self.clone + "/")

    def printed(self, text):
        """What was printed, with the folder of the clone called as in the pages."""
        return text.replace("\r", "").replace(self.clone + "/", "/home/you/tutti/")

    def bash(self):
        environment = {"PATH": self.path, "HOME": "/home/you", "USER": "you", "LANG": "C.UTF-8", "TERM": "dumb"}
        environment.update({name: value for name, value in os.environ.items() if name == "CCACHE_DIR"})
        words = [f"{name}={value}" for name, value in environment.items()]
        network = ["nsenter", f"--net=/proc/{self.network.pid}/ns/net"] if self.network else []
        return network + ["chroot", "--userspec=1000:1000", "--groups=1000", self.root, "/usr/bin/env", "-i", *words,
                "bash", "--noprofile", "--norc"]


class Terminal:
    """A shell in a folder of the system: what its user types into one terminal."""

    END = "__the_command_has_ended__"

    def __init__(self, system, folder):
        self.system, self.rest, self.keys = system, "", None
        self.shell = subprocess.Popen(system.bash(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, start_new_session=True)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.shell.stdout, selectors.EVENT_READ)
        self.send(f"cd {folder}")

    def send(self, text):
        self.shell.stdin.write(text.encode() + b"\n")
        self.shell.stdin.flush()

    def until(self, wanted, what):
        """Reads until that holds of what was printed."""
        end = time.monotonic() + PATIENCE
        while not wanted(self.system.printed(self.rest)):
            if self.selector.select(0.2):
                data = os.read(self.shell.stdout.fileno(), 1 << 16)
                self.rest += data.decode(errors="replace")
                if not data:
                    raise Fault("the terminal has closed")
            if time.monotonic() > end:
                raise Fault(f"after {PATIENCE} s {what}; until then it printed:\n{self.rest}")

    def begin(self, command):
        """Starts a command; what it reads is what type() gives it."""
        self.rest = ""
        name = os.path.join(self.system.root, "tmp", f"typed-{self.shell.pid}")
        if not os.path.exists(name):
            os.mkfifo(name)
            os.chmod(name, 0o666)
        self.keys = os.open(name, os.O_RDWR)
        # In the shell itself, for `cd` and `export`.
        self.send(f"{{ {command}\n}} < /tmp/typed-{self.shell.pid}; printf '\\n%s %d\\n' {self.END} $?")

    def await_text(self, text):
        self.until(lambda printed: text in printed or self.END in printed, f'it has not printed "{text}"')
        if text not in self.system.printed(self.rest):
            raise Fault(f'it has ended without printing "{text}":\n{self.rest}')

    def type_lines(self, count):
        for line in range(count + 1):
            self.until(lambda printed, least=line: len(lines_of(printed)) > least or self.END in printed, "there is no answer")
            if line < count:
                os.write(self.keys, b"\n")

    def finish(self):
        """(what was printed, exit code)"""
        self.until(lambda printed: self.END in printed, "it has not ended")
        os.close(self.keys)
        text, _, code = self.system.printed(self.rest).partition(self.END)
        self.rest = ""
        return text[:-1], int(code)

    def interrupt(self):
        """Ctrl+C: to all that this shell has started, as a terminal does."""
        for process in descendants_of(self.shell.pid):
            try:
                os.kill(process, signal.SIGINT)
            except ProcessLookupError:
                pass

    def close(self):
        self.interrupt()
        self.shell.stdin.close()
        try:
            self.shell.wait(30)
        except subprocess.TimeoutExpired:
            self.shell.kill()
            raise Fault("what was started here does not end with Ctrl+C") from None


class Fault(Exception):
    pass


def lines_of(text):
    return [line for line in text.split("\n") if line.strip()]


def descendants_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = [int(word) for word in file.read().split()]
    except FileNotFoundError:
        return []
    return children + [one for child in children for one in descendants_of(child)]


def close_window(terminal, title):
    """Waits for the window, and closes it as a person does."""
    display = dict(os.environ)

    def windows():
        return subprocess.run(["xdotool", "search", "--onlyvisible", "--name", title], env=display, capture_output=True,
                              text=True, check=False).stdout.split()
    terminal.until(lambda printed: windows() or terminal.END in printed, f'no window "{title}" has opened')
    found = windows()
    if not found:
        raise Fault(f"it has ended without a window:\n{terminal.rest}")
    time.sleep(2)
    subprocess.run(["xdotool", "windowactivate", "--sync", found[0], "key", "alt+F4"], env=display, check=True)


class Page:
    """Runs the blocks of one page."""

    def __init__(self, system, name):
        self.system, self.name, self.terminals, self.waiting = system, name, [Terminal(system, system.clone)], None
        self.faults = []

    def folder(self):
        # Of a process in a chroot the link leads through that.
        return os.readlink(f"/proc/{self.terminals[-1].shell.pid}/cwd")[len(self.system.root):] or "/"

    def run(self, block):
        if "edit" in block.marks:
            edit(block, self.system, self.system.here(block.marks["edit"][0], self.folder()))
        elif "shows" in block.marks:
            shows(block, self.system.here(block.marks["shows"], self.folder()))
        else:
            waiting, self.waiting = self.waiting, None
            commands = block.commands()
            for number, (command, shown) in enumerate(commands):
                self.run_command(block, command, shown, block.marks if number == len(commands) - 1 else {})
            if waiting:
                # In the terminal before; this block was run meanwhile.
                block, terminal, command, shown = waiting
                self.compare(block, command, shown, *terminal.finish(), block.marks.get("exit", 0))
                self.terminals.pop().close()

    def run_command(self, block, command, shown, last):
        terminal = self.terminals[-1]
        begin = time.monotonic()
        if "window" in last:
            terminal.begin(f"(export DISPLAY={os.environ['DISPLAY']}; {command})")
            close_window(terminal, last["window"])
        else:
            terminal.begin(command)
        for mark in ("stays", "meanwhile"):
            if mark in last:
                terminal.await_text(last[mark])
                if mark == "meanwhile":
                    self.waiting = (block, terminal, command, shown)
                self.terminals.append(Terminal(self.system, self.folder()))
                print(f"  {command}", flush=True)
                return
        if "types" in last:
            terminal.type_lines(int(last["types"]))
            terminal.interrupt()
        if "until" in last:
            terminal.await_text(last["until"])
            terminal.interrupt()
        printed, code = terminal.finish()
        print(f"  {command}  ({time.monotonic() - begin:.1f} s)", flush=True)
        wanted = last.get("exit", None if {"until", "types"} & set(last) else 0)
        self.compare(block, command, shown, printed, code, wanted)

    def compare(self, block, command, shown, printed, code, wanted):
        if wanted is not None and code != wanted:
            self.note(f"{block.place}: exit code {code} of: {command}", printed)
        elif shown and "output varies" not in block.marks:
            self.compare_text(block, command, shown, printed)

    def compare_text(self, block, command, shown, printed):
        if "types" in block.marks:
            # What a person types, and the line that Enter ends, is echoed by a terminal only.
            shown, printed = [[line for line in lines if line.strip() not in ("", "^C")] for lines in (shown, printed.split("\n"))]
            printed = "\n".join(printed)
        if not pattern_of(shown, "numbers vary" in block.marks).fullmatch(tidy(printed)):
            self.note(f"{block.place}: this is not what the page shows of: {command}", printed)

    def note(self, fault, printed):
        """A fault after which the page can be followed further."""
        last = printed.strip("\n").split("\n")[-40:]
        self.faults.append("\n".join([fault, *(f"    {line}" for line in last)]))
        print(self.faults[-1], flush=True)

    def close(self):
        """Ends what goes on; the path is what the next terminal begins with, as by ~/.bashrc."""
        self.system.path = self.path()
        while self.terminals:
            self.terminals.pop().close()
        self.system.leave_network()

    def path(self):
        if len(self.terminals) > 1:
            return self.system.path
        self.terminals[0].begin("echo \"$PATH\"")
        return self.system.own(self.terminals[0].finish()[0].strip())


def tidy(text):
    return "".join(line.rstrip() + "\n" for line in text.strip("\n").split("\n"))


def edit(block, system, path):
    _, side, text = block.marks["edit"]
    with open(path, encoding="utf-8") as source:
        lines = source.read().split("\n")
    at = next((number for number, line in enumerate(lines) if text in line), None)
    if at is None:
        raise Fault(f'{block.place}: {path} has no line with "{text}"')
    lines[at + (side == "after"):at + (side != "before")] = [system.own(line) for line in block.text]
    with open(path, "w", encoding="utf-8") as target:
        target.write("\n".join(lines))


def shows(block, path):
    with open(path, encoding="utf-8") as source:
        if not pattern_of(block.text, False).search(tidy(source.read())):
            raise Fault(f"{block.place}: {path} is another")


def main():
    if len(sys.argv) < 2 or (sys.argv[1], len(sys.argv)) not in (("list", 2), ("run", 4)):
        print(__doc__, file=sys.stderr)
        return 2
    faults, blocks = [], []
    for path in pages_in_order(faults):
        blocks += read_page(path, faults)
    left_out = [block for block in blocks if "not run" in block.marks]
    for block in left_out:
        print(f"{block.place}: not run: {block.marks['not run']}")
    if not faults and sys.argv[1] == "run":
        system = System(os.path.realpath(sys.argv[2]), sys.argv[3])
        only = os.environ.get("TUTTI_GUIDE_PAGES", "").split()
        for name in dict.fromkeys(block.page for block in blocks if block not in left_out):
            if only and name not in only:
                print(f"{name}: NOT RUN, as TUTTI_GUIDE_PAGES asks")
                continue
            print(name, flush=True)
            own = [block for block in blocks if block.page == name and block not in left_out]
            page = None
            try:
                for block in own:
                    if "network" in block.marks:
                        system.enter_network(block.marks["network"])
                page = Page(system, name)
                for block in own:
                    page.run(block)
                page.close()
            except (Fault, OSError, subprocess.CalledProcessError) as fault:
                system.leave_network()
                faults.append(str(fault) if str(fault).startswith(name) else f"{name}: {fault}")
                print(faults[-1], flush=True)
            faults += page.faults if page else []
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        print(f"{len(blocks) - len(left_out)} blocks of the documents {'are run' if sys.argv[1] == 'list' else 'do as they say'}; "
              f"{len(left_out)} are marked as not run.")
    return 1 if faults else 0


sys.exit(main())
