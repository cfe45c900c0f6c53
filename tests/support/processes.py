"""Programs in processes of their own, which find the helpers of the tests."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]


def told_by(program: str, **environment: str) -> str:
    """What a program prints in a process of its own."""
    start = "import hashlib\ndef hash_of(thing): return hashlib.sha256(repr(thing).encode()).hexdigest()\n"
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    ran = subprocess.run(
        [sys.executable, "-c", start + program], env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()
