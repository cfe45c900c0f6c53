"""Small games worked out to the end: every deal with its probability, the whole tree, best play, and
how much the best answer to a bot gains against it. docs/exploitability.md is for its readers."""
