"""Models that are asked for a move by a text and answer with a text: a program, or an address that understands the
chat completions of OpenAI, as most servers of models do."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
import urllib.error
import urllib.request
from typing import Any, NamedTuple, Protocol

from samovar.errors import ModelFailed

KEY = "SAMOVAR_MODEL_KEY"  # in the environment: everybody can see a command
OTHER_KEY = "OPENAI_API_KEY"
TRIES = 4  # of an address that is busy
BUSY = (408, 429, 500, 502, 503, 504)
LONGEST_REST = 60.0  # seconds between two tries
SHOWN = 300  # characters of what went wrong


class ModelAnswer(NamedTuple):
    text: str
    read: int = 0  # tokens, as far as the model says
    written: int = 0


class AskedModel(Protocol):
    def ask(self, rules: str, question: str) -> ModelAnswer:
        """`rules` are the same at each move of a game, so that a server can keep what it made of them."""
        ...


class CommandModel:
    """A program, started for each question: it reads all on its standard input, and writes an answer."""

    def __init__(self, command: str, seconds: float) -> None:
        try:
            self._command = shlex.split(command)
        except ValueError as error:
            raise ModelFailed(f"The command {command!r} cannot be read: {error}.") from error
        if not self._command:
            raise ModelFailed("Name a program or an address with --model.")
        self._seconds = seconds

    def ask(self, rules: str, question: str) -> ModelAnswer:
        program = self._command[0]
        try:
            done = subprocess.run(
                self._command,
                input=f"{rules}\n\n{question}",
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=self._seconds,
            )
        except OSError as error:
            raise ModelFailed(f"The program {program!r} cannot be started: {error.strerror}.") from error
        except subprocess.TimeoutExpired as error:
            raise ModelFailed(
                f"The program {program!r} did not answer within {self._seconds:g} s. Give it more with --move-limit."
            ) from error
        if done.returncode:
            raise ModelFailed(f"The program {program!r} ended with {done.returncode}: {done.stderr.strip()[-SHOWN:]}")
        return ModelAnswer(done.stdout)


class ServedModel:
    """A model at an address, such as http://localhost:11434/v1."""

    def __init__(self, url: str, name: str, seconds: float) -> None:
        self._url = url.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
        self._name, self._seconds = name, seconds

    def ask(self, rules: str, question: str) -> ModelAnswer:
        messages = [{"role": "system", "content": rules}, {"role": "user", "content": question}]
        answer = self._post(json.dumps({"model": self._name, "messages": messages}).encode())
        try:
            text, usage = answer["choices"][0]["message"]["content"], answer.get("usage") or {}
            return ModelAnswer(text or "", int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0)))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ModelFailed(
                f"{self._url} answers otherwise than chat completions do: {str(answer)[:SHOWN]}"
            ) from error

    def _post(self, body: bytes) -> Any:
        for attempt in range(1, TRIES + 1):
            try:
                with urllib.request.urlopen(self._request(body), timeout=self._seconds) as response:
                    return json.load(response)
            except urllib.error.HTTPError as error:
                said = error.read(SHOWN).decode(errors="replace")
                if error.code not in BUSY or attempt == TRIES:
                    raise ModelFailed(f"{self._url} answers {error.code}: {said}{self._remedy(error.code)}") from error
                time.sleep(rest_before(attempt, error.headers.get("Retry-After", "")))
            except (OSError, ValueError) as error:
                raise ModelFailed(f"{self._url} cannot be asked: {getattr(error, 'reason', error)}.") from error
        raise AssertionError("the last try has returned or raised")

    def _request(self, body: bytes) -> urllib.request.Request:
        key = os.environ.get(KEY) or os.environ.get(OTHER_KEY)
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        return urllib.request.Request(self._url, body, headers)

    def _remedy(self, status: int) -> str:
        if status in (401, 403):
            return f" Put your key into {KEY}."
        return " Name a model that is there with --model-name." if status in (400, 404) else ""


def rest_before(attempt: int, asked: str) -> float:
    """As long as the server asks for, else longer after each try."""
    return min(float(asked) if asked.isdecimal() else 2.0**attempt, LONGEST_REST)


def model_at(place: str, name: str, seconds: float) -> AskedModel:
    """An address, or a command."""
    is_address = place.startswith(("http://", "https://"))
    return ServedModel(place, name, seconds) if is_address else CommandModel(place, seconds)
