"""The site: tables in a browser, with friends and bots."""
