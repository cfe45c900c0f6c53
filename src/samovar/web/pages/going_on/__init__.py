"""Playing on from a position: as it was, dealt anew, or arranged by hand."""
