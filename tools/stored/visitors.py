"""People with browsers without scripts, who fill in the forms of pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import httpx

from stored.version import Lacking


@dataclass
class Form:
    action: str
    fields: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)  # of its selections
    moves: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)  # what can be ticked for a move


class Forms(HTMLParser):
    """The forms of a page, filled in as they come."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._selection = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(Form(facts.get("action", "")))
        elif self.found and tag in ("input", "button", "select", "option"):
            getattr(self, f"_{tag}")(self.found[-1], facts)

    def _input(self, form: Form, facts: dict[str, str]) -> None:
        name, kind = facts.get("name", ""), facts.get("type")
        if kind == "checkbox" and name == "with":
            form.boxes.append(facts["value"])
        elif name and kind != "file" and (kind not in ("checkbox", "radio") or "checked" in facts):
            form.fields[name] = facts.get("value", "on")

    def _button(self, form: Form, facts: dict[str, str]) -> None:
        if facts.get("name") == "move":
            form.moves.append(facts["value"])

    def _select(self, form: Form, facts: dict[str, str]) -> None:
        self._selection = facts.get("name", "")
        form.choices[self._selection] = []

    def _option(self, form: Form, facts: dict[str, str]) -> None:
        value = facts.get("value", "")
        form.choices.setdefault(self._selection, []).append(value)
        if "selected" in facts or self._selection not in form.fields:
            form.fields[self._selection] = value


class Visitor:
    """Somebody with a browser without scripts."""

    def __init__(self, name: str, site: str) -> None:
        self.name = name
        self.client = httpx.Client(base_url=site, follow_redirects=True, timeout=60)
        self.client.headers["accept"] = "text/html"
        self.at = self.html = ""
        self.forms: list[Form] = []

    def go(self, address: str) -> Visitor:
        return self._see(self.client.get(address))

    def send(self, ending: str, **facts: Any) -> Visitor:
        """Sends the form whose address ends like this."""
        form = self.form(ending)
        return self._see(self.client.post(form.action, data={**form.fields, **facts}))

    def form(self, ending: str, **fields: str) -> Form:
        for form in self.forms:
            if form.action.endswith(ending) and fields.items() <= form.fields.items():
                return form
        raise Lacking(f"a form {ending}")

    def has(self, ending: str) -> bool:
        return any(form.action.endswith(ending) for form in self.forms)

    def _see(self, answer: httpx.Response) -> Visitor:
        if answer.status_code == httpx.codes.NOT_FOUND:
            raise Lacking(f"a page {answer.url.path}")
        if answer.is_error:
            raise RuntimeError(f"{answer.request.method} {answer.url}: {answer.status_code}\n{answer.text[-1500:]}")
        self.at, self.html, self.forms = answer.url.path, answer.text, Forms(answer.text).found
        return self

    @property
    def cookies(self) -> dict[str, str]:
        return dict(self.client.cookies)
