"""The same evening at a site in a process of its own, on a port of this machine, that is killed in the
middle of what it does. Only what can be seen from outside is looked at: answers, keys, and the database."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from samovar.web.tables import clock
from support.servers import free_port

from .deeds import COPY, CRASH, RESTART
from .evening import Evening, Tally, failed, memory
from .houses import Answer, Complaints, Fault
from .ledger import Ledger

PATIENCE = 60.0  # seconds until a process answers, on a machine that has much else to do
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # the second one does the same on Windows
KILLS = 0.015  # of all steps
TESTS = Path(__file__).parents[2]


class KilledHouse:
    """A site in another process. It is told from outside what happens to it."""

    def __init__(self, folder, seed):
        self.first_link = "nothing"  # nobody here is an owner: the link is only told where the site is started
        self.path = Path(folder) / "samovar.db"
        self.port, self.ahead, self.process = free_port(), 0, None
        self.draws = random.Random(f"kills {seed}")
        self.complaints, self.touched = Complaints(), set()
        self._said = Path(folder) / "stderr"

    @property
    def now(self):
        return clock.now() + self.ahead

    async def open(self):
        facts = (str(self.path.parent), str(self.port), str(self.ahead))
        command = [sys.executable, "-m", "support.hostile.server", *facts]
        environment = {**os.environ, "PYTHONPATH": str(TESTS), "SAMOVAR_PLAIN": "1"}
        with self._said.open("ab") as said:
            self.process = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
        async with asyncio.timeout(PATIENCE):
            while (await self.ask("GET", "/health")).status != 200:
                if self.process.poll() is not None:
                    raise Fault(f"server: it does not start: {self._said.read_text()[-2000:]}")
                await asyncio.sleep(0.05)

    async def kill(self, sign=KILL):
        self.process.send_signal(sign)
        await asyncio.to_thread(self.process.wait, PATIENCE)
        if "ERROR" in (said := self._said.read_text()) or "Traceback" in said:
            self.complaints.heard.append(said[-2000:])

    async def close(self):
        if self.process is not None and self.process.poll() is None:
            await self.kill(signal.SIGINT)

    async def settle(self):
        """Bots play when they like."""

    async def ask(self, method, address, headers=(), body=b"", *, first_only=False):
        """One request; an answer without a status where the process was killed meanwhile."""
        lines = [f"{method} {address} HTTP/1.1".encode(), b"host: samovar.test", b"connection: close"]
        lines += [b"%s: %s" % pair for pair in headers]
        lines += [b"content-length: %d" % len(body), b"", body]
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**22)
        except OSError:
            return Answer()
        try:
            writer.write(b"\r\n".join(lines))
            head = await reader.readuntil(b"\r\n\r\n")
            first, *told = head[:-4].split(b"\r\n")
            pairs = [tuple(line.split(b": ", 1)) for line in told]
            body = await (reader.read(2**16) if first_only else reader.read())
            return Answer(int(first.split()[1]), [(name.lower(), value) for name, value in pairs], body)
        except (OSError, asyncio.IncompleteReadError):
            return Answer()
        finally:
            writer.close()


class KilledEvening(Evening):
    """Where the process is killed, while somebody asks for something."""

    async def step(self):
        if self.choose.random() > KILLS:
            return await super().step()
        self.last.append(CRASH)
        await self._happen(CRASH)
        return await self._look()

    async def _happen(self, name):
        if name in (RESTART, CRASH):
            self.house.ahead += self.choose.choice((0, 2_000, 500_000))
            await (self._kill() if name == CRASH else self.house.kill(signal.SIGINT))
            await self.house.open()
            self.check_kept()
            self.tally.looks["restarts" if name == RESTART else "kills"] += 1
        elif name == COPY:
            await super()._happen(name)

    async def _kill(self):
        """In the middle of some requests, of which nobody knows whether they are done."""
        asked = [request for row in self.choose.sample(self.rows, 8) if (request := row.how(self)) is not None]
        asked = [one for one in asked if not (one.gives_up or one.spends or one.cuts or one.forgets or one.first_only)]
        asking = [asyncio.create_task(self.house.ask(one.method, one.address, one.headers, one.body)) for one in asked]
        await asyncio.sleep(self.house.draws.random() * 0.03)
        await self.house.kill()
        await asyncio.gather(*asking)

    def check_kept(self):
        """All that was ever seen in a log is still there, and a new reader folds it to the same tables."""
        again = Ledger(self.house.path)
        try:
            again.read(again.heads())
            for table_id, lines in self.ledger.lines.items():
                if again.lines[table_id][: len(lines)] != lines:
                    raise Fault(f"log: table {table_id} has lost what was written there")
        finally:
            again.close()

    async def _look(self):
        if self.house.complaints.heard:
            raise Fault(f"server: it complains: {self.house.complaints.heard[0]}")
        with self.ledger.at_once():
            heads = self.ledger.heads()
            new = [table_id for table_id, head in heads.items() if head >= len(self.ledger.lines[table_id])]
            self.ledger.read(new)
            for table_id in new:
                if table_id in self.ledger.tables:
                    self._check_table(table_id)

    def in_memory(self, table_id):
        return None

    async def _compare_worlds(self):
        """They are another process's."""

    async def finish(self):
        await self.house.kill()
        await self.house.open()
        self.check_kept()
        await self._look()
        self.tally.kinds += self.ledger.kinds


async def spend_killing(seed, deeds, tally: Tally, until=None):
    """One evening at a site that is killed."""
    with tempfile.TemporaryDirectory(dir=memory()) as folder:
        house = KilledHouse(folder, seed)
        await house.open()
        evening = KilledEvening(house, f"killing {seed}", tally)
        try:
            await evening.spend(deeds, until)
        except Exception as error:
            raise failed(evening, f"killing {seed}", error) from error
        finally:
            evening.ledger.close()
            await house.close()
