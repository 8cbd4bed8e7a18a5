# SPDX-License-Identifier: MIT OR Apache-2.0
"""The registers of a build of the switch, from their description: registers/regmap.py."""

import sys

from .simulators import RTL

sys.path.insert(0, str(RTL / "registers"))
import regmap
from regmap import EVERY, registers

__all__ = ["EVERY", "regmap", "registers"]
