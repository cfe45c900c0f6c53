"""The authors' lab: what a game is like, and what a rule does to it, measured. See docs/lab.md."""
