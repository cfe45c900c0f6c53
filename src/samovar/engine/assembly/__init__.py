"""How a game is put together: its options, what it may leave out, where its parts lie, and for which contract."""
