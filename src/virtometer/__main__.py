"""`python -m virtometer`: the command line for one who knows the interpreter and not where its scripts are."""

import sys

from virtometer.cli import main

sys.exit(main())
