"""Canaries: `docs/inside.md` lists every place that leans on the inside of a library. When an upgrade takes such an
inside away, the test named after the library fails and says which place, before anything fails in a stranger way."""

from __future__ import annotations

import ctypes
import functools
import inspect
import re
import sys
import threading
from importlib.metadata import version
from pathlib import Path

import numba
import numpy as np
import pytest
from jinja2 import Environment, Template
from jinja2.compiler import CodeGenerator
from jinja2.runtime import Context, Macro
from jinja2.utils import missing
from litestar import Litestar, get
from litestar.dto import AbstractDTO
from litestar.handlers import HTTPRouteHandler
from litestar.middleware.csrf import CSRF_SECRET_LENGTH, generate_csrf_hash
from litestar.utils.scope.state import ScopeState
from uvicorn.protocols.http import httptools_impl
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

from samovar.engine.rule import TRIED_NUMBA, is_tried_numba, jit_cpu, jit_entry, rule
from support.documents import ROOT

PAGE = (ROOT / "docs" / "inside.md").read_text(encoding="utf-8")
SOURCE = ROOT / "src" / "samovar"
# What tells that a file leans on the inside of something: a name with an underscore of a library, or a module of
# its that has no documentation.
SIGNS = re.compile(
    r"numba\.core\.|numba\.np\.|numba_cuda_mlir\.(_mlir|lowering)|\._final_module|\._ary\b|_numba_cuda_redirector|"
    r"httptools_impl|uvicorn\.supervisors|litestar\.utils\.|litestar\.middleware\.csrf|AbstractDTO|parsed_fn_signature|"
    r"jinja2\.runtime|root_render_func|_lru_cache_wrapper|sys\._current_frames|pythonapi|co_code\b|get_call_template"
)


def leaning() -> set[str]:
    """The files that do."""
    return {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if SIGNS.search(path.read_text("utf-8"))}


def test_every_place_is_on_the_page_and_every_place_of_the_page_is_there() -> None:
    named = set(re.findall(r"^## `([\w/]+\.py)`", PAGE, re.MULTILINE))
    assert named == leaning(), "docs/inside.md has a heading for each of these files"


def named_in(owner: object, names: str) -> list[str]:
    """Those of the names that an object or the code of a class does not have."""
    code = inspect.getsource(owner)  # type: ignore[arg-type]
    return [name for name in names.split() if not hasattr(owner, name) and f"self.{name}" not in code]


# Numba


def test_numba_is_one_that_was_tried() -> None:
    """`engine/rule.py`: with another one compiling takes three times as long, and a step of a batch seven times."""
    assert is_tried_numba(), f"Numba is {version('numba')}, tried was {TRIED_NUMBA}*: go through docs/inside.md"


def test_numba_compiles_inner_rules_without_code_of_their_own() -> None:
    """`engine/ways/numba_inner.py`"""

    @rule
    def twice(number: int) -> int:
        return 2 * number

    inner = jit_cpu(twice)

    def entry(numbers: np.ndarray) -> int:  # type: ignore[type-arg]
        return inner(numbers[0])  # type: ignore[no-any-return]

    assert numba.njit(entry)(np.array([21])) == 42
    [compiled] = inner.overloads.values()
    assert type(compiled.library).__name__ == "InnerLibrary"
    assert compiled.library.get_pointer_to_function("twice") == 0
    assert str(compiled.library._final_module), "engine/ways/wasm.py takes the instructions from there"


@pytest.mark.parametrize("option", ["_nrt", "no_cfunc_wrapper", "forceinline"])
def test_numba_knows_the_options_without_documentation(option: str) -> None:
    """`engine/rule.py`"""
    from numba.core.cpu import CPUTargetOptions

    assert hasattr(CPUTargetOptions, option)


def test_numba_keeps_code_on_disk_under_a_key_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`engine/rule.py`: without it a change in another file would not be noticed, so nothing would be kept."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    from numba.core.caching import FunctionCache

    assert hasattr(FunctionCache, "_index_key")
    entry = jit_entry(lambda number: number + 1, "a key")
    assert type(entry._cache).__name__ == "KeyedCache"


# uvicorn


