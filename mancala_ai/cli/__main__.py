"""``python -m mancala_ai.cli`` is the ``mancala`` command."""

import sys

from . import main

sys.exit(main())
