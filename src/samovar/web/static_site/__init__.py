"""The site without a server: the tables of all games against the bots, as static files."""
