"""Cuts Inter down to what plots write, and joins its blocks: see README.md beside this."""
from fontTools import subset, merge
from fontTools.ttLib import TTFont
RANGES="U+20-7E,U+A0-17F,U+192,U+218-21B,U+2C6,U+2C7,U+2D8-2DD,U+300-304,U+306-30C,U+327,U+328,U+370-3FF,U+400-45F,U+490,U+491,U+2010-2015,U+2018-201E,U+2020-2022,U+2026,U+2030,U+2032,U+2033,U+20AC,U+2070-208E,U+2116,U+2122,U+2126,U+2190-2193,U+2202,U+2206,U+220F,U+2211,U+2212,U+221A,U+221E,U+222B,U+2248,U+2260,U+2264,U+2265"
for weight,name in ((400,'regular'),(600,'semibold')):
    parts=[]
    seen=set()
    for block in ('latin','latin-ext','greek','cyrillic'):
        f=TTFont(f'package/files/inter-{block}-{weight}-normal.woff')
        f.flavor=None
        cps=set(f.getBestCmap())
        want=set(subset.parse_unicodes(RANGES)) & cps - seen
        seen|=want
        o=subset.Options(); o.layout_features=[]; o.hinting=False; o.glyph_names=False; o.notdef_outline=True; o.drop_tables+=['GSUB','GPOS','GDEF','STAT','DSIG']
        s=subset.Subsetter(o); s.populate(unicodes=want); s.subset(f)
        for t in ('GSUB','GPOS','GDEF','STAT','meta'):
            if t in f: del f[t]
        p=f'{block}-{weight}.ttf'; f.save(p); parts.append(p)
    m=merge.Merger().merge(parts)
    for t in ('GSUB','GPOS','GDEF','STAT'):
        if t in m: del m[t]
    m.save(f'inter-{name}.ttf')
