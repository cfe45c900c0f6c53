"""Programs in processes of their own, which find the helpers of the tests."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]


def with_helpers() -> dict[str, str]:
    """This environment, in which a program finds the helpers, too."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}


def told_by(program: str, **environment: str) -> str:
    """What a program prints in a process of its own."""
    start = "import hashlib\ndef hash_of(thing): return hashlib.sha256(repr(thing).encode()).hexdigest()\n"
    command = [sys.executable, "-c", start + program]
    ran = subprocess.run(command, env={**with_helpers(), **environment}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()
