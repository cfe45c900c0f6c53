"""Learning to play: self-play, on one GPU or on the CPU. Needs PyTorch (`pip install "samovar-games[learn]"`)."""

from importlib.util import find_spec

from samovar.errors import MissingExtra


def needs_torch() -> None:
    """Called before anything is imported that imports PyTorch."""
    if find_spec("torch") is None:
        raise MissingExtra('Learning needs PyTorch, which is not installed here: pip install "samovar-games[learn]"')
