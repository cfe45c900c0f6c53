"""The processes of a site: one that answers requests itself, or one that keeps several of them alive."""

from __future__ import annotations

import errno
import logging
import os
import socket
import sys
import time

import uvicorn
from uvicorn.config import STARTUP_FAILURE, Config
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from samovar.errors import StoreError
from samovar.web import figures

SILENT_SECONDS = 30  # of one process of several, after which it is replaced
STARTING_SECONDS = 300  # until its first word: replaced sooner, a busy machine would never get one started
PORT_TAKEN = STARTUP_FAILURE + 1  # how a process ends that cannot listen

log = logging.getLogger("samovar.web")


class ListeningServer(uvicorn.Server):
    """Answers requests, in this process."""

    is_listening = False  # `started` becomes true before that is known

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """uvloop says nothing when another one listens already, and closes the socket."""
        copies = [each.dup() for each in sockets or ()]
        await super().startup(sockets)
        is_heard = all(copy.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) for copy in copies)
        for copy in copies:
            copy.close()
        if not is_heard:
            await self.shutdown()
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
        self.is_listening = True


class SiteProcess(Process):
    """One process of several. There is always one question under way to it, and nobody waits for the answer."""

    _server: ListeningServer
    has_been_there = False

    def start(self) -> None:
        super().start()
        self.parent_conn.send(b"ping")
        # The other end of the pipe belongs to that process alone: so it ends with it.
        self.child_conn.close()
        self._until = time.monotonic() + STARTING_SECONDS

    def is_alive(self, timeout: float = 0) -> bool:
        try:
            if self.parent_conn.poll(timeout):
                self.has_been_there |= self.parent_conn.recv()
                self.parent_conn.send(b"ping")
                self._until = time.monotonic() + SILENT_SECONDS
        except (OSError, EOFError):
            return False
        return self.process.is_alive() and time.monotonic() < self._until

    def pong(self) -> None:
        self.child_conn.recv()
        self.child_conn.send(self._server.is_listening)

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        """What it does."""
        self._server = ListeningServer(self.config)
        try:
            super().target(sockets)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            sys.exit(PORT_TAKEN)


class Workers(Multiprocess):
    """The processes of a site. One that ends is replaced, and that is told. A site that never comes up ends; one that
    was there goes on trying: its database may be away for a moment."""

    failure: Exception | None = None

    def init_processes(self) -> None:
        self._has_been_there = False
        self.processes: list[SiteProcess] = [self._begin() for _ in range(self.processes_num)]  # type: ignore[assignment]

    def keep_subprocess_alive(self) -> None:
        lives = [process.is_alive() for process in self.processes]
        self._has_been_there |= any(process.has_been_there for process in self.processes)
        for place, process in enumerate(self.processes):
            if lives[place]:
                continue
            process.kill()
            process.join()
            if process.exitcode in FAILURES and not self._has_been_there:
                self.failure = FAILURES[process.exitcode]
                for other in self.processes:  # nobody has come to any of them; one that is just starting may not hear
                    other.kill()
                self.should_exit.set()
                return
            figures.DEATHS.add()
            code = process.exitcode or 0
            how = f"by signal {-code}" if code < 0 else f"with status {code}"
            log.error("process %s of the site has ended (%s), another one takes its place", process.pid, how)
            self.processes[place] = self._begin()

    def restart_all(self) -> None:
        """Not by a signal: two instances are restarted one after the other instead (docs/host/watch.md)."""

    def handle_ttin(self) -> None:
        """As many processes as were asked for at the start."""

    handle_ttou = handle_ttin

    def _begin(self) -> SiteProcess:
        process = SiteProcess(self.config, self.sockets)
        process.start()
        return process


FAILURES = {
    STARTUP_FAILURE: StoreError("The processes of the site cannot start. The lines above say why."),
    PORT_TAKEN: OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE)),
}


def run_alone(config: Config, listening: socket.socket) -> None:
    ListeningServer(config).run(sockets=[listening])


def run_several(config: Config, listening: socket.socket) -> None:
    workers = Workers(config, [listening])
    workers.run()
    if workers.failure:
        raise workers.failure
