#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""From tokens.json to what the console compiles: tokens.h, one style sheet and one set of icons per
theme, and the resource list that joins them with the fonts.
Usage: generate.py SOURCE OUT FONTS BREEZE   (folders; BREEZE is .../icons/breeze)"""
import json, os, re, sys

source, out, fonts, breeze = sys.argv[1:5]
tokens = json.load(open(f"{source}/tokens.json"))
colors, themes = tokens["color"], ("light", "dark")


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[.\-]", name))


def write(path, text):
    path = os.path.join(out, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or open(path).read() != text:
        open(path, "w").write(text)


def themed(text, theme):
    def value(match):
        name = match.group(1)
        if name == "theme":
            return theme
        if name not in colors:
            sys.exit(f"generate.py: no token '{name}' in tokens.json")
        return colors[name][theme]
    return re.sub(r"@([a-z0-9.]+)@", value, text)


# tokens.h
lines = ["// SPDX-License-Identifier: GPL-3.0-or-later", "// Generated from tokens.json.", "#pragma once",
         "", "#include <QRgb>", "", "namespace tutti::theme {", "",
         "/// The two appearances of the console.", "enum class Mode { Light, Dark };", "",
         "/// Names of all colours; tokens.json says what each is for.", "enum class Token {"]
lines += [f"  {camel(name)},  ///< {color['use']}" for name, color in colors.items()]
lines += ["};", "", "namespace tokens {", f"inline constexpr int kCount = {len(colors)};"]
for theme in themes:
    lines.append(f"inline constexpr QRgb k{theme.capitalize()}[kCount] = {{")
    lines += [f"    0xff{color[theme][1:].lower()}u," for color in colors.values()]
    lines.append("};")
lines += ["}  // namespace tokens", "",
          "constexpr QRgb rgb(Token token, Mode mode) {",
          "  const auto index = static_cast<int>(token);",
          "  return mode == Mode::Dark ? tokens::kDark[index] : tokens::kLight[index];", "}", ""]
for group, text in (("space", "Gaps on the 4 px grid"), ("radius", "Corner radii"), ("line", "Line widths"),
                    ("icon", "Icon sizes"), ("height", "Heights"), ("width", "Widths"),
                    ("motion", "Durations, ms"), ("opacity", "Opacities")):
    space = {"icon": "iconSize"}.get(group, group)  # icon() is a function
    lines += [f"/// {text}; device-independent px unless said otherwise.", f"namespace {space} {{"]
    for name, value in tokens[group].items():
        if name.startswith("$"):
            continue
        kind = "double" if group in ("line", "opacity") or isinstance(value, float) else "int"
        lines.append(f"inline constexpr {kind} k{camel(name)} = {value};")
    lines += [f"}}  // namespace {space}", ""]
lines += ["/// Sizes (px) of the type scale: size, line height, weight.", "namespace type {",
          "struct Scale {", "  int size;", "  int line;", "  int weight;", "};"]
lines += [f"inline constexpr Scale k{camel(name)}{{{v[0]}, {v[1]}, {v[2]}}};"
          for name, v in tokens["type"]["scale"].items()]
lines += [f'inline constexpr const char* kFamily = "{tokens["type"]["family"]}";',
          f'inline constexpr const char* kMono = "{tokens["type"]["mono"]}";',
          "}  // namespace type", "", "}  // namespace tutti::theme", ""]
write("include/resources/theme/tokens.h", "\n".join(lines))

# Style sheets
sheet = open(f"{source}/tutti.qss.in").read()
files = {}
for theme in themes:
    write(f"{theme}.qss", themed(sheet, theme))
    files[f"qss/{theme}/sheet.qss"] = f"{out}/{theme}.qss"

# Icons: our own name tokens between at signs or use currentColor, which the icon engine replaces.
# Those that a style sheet or a document loads by path come once per theme.
for name in sorted(os.listdir(f"{source}/icons")):
    if not name.endswith(".svg"):
        continue
    text = open(f"{source}/icons/{name}").read()
    if "@" in text or name in ("up.svg", "down.svg"):
        for theme in themes:
            write(f"icons/{theme}/{name}", themed(text.replace("currentColor", "@text.secondary@"), theme))
            files[f"icons/{theme}/{name}"] = f"{out}/icons/{theme}/{name}"
    files[f"icons/{name}"] = f"{source}/icons/{name}"
for line in open(f"{source}/icons/breeze.txt"):
    name = line.strip()
    if name and not name.startswith("#"):
        path = f"{breeze}/actions/16/{name}.svg"
        if not os.path.exists(path):
            sys.exit(f"generate.py: {path} is missing; install breeze-icon-theme")
        files[f"breeze/{name}.svg"] = os.path.realpath(path)
for weight in ("Regular", "Medium", "SemiBold"):
    files[f"fonts/TuttiSans-{weight}.otf"] = f"{fonts}/TuttiSans-{weight}.otf"
files["licences/icons-and-fonts.txt"] = f"{source}/NOTICE.txt"
write("theme.qrc", "<RCC><qresource>\n" + "".join(
    f'<file alias="{alias}">{path}</file>\n' for alias, path in sorted(files.items())) + "</qresource></RCC>\n")
