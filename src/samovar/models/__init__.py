"""Language models at the table: a server of the Model Context Protocol. What it needs comes with the extra `mcp`."""
