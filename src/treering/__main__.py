"""`python -m treering`: the command line."""

from treering.cli import main

main()
