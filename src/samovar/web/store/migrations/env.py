"""What Alembic runs: on the connection that is handed to it, within its transaction."""

from alembic import context

from samovar.web.store.declared import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
