#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inter with tabular digits as the default: Qt before 6.7 cannot switch on the font feature 'tnum'.
Usage: digits.py INTER_FOLDER OUTDIR   (python3-fonttools, fonts-inter; the result keeps the OFL-1.1 licence)"""
import sys
from fontTools import subset
from fontTools.ttLib import TTFont

RANGES = [(0x20, 0x24F), (0x370, 0x3FF), (0x400, 0x45F), (0x2010, 0x2044), (0x2070, 0x209F), (0x20AC, 0x20AC),
          (0x2126, 0x2126), (0x2190, 0x2199), (0x2212, 0x2212), (0x2248, 0x2265), (0xB5, 0xB5), (0xD7, 0xD7)]
for weight in ("Regular", "Medium", "SemiBold"):
    font = TTFont(f"{sys.argv[1]}/Inter-{weight}.otf")
    table, swap = font["GSUB"].table, {}
    for record in table.FeatureList.FeatureRecord:
        if record.FeatureTag == "tnum":
            for index in record.Feature.LookupListIndex:
                for sub in table.LookupList.Lookup[index].SubTable:
                    swap.update(getattr(sub, "ExtSubTable", sub).mapping)
    for cmap in font["cmap"].tables:
        cmap.cmap = {code: swap.get(glyph, glyph) if 0x30 <= code <= 0x39 else glyph
                     for code, glyph in cmap.cmap.items()}
    for name in font["name"].names:
        if name.nameID in (1, 16):
            name.string = "Tutti Sans" if name.nameID == 16 or weight == "Regular" else f"Tutti Sans {weight}"
        elif name.nameID in (3, 4, 6):
            name.string = f"TuttiSans-{weight}"
    if "CFF " in font:
        font["CFF "].cff.fontNames[0] = f"TuttiSans-{weight}"
    options = subset.Options(layout_features=["kern", "mark", "mkmk", "ccmp", "locl", "case"], name_IDs=["*"])
    tool = subset.Subsetter(options)
    tool.populate(unicodes=[c for a, b in RANGES for c in range(a, b + 1)])
    tool.subset(font)
    font.save(f"{sys.argv[2]}/TuttiSans-{weight}.otf")
