"""The engine: knows what a game is, and no game."""
