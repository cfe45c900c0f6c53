"""What is kept: databases, their tables, the one thread that writes, and who is told of a change."""
