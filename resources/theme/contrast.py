#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Contrast and colour-blindness check of tokens.json.  Exit 1 when a pair is below its floor."""
import itertools, json, os, sys

C = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tokens.json")))["color"]
SURFACES = ["bg.window", "bg.panel", "bg.canvas", "bg.raised", "bg.sunken", "bg.hover",
            "bg.selected", "bg.selected.idle"]
STATES = ["running", "ok", "late", "warning", "dead", "paused", "info", "idle"]
TEXT = [(t, s) for t in ["text.primary", "text.secondary", "text.muted", "text.link"] for s in SURFACES]
TEXT += [(f"{n}.fg", s) for n in STATES for s in SURFACES + [f"{n}.tint"]]
TEXT += [(t, f"{n}.tint") for n in STATES for t in ("text.primary", "text.secondary", "text.muted", "text.link")]
TEXT += [(f"{n}.on", f"{n}.fill") for n in STATES if f"{n}.fill" in C]
TEXT += [("accent.on", a) for a in ("accent", "accent.hover", "accent.pressed")]
GRAPHIC = [(f"series.{i}", s) for i in [*range(1, 9), "yardstick", "reference"]
           for s in ("bg.panel", "bg.canvas")]
GRAPHIC += [("line.control", s) for s in ("bg.panel", "bg.canvas", "bg.raised", "bg.sunken", "bg.window")]
GRAPHIC += [("line.focus", s) for s in SURFACES] + [("accent", s) for s in ("bg.panel", "bg.canvas", "bg.window")]
GRAPHIC += [("gauge.user", "gauge.idle"), ("gauge.system", "gauge.idle")]
GRAPHIC += [(f"{n}.fill", s) for n in ("running", "ok", "warning", "dead", "paused")
            for s in ("bg.panel", "bg.canvas")]  # late.fill always carries a late.fg outline


def rgb(h):
    v = [int(h[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in v]


def ratio(a, b):
    la, lb = (sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), rgb(h))) for h in (a, b))
    return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)


# Machado, Oliveira, Fernandes 2009, severity 1.0, linear RGB
CVD = {"normal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
       "protan": [[.152286, 1.052583, -.204868], [.114503, .786281, .099216], [-.003882, -.048116, 1.051998]],
       "deutan": [[.367322, .860646, -.227968], [.280085, .672501, .047413], [-.011820, .042940, .968881]],
       "tritan": [[1.255528, -.076749, -.178779], [-.078411, .930809, .147602], [.004733, .691367, .303900]]}


def lab(lin):
    x = [sum(m * v for m, v in zip(row, lin)) for row in
         ((.4124, .3576, .1805), (.2126, .7152, .0722), (.0193, .1192, .9505))]
    f = [t ** (1 / 3) if t > .008856 else 7.787 * t + 16 / 116
         for t in (max(v, 0) / w for v, w in zip(x, (.95047, 1, 1.08883)))]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def distance(a, b, kind):
    p, q = (lab([min(1, max(0, sum(m * v for m, v in zip(row, rgb(h))))) for row in CVD[kind]]) for h in (a, b))
    return sum((i - j) ** 2 for i, j in zip(p, q)) ** .5


bad, verbose = 0, "-v" in sys.argv
for theme in ("light", "dark"):
    for name, pairs, floor in (("text", TEXT, 4.5), ("graphics", GRAPHIC, 3.0)):
        rows = sorted((ratio(C[a][theme], C[b][theme]), a, b) for a, b in pairs)
        low = [r for r in rows if r[0] < floor]
        bad += len(low)
        print(f"{theme:5} {name:8} {len(rows):3} pairs, floor {floor}: lowest {rows[0][0]:.2f} "
              f"({rows[0][1]} on {rows[0][2]}), below: {len(low)}")
        for r in rows if verbose else low:
            print(f"    {r[0]:5.2f}  {r[1]} on {r[2]}")
    for label, names in (("states", [f"{n}.fill" for n in STATES if f"{n}.fill" in C]),
                         ("series", [f"series.{i}" for i in range(1, 9)])):
        for kind in CVD:
            d, a, b = min((distance(C[a][theme], C[b][theme], kind), a, b)
                          for a, b in itertools.combinations(names, 2))
            print(f"{theme:5} {label} {kind}: nearest pair dE {d:.0f} ({a}, {b})")
sys.exit(1 if bad else 0)
