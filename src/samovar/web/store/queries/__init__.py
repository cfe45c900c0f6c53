"""What is asked of the store and written to it, a file for each kind of row."""
