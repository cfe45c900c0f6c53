"""Connections and their limits, and the short way of what is asked most often."""
