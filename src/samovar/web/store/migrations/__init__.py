"""How older databases become today's: one file a step, run by `samovar.web.store.schema`."""
