"""The pages of the site, one module for each family."""
