"""Tells people who are away from the table that it is their turn."""
