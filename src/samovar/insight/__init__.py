"""What can be said of a match by those who understand it: how good things are for a seat (`estimate.py`)."""
