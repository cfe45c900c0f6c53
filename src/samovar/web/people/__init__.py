"""Who somebody is: their page, their data, clubs, standings and ratings."""
