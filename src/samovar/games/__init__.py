"""The games, one folder each. Nothing above them knows their names: they are found by the registry,
like games of other packages."""
