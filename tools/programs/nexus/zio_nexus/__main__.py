# SPDX-License-Identifier: GPL-2.0-only
"""Run the program: python3 -m zio_nexus."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
