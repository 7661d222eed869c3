"""`python -m samecore`: the command line."""

from samecore.cli.app import main

main()
