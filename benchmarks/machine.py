"""What a measurement is made on: processor, versions, date; and how to stay on one processor."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mancala_ai.game import usable_cores


def describe_machine() -> dict[str, str | int]:
    """Processor, cores, versions and date, ready for JSON."""
    return {
        "cpu": cpu_model(),
        "cores": usable_cores(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "mancala_ai": package_version("mancala-ai"),
        "numba": package_version("numba"),
        "llvmlite": package_version("llvmlite"),
        "numpy": package_version("numpy"),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def cpu_model() -> str:
    """The processor's name, as far as the system tells."""
    try:
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    if platform.system() == "Darwin":
        command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return platform.processor() or platform.machine()


def package_version(name: str) -> str:
    """The installed version of a package, or "not installed"."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and what it starts, on one processor where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
