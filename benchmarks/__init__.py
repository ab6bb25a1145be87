"""How fast bullpy is beside others: `python -m benchmarks --help`; README.md says what it means."""
