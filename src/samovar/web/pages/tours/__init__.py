"""Looking at a record together: its pages, its stream, and what can be done there."""
