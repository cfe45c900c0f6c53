"""Pages of tables by post."""
