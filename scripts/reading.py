#!/usr/bin/env python3
"""Runs the queries of docs/how-to/reading.md, and holds their answers against the page.

    reading.py PAGE [--write]

From a directory with results/own in it. `sql` is asked of DuckDB, `python` is run; the block `answer` after each is what
comes out. With --write the page is given the answers. Needs duckdb, polars, pandas, pyarrow.
"""
import contextlib
import importlib.util
import io
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"```(sql|python)\n(.*?)```\n\n```answer\n(.*?)```\n", re.S)


def text(value):
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else f"{value:g}" if isinstance(value, float) and value > 1e6 else str(value)


def asked(query):
    import duckdb

    found = duckdb.sql(query)
    rows = [list(found.columns)] + [[text(value) for value in row] for row in found.fetchall()]
    wide = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    words = lambda row: "  ".join(cell.ljust(w) for cell, w in zip(row, wide)).rstrip()
    return "".join(words(row) + "\n" for row in rows)


def ran(code):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "docs/how-to/reading.md", "exec"), {})
    return out.getvalue()


def main():
    page, write = Path(sys.argv[1]), "--write" in sys.argv
    held, wrong, left = 0, 0, 0

    def block(found):
        nonlocal held, wrong, left
        kind, code, answer = found.groups()
        wanted = ["duckdb"] if kind == "sql" else re.findall(r"^import (\w+)", code, re.M)
        missing = [name for name in wanted if importlib.util.find_spec(name) is None]
        if missing:
            print(f"skipped: a query of {page.name}: no package {', '.join(missing)}")
            left += 1
            return found.group()
        got = asked(code) if kind == "sql" else ran(code)
        held += 1
        if got != answer and not write:
            wrong += 1
            print(f"{page}: {code}\nsays:\n{answer}\ngot:\n{got}", file=sys.stderr)
        return f"```{kind}\n{code}```\n\n```answer\n{got}```\n"

    source = page.read_text()
    new = BLOCK.sub(block, source)
    if source.count("```answer") != held + left:
        sys.exit(f"{page}: a query or answer is alone")
    if write:
        page.write_text(new)
    print(f"{page.name}: {held} queries ran, {wrong} with other answers")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