def test_uvicorn_has_a_protocol_to_stand_before() -> None:
    """`web/server/connections.py`"""
    protocol, cycle = httptools_impl.HttpToolsProtocol, httptools_impl.RequestResponseCycle
    wanted = "cycle pipeline parser transport connections headers expect_100_continue client loop"
    methods = "_unset_keepalive_if_required on_message_begin on_headers_complete on_body on_message_complete"
    assert named_in(protocol, f"{wanted} {methods} on_response_complete pause_writing resume_writing") == []
    assert named_in(cycle, "response_complete response_started keep_alive") == []
    assert httptools_impl.STATUS_LINE[408].startswith(b"HTTP/1.1 408 ")


def test_uvicorn_runs_several_processes_on_a_socket_of_ours() -> None:
    """`web/server/workers.py`"""
    assert {"config", "sockets"} <= inspect.signature(Multiprocess).parameters.keys()
    assert callable(Multiprocess.run)
    assert named_in(Process, "process parent_conn child_conn target start kill join exitcode _server") == []
    assert named_in(Multiprocess, "init_processes keep_subprocess_alive restart_all should_exit processes_num") == []


# Litestar


def test_litestar_lets_a_request_be_answered_without_its_router() -> None:
    """`web/server/shortcut.py`"""
    state = ScopeState.from_scope({"type": "http", "litestar_app": None, "state": {}})  # type: ignore[typeddict-item,arg-type]
    assert {"body", "csrf_token"} <= {*dir(state)}
    assert len(generate_csrf_hash(token="0" * CSRF_SECRET_LENGTH, secret="secret")) == 64
    assert hasattr(Litestar([], logging_config=None), "before_send")


def test_litestar_keeps_what_it_read_of_a_handler() -> None:
    """`web/app.py`: copies of a handler know its signature without reading it again."""

    @get("/")
    async def handler() -> None: ...

    assert isinstance(handler, HTTPRouteHandler)
    assert handler.parsed_fn_signature is not None


def test_litestar_reads_bodies_by_a_class_of_ours() -> None:
    """`web/api/api_problems.py`"""
    wanted = "create_for_field_definition create_openapi_schema is_supported_model_type_field decode_bytes"
    assert named_in(AbstractDTO, f"{wanted} generate_field_definitions detect_nested_field asgi_connection") == []


# Jinja


def test_jinja_calls_macros_as_we_do() -> None:
    """`web/drawing/render.py` and `quick.py`"""
    wanted = "environment func name arguments catch_kwargs catch_varargs caller"
    assert [*inspect.signature(Macro).parameters][:7] == wanted.split()
    assert [*inspect.signature(CodeGenerator.visit_Call).parameters] == ["self", "node", "frame", "forward_caller"]
    assert Environment.code_generator_class is CodeGenerator
    written = Environment().compile("{% macro one(a) %}{{ a.b }}{{ one(a) }}{% endmacro %}", raw=True)
    assert "Macro(environment, macro, 'one', ('a',), False, False, False, " in written
    assert "environment.getattr(l_1_a, 'b')" in written
    assert "context.call(" in written
    assert [*inspect.signature(Context.call).parameters][1] == "_Context__obj"
    assert {"shared", "locals"} <= inspect.signature(Template.new_context).parameters.keys()
    assert {"escape", "Macro"} <= {*Environment().from_string("").root_render_func.__globals__}
    assert [*inspect.signature(Template._get_default_module).parameters] == ["self", "ctx"]
    assert repr(missing) == "missing"


# CPython


def test_python_lets_a_thread_be_looked_at_and_stopped() -> None:
    """`engine/ways/watch.py`"""
    is_there, stopped = threading.Event(), []

    class Stop(BaseException):
        pass

    def run() -> None:
        try:
            while True:
                is_there.set()
        except Stop:
            stopped.append(True)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert is_there.wait(10)
    assert thread.ident in sys._current_frames()
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Stop))
    thread.join(10)
    assert stopped


def test_python_wraps_what_is_cached_in_a_class() -> None:
    """`web/drawing/render.py`; how names are read from its bytecode is in tests/engine/test_contract_defaults.py."""
    assert type(functools.cache(lambda: None)) is functools._lru_cache_wrapper
