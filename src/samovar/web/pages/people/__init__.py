"""The pages of a person: my page, my tables, my devices, my family."""
