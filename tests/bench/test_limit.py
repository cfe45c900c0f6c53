"""`benchmarks/limit`: the matches that code written by hand plays are those of the rules."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

MEASURE = Path(__file__).parents[2] / "benchmarks/limit/measure.py"
MATCHES = 1_000
COMPILER = os.environ.get("CC", "gcc")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which(COMPILER), reason="needs a C compiler: gcc, or what CC names")
def test_what_is_written_by_hand_gives_the_same_bytes(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("measure", MEASURE)
    assert spec is not None
    assert spec.loader is not None
    measure = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measure)
    by_hand = measure.build("cpu", tmp_path)
    variants = list(measure.GAME.variants())
    assert [kind for kind in variants if not measure.are_identical(by_hand, "cpu", *kind, MATCHES)] == []
