"""For how long a stream is silent while two instances on one PostgreSQL are restarted one after the other, and for how
long a table of bots stands still when the process that plays it is killed: python benchmarks/rolling.py"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

ROUNDS = 2
LIMIT = 120.0  # seconds for anything


def wait(holds: Callable[[], Any]) -> Any:
    end = time.monotonic() + LIMIT
    while not (found := holds()):
        if time.monotonic() > end:
            sys.exit("That does not happen.")
        time.sleep(0.02)
    return found


def measure_restarts(database: str) -> None:
    from support.evening import Evening, restart_one_after_the_other
    from support.front import before
    from support.servers import serving

    with (
        serving(None, "--database", database, "--proxy", "127.0.0.1") as one,
        serving(None, "--database", database, "--proxy", "127.0.0.1") as other,
        before(one, other) as front,
    ):
        for _ in range(ROUNDS):
            with Evening(front) as evening:
                restart_one_after_the_other(evening, (one, other), wait)
                acknowledged = evening.acknowledged
                wait(lambda evening=evening, acknowledged=acknowledged: evening.seen >= acknowledged)
                lost = max(0, acknowledged - evening.revision())
            print(
                f"restart: {acknowledged} moves, {lost} lost, {evening.streams} streams, "
                f"silent for {evening.longest_silence:.2f} s at most"
            )


def measure_deaths(database: str) -> None:
    """Two instances, so that the one that plays is known by its claim. The bots of the other have answered nothing."""
    import psycopg

    from support.servers import Server, call

    with psycopg.connect(database.replace("+psycopg", ""), autocommit=True) as connection:

        def first(statement: str, *values: object) -> Any:
            row = connection.execute(statement, values).fetchone()  # type: ignore[arg-type]
            return row[0] if row else None

        servers = {}
        for _ in range(2):
            known = set(servers)
            server = Server(None, None, "--database", database, SAMOVAR_BOT_PAUSE="0.6").start()
            rows = connection.execute("SELECT DISTINCT application_name FROM pg_stat_activity").fetchall()
            names = {row[0].removeprefix("samovar ") for row in rows if row[0].startswith("samovar ")}
            servers[(names - known).pop()] = server
        chairs = {"game": "babuschka", "seats": 2, "chairs": ["easy", "easy"]}
        player = next(iter(servers.values()))
        tables = [call(player, "/api/tables", chairs)["table"] for _ in range(3)]
        head = "SELECT head FROM tables WHERE id = %s"
        wait(lambda: all(first(head, table) > 5 for table in tables))
        owners = {table: first("SELECT owner FROM claims WHERE table_id = %s", table) for table in tables}
        dead = owners[tables[0]]
        stopped = [table for table, owner in owners.items() if owner == dead]
        os.kill(servers[dead].process.pid, signal.SIGKILL)
        began, before = time.monotonic(), {table: first(head, table) for table in stopped}
        for table in stopped:
            wait(lambda table=table: first(head, table) > before[table] or first(head, table) is None)
        print(f"death: {len(stopped)} tables of bots went on within {time.monotonic() - began:.2f} s")
        for server in servers.values():
            server.stop()


def main() -> None:
    from support.databases import postgresql

    with postgresql() as server:
        measure_restarts(server.new_database())
        for _ in range(ROUNDS):
            measure_deaths(server.new_database())
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
