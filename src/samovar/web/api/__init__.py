"""What programs ask."""
