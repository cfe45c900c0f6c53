"""What a site says of itself while it runs: one line each, on standard error.

At *info* and above no line names a person or where they come from; keys and invitations are in none."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
import traceback
from asyncio import CancelledError

from samovar import processes
from samovar.web.figures import LEVELS, LOG_LINES


class PlainLine(logging.Formatter):
    """When, how serious, which process, and what."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{moment(record)} {record.levelname.lower()} {record.process} {in_one_line(record)}"


class JsonLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": moment(record),
            "level": record.levelname.lower(),
            "process": record.process,
            "logger": record.name,
            "message": record.getMessage(),
        }
        return json.dumps(told | ({"exception": exception_of(record)} if record.exc_info else {}), ensure_ascii=False)


class Told(logging.Handler):
    """Counts the lines."""

    def emit(self, record: logging.LogRecord) -> None:
        level = record.levelname.lower()
        LOG_LINES.add(1, level if level in LEVELS else "info")


FORMATS = {"text": PlainLine, "json": JsonLine}


def begin(level: str, form: str) -> None:
    """For this process. Warnings are counted, and shown to the owner of the site, at every level."""
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(FORMATS[form]())
    lines.setLevel(level.upper())
    logging.basicConfig(level=logging.WARNING, handlers=[lines, Told()], force=True)
    logging.getLogger("samovar").setLevel(min(logging.WARNING, lines.level))
    logging.getLogger("uvicorn.error").addFilter(is_news)
    logging.captureWarnings(True)
    hear_others()


def hear_others() -> None:
    """What processes of bots and the like write on their standard error becomes a line of this one."""
    if processes.errors_to is None:
        reading, processes.errors_to = os.pipe()
        threading.Thread(target=_tell_lines, args=(reading,), daemon=True).start()


def _tell_lines(reading: int) -> None:
    log = logging.getLogger(processes.__name__)
    with open(reading, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.strip():
                log.warning("%s", line.strip())


def is_news(record: logging.LogRecord) -> bool:
    """A site that ends cuts off the streams that are open. uvicorn calls that an error."""
    is_cut = record.exc_info is not None and isinstance(record.exc_info[1], CancelledError)
    return not is_cut and not str(record.msg).startswith("Cancel %s running task(s)")


def moment(record: logging.LogRecord) -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z"


def in_one_line(record: logging.LogRecord) -> str:
    told = [record.getMessage(), *([exception_of(record)] if record.exc_info else [])]
    return " | ".join(line.strip() for text in told for line in text.splitlines() if line.strip())


def exception_of(record: logging.LogRecord) -> str:
    return "".join(traceback.format_exception(*record.exc_info)).rstrip() if record.exc_info else ""
