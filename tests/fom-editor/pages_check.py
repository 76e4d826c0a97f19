#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""pages_check.py FOLDER: whether the pages in it are well formed, their links lead somewhere, and they need nothing
else; one line a fault, exit code 1 then."""
import os
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

VOID = {"meta", "link", "input", "br", "img"}
KNOWN = {"html", "head", "meta", "title", "link", "body", "header", "strong", "nav", "a", "input", "ul", "li", "main", "h1",
         "h2", "h3", "p", "span", "b", "table", "tr", "th", "td", "script"}
ATTRIBUTES = {"lang", "charset", "name", "content", "rel", "href", "id", "type", "aria-label", "placeholder", "class",
              "colspan", "src"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.links, self.ids, self.seen = [], [], [], set(), set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in KNOWN:
            self.faults.append(f"unknown element {tag}")
        for name, value in attrs:
            if name not in ATTRIBUTES:
                self.faults.append(f"unknown attribute {name} in {tag}")
            if name == "id":
                if value in self.ids:
                    self.faults.append(f"id {value} twice")
                self.ids.add(value)
            if name in ("href", "src"):
                self.links.append(value or "")
        if tag == "script" and not dict(attrs).get("src"):
            self.faults.append("script in the page")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1] if self.open else 'nothing'}")
        if tag in self.open:
            while self.open.pop() != tag:
                pass


def main(folder):
    faults, pages = [], {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".html"):
            continue
        page = Page()
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        page.feed(text)
        page.close()
        if not text.startswith("<!DOCTYPE html>"):
            faults.append(f"{name}: no document type")
        if page.open:
            faults.append(f"{name}: {page.open} never closed")
        if not {"html", "head", "title", "body", "h1"} <= page.seen:
            faults.append(f"{name}: parts of a page are missing")
        faults += [f"{name}: {fault}" for fault in page.faults]
        pages[name] = page
    for name, page in pages.items():
        for link in page.links:
            target, _, part = unquote(link).partition("#")
            if re.match(r"[a-z]+:|/", link, re.IGNORECASE):
                faults.append(f"{name}: {link} leaves the folder")
            elif not os.path.isfile(os.path.join(folder, target or name)):
                faults.append(f"{name}: {link} leads nowhere")
            elif part and part not in pages[target or name].ids:
                faults.append(f"{name}: {link} has no such part")
    for name in os.listdir(folder):
        if name.endswith((".css", ".js")):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                if re.search(r"https?://|@import|url\(", file.read()):
                    faults.append(f"{name}: needs another address")
    reached, queue = set(), ["index.html"]
    while queue:
        name = queue.pop()
        if name in reached or name not in pages:
            continue
        reached.add(name)
        queue += [unquote(link).partition("#")[0] for link in pages[name].links]
    faults += [f"{name}: no link leads here" for name in sorted(set(pages) - reached)]
    print("\n".join(faults[:40]) or f"{len(pages)} pages")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
