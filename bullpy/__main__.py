"""`python -m bullpy` is the command `bullpy`."""

from bullpy.cli import main

if __name__ == "__main__":
    main()
