"""Functional coverage at the end of every run: one line for each report that a test wrote."""

import time

from bench.simulators import BUILD

BEGAN = time.time()


def pytest_terminal_summary(terminalreporter):
    reports = sorted(p for p in BUILD.glob("*/*/coverage-*.txt") if p.stat().st_mtime >= BEGAN)
    if not reports:
        return
    terminalreporter.section("functional coverage")
    for report in reports:
        simulator, build = report.parts[-3:-1]
        terminalreporter.write_line(f"{simulator:<9}  {report.read_text().splitlines()[0]:<60}  {build}")
    terminalreporter.write_line(f"each bin and its count: {BUILD}/SIMULATOR/BUILD/coverage-*.txt")
