"""Run the command line with ``python -m tidewatch``."""

import sys

from tidewatch.cli import main

if __name__ == "__main__":
    sys.exit(main())
