"""What a data set is made of: its files, its card for people, and its description for programs."""
