"""The site: tables in a browser, with friends and bots."""

from samovar.errors import needs_unix

needs_unix("The site of Samovar")
