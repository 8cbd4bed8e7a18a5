"""The names of what is measured, as the program lists them: no number comes from here.

Needs `sidestep` on the PATH, or the path of the program in the environment variable SIDESTEP.
"""
import json
import os
import subprocess


def listed(kind):
    """What `sidestep list KIND --json` has."""
    command = [os.environ.get("SIDESTEP", "sidestep"), "list", kind, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["items"]


METRICS = {metric["name"].removesuffix(":CLASS"): metric for metric in reversed(listed("metrics"))}
ROWS = {metric["row"].strip(): name for name, metric in METRICS.items() if metric["row"]}
"""Rows of a report, and the metric of each."""
