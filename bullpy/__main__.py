"""`python -m bullpy` is the `bullpy` command."""

from bullpy.cli import main

main()
