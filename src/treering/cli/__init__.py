"""The command line `treering`."""
