"""Runs one work: `python -m benchmarks.peers.bullpy WORK SETTINGS`."""

from benchmarks.peers.bullpy.frame import main

main()
