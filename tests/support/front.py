"""A proxy before several instances of a site: a connection goes to one that takes it."""

import asyncio
import threading
from contextlib import contextmanager, suppress
from itertools import count

from support.servers import free_port


class Front:
    """It is asked as a server is: by its address."""

    def __init__(self, ports):
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._ports, self._turns = ports, count()

    async def _serve(self, reader, writer):
        with suppress(OSError, asyncio.CancelledError):
            behind = await self._connect()
            if behind:
                try:
                    await asyncio.gather(self._carry(reader, behind[1]), self._carry(behind[0], writer))
                finally:
                    behind[1].close()
        writer.close()

    async def _connect(self):
        """To one after the other; None if nobody is there."""
        turn = next(self._turns)
        for number in range(len(self._ports)):
            with suppress(OSError):
                return await asyncio.open_connection("127.0.0.1", self._ports[(turn + number) % len(self._ports)])
        return None

    @staticmethod
    async def _carry(reader, writer):
        with suppress(OSError):
            while said := await reader.read(2**16):
                writer.write(said)
                await writer.drain()
        with suppress(OSError):
            writer.close()

    async def run(self, ready):
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        async with await asyncio.start_server(self._serve, "127.0.0.1", self.port):
            ready.set()
            await self._over.wait()

    def stop(self):
        self._loop.call_soon_threadsafe(self._over.set)


@contextmanager
def before(*servers):
    front, ready = Front([server.port for server in servers]), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(front.run(ready)), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield front
    finally:
        front.stop()
        thread.join(10)
