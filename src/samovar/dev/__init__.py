"""`samovar dev`: the table of a game in work. What is saved in its folder is read anew, and the match goes on."""
