"""What teaches a game: pages of rules, lessons, puzzles."""
