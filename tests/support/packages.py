"""A package of a game, as if it were installed."""

from pathlib import Path


def as_installed(package: Path) -> Path:
    """With the facts that tell Python of its entry point; the package's folder must be on the path."""
    name = package.name
    facts = package / f"{name}-0.1.0.dist-info"
    facts.mkdir()
    facts.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: samovar-{name}\nVersion: 0.1.0\n")
    facts.joinpath("entry_points.txt").write_text(f"[samovar.games]\n{name} = {name}:GAME\n")
    return package
