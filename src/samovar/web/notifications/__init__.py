"""Calls people who are away from the table: it is your turn."""
