"""Matches as they are written down, and what shows that a deal was fair."""
