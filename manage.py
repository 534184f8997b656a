#!/usr/bin/env python
import atexit
import gc
import os
import sys


def main() -> None:
    """Run a command; say in a sentence what of this installation is wrong."""
    # At the end all memory goes at once: to look for what is unused in it took half a
    # second of each command.
    atexit.register(gc.freeze)
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"EvalApp cannot start. {error}")
    except Exception as error:
        from evalapp import faults

        fault = faults.of(error)
        if fault is None or "--traceback" in sys.argv:
            raise
        sys.exit(fault.told)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")
    main()
