"""`python -m treering.cli`."""

from treering.cli import main

main()
