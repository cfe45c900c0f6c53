"""What belongs to a language: which are spoken here, their grammar, and the sentences of site and terminal."""
