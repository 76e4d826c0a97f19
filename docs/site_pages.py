# SPDX-License-Identifier: GPL-3.0-or-later
"""Hooks of mkdocs.yml. They bring into the site what its pages link to outside of docs/: the README of each
folder becomes a page, every other file is copied. So one relative link serves in the repository and in the site."""
import os
import posixpath
import re

from mkdocs.structure.files import File

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"(\]\(\s*<?)([^)\s>#]+)")
FENCE = re.compile(r"^\s*(```|~~~)")
NESTED = re.compile(r"^ {2,3}(?=\S)")
# docs/README.md is the front page of the site, README.md the front page of the repository.
OTHER_NAME = {"README.md": "front-page.md"}
LOGO = "resources/desktop/tutti.svg"


def slug(heading, separator):
    """The anchor that GitHub makes of a heading; docs/check knows the same."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def folder_readmes():
    """The README of each folder but docs, as paths from the root."""
    found = []
    for folder, inside, files in os.walk(ROOT):
        at_root = folder == ROOT
        inside[:] = sorted(name for name in inside
                           if not name.startswith(".") and not (at_root and name in ("build", "docs")))
        if "README.md" in files and not at_root:
            found.append(os.path.relpath(os.path.join(folder, "README.md"), ROOT))
    return found


def file_of(path, config, name=None):
    """The file of the repository at `path`, as a file of the site."""
    file = File(name or OTHER_NAME.get(path, path), ROOT, config["site_dir"], config["use_directory_urls"])
    file.abs_src_path = os.path.join(ROOT, path)
    return file


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = slug
    for section in config["nav"]:
        if "Decisions" in section:
            pages = sorted(name for name in os.listdir(os.path.join(ROOT, "docs", "decisions")) if name[0].isdigit())
            section["Decisions"] += [{name[:-3].replace("-", " "): "decisions/" + name} for name in pages]
        elif "Folders" in section:
            section["Folders"] += [{os.path.dirname(path): path} for path in folder_readmes()]
    return config


def on_files(files, config):
    for file in list(files):
        # What lies in docs/ to make or check the documents belongs to nobody's site.
        if file.abs_src_path.startswith(os.path.join(ROOT, "docs")) and \
                not file.src_uri.endswith((".md", ".png", ".css")):
            files.remove(file)
    for path in ["README.md"] + folder_readmes():
        files.append(file_of(path, config))
    files.append(file_of(LOGO, config, "tutti.svg"))
    return files


def on_page_markdown(markdown, page, config, files):
    here = os.path.relpath(page.file.abs_src_path, ROOT)

    def rewrite(match):
        target = match.group(2)
        if re.match(r"[a-z][a-z0-9+.-]*:|/", target, re.I):
            return match.group(0)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
        full = os.path.join(ROOT, path)
        if os.path.isdir(full):
            path += "/README.md"
        if not os.path.isfile(os.path.join(ROOT, path)):
            return match.group(0)  # mkdocs says which link this is
        uri = path[len("docs/"):] if path.startswith("docs/") else OTHER_NAME.get(path, path)
        if uri not in files:
            files.append(file_of(path, config, uri))
        return match.group(1) + posixpath.relpath(uri, posixpath.dirname(page.file.src_uri) or ".")

    # What belongs to an item of a list begins two or three columns in on GitHub, four in mkdocs.
    lines, fenced, deeper = [], False, ""
    for line in markdown.split("\n"):
        fence = FENCE.match(line) is not None
        if not fenced:
            match = NESTED.match(line)
            deeper = " " * (4 - match.end()) if match else ""
        lines.append(deeper + (line if fenced or fence else LINK.sub(rewrite, line)))
        fenced = fenced != fence
    return "\n".join(lines)
