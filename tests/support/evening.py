"""A match that goes on while the instances of its site are restarted one after the other: who plays it, who watches
it, and how long a stream was silent at most."""

import json
import random
import threading
import time
import urllib.error
import urllib.request
from http.client import HTTPException

from support.servers import call

AGAIN_SECONDS = 0.1  # until the next try: pages wait for half a second to one and a half
PACE_SECONDS = 0.25  # between two moves
LOST = (OSError, ValueError, HTTPException)


class Evening:
    def __init__(self, front):
        self._front = front
        made = self._patiently(lambda: self._made())
        self.table, self._tokens = made["table"], made["tokens"]
        self.acknowledged = 0  # moves of which the site has said that they are made
        self.seen = 0  # of which the stream has told
        self.longest_silence, self.streams = 0.0, 0
        self._choose = random.Random(1)
        self.strange = []  # answers that nobody should get
        self._over = threading.Event()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._play, self._watch)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._threads[0].join(30)  # the stream ends with the site

    def revision(self):
        return self._patiently(lambda: call(self._front, f"/api/tables/{self.table}")["revision"])

    def _made(self):
        chairs = {"game": "babuschka", "seats": 4, "chairs": ["token"] * 4, "options": {"first": 0}}
        return call(self._front, "/api/tables", chairs)

    def _patiently(self, ask):
        while True:
            try:
                return ask()
            except LOST:
                time.sleep(AGAIN_SECONDS)

    def _play(self):
        """Move after move; one that was lost on the way is tried again, and may turn out to be made."""
        while not self._over.is_set():
            try:
                looked = call(self._front, f"/api/tables/{self.table}")
                seat = looked["actors"][0]
                path, token = f"/api/tables/{self.table}/moves", self._tokens[seat]
                move = self._choose.choice(call(self._front, path, token=token)["legal"])["move"]
                told = call(self._front, path, {"move": move, "revision": looked["revision"]}, token)
                self.acknowledged = told["revision"]
                assert not told["over"], "moves by chance hardly ever bring all pieces across"
                time.sleep(PACE_SECONDS)
            except urllib.error.HTTPError as error:
                if error.code not in (409, 502, 503):
                    self.strange.append(f"{error.code} {error.read()!r}")
                    return
                error.close()
                time.sleep(AGAIN_SECONDS)
            except LOST:
                time.sleep(AGAIN_SECONDS)

    def _watch(self):
        last = time.monotonic()
        while not self._over.is_set():
            try:
                address = f"{self._front.address}/api/tables/{self.table}/events"
                with urllib.request.urlopen(address, timeout=20) as stream:
                    self.streams += 1
                    while (line := stream.readline()) and not self._over.is_set():
                        self.longest_silence = max(self.longest_silence, time.monotonic() - last)
                        last = time.monotonic()
                        if line.strip():
                            self.seen = json.loads(line)["revision"]
            except LOST:
                time.sleep(AGAIN_SECONDS)


def restart_one_after_the_other(evening, servers, wait):
    """Each when something has happened since the one before is back; `wait` says when that is so."""
    for server in servers:
        before = evening.acknowledged
        wait(lambda before=before: evening.acknowledged > before + 2 and evening.seen > before)
        server.stop()
        server.start()
    before = evening.acknowledged
    wait(lambda: evening.acknowledged > before + 2)
