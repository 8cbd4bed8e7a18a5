# SPDX-License-Identifier: MIT OR Apache-2.0
"""The order of the tests, a line for each that is done, and functional coverage at the end of every run."""

import time

from bench.simulators import BUILD, COVERAGE

BEGAN = time.time()

# What takes longest begins first, so that no row of tests is left alone with it at the end.
LONG = ["test_switch_clocks.py", "test_switch_top.py", "test_gates.py", "test_board.py", "test_conformance.py", "test_output_port_lookup.py", "test_detour_pick.py", "test_proofs.py"]


def pytest_collection_modifyitems(config, items):
    if COVERAGE:
        # What Verilator runs of the sources themselves; the gates are none.
        counted = [item for item in items if getattr(item, "callspec", None) and item.callspec.params.get("sim") == "verilator"
                   and item.path.name != "test_gates.py"]
        config.hook.pytest_deselected(items=[item for item in items if item not in counted])
        items[:] = counted
    files = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: files.get(item.path.name, len(LONG)))


class Progress:
    """A line for each test that is done: how many of how many, since when, which, how long it took."""

    def __init__(self, config):
        self.config, self.done, self.of = config, 0, 0

    def pytest_collection_finish(self, session):
        self.of = self.of or len(session.items)

    def pytest_xdist_node_collection_finished(self, node, ids):
        self.of = len(ids)

    def pytest_report_teststatus(self, report):
        # Not a dot as well.
        if report.when == "call" and report.passed:
            return "passed", "", ""
        return None

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or (report.when == "setup" and not report.passed):
            self.done += 1
            writer = self.config.pluginmanager.get_plugin("terminalreporter")
            writer.ensure_newline()
            writer.write_line(f"{self.done:4} of {self.of}, {time.time() - BEGAN:4.0f} s: {report.outcome} {report.nodeid.split('/')[-1]}"
                              f" ({report.duration:.1f} s)")
            writer.flush()


def pytest_configure(config):
    # Who asks for more or less words than the run of everything gets pytest's own.
    if config.option.verbose == -1 and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Progress(config), "progress")


def pytest_terminal_summary(terminalreporter):
    reports = sorted(p for p in BUILD.glob("*/*/coverage-*.txt") if p.stat().st_mtime >= BEGAN)
    if not reports:
        return
    terminalreporter.section("functional coverage")
    for report in reports:
        simulator, build = report.parts[-3:-1]
        terminalreporter.write_line(f"{simulator:<9}  {report.read_text().splitlines()[0]:<60}  {build}")
    terminalreporter.write_line(f"each bin and its count: {BUILD}/SIMULATOR/BUILD/coverage-*.txt")
