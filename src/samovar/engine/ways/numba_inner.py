"""Compiling rules that only compiled code calls: as far as their callers need it, and no further.
Imported late, with Numba.

Numba optimises every function together with all that it calls and generates machine code for it,
and then does the same again for each caller. For an inner rule nobody runs that code: its caller
links the rule's instructions in and optimises all of them at once. Leaving it out gives the same
code in three fifths of the time.

This leans on the inside of Numba, so it is used with the versions it was tried with: see `rule.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numba.np.numpy_support import from_dtype


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The instructions of one rule and of what it calls, for linking alone."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """There is no code to point to."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> _WithoutEnvironment:
        return _WithoutEnvironment(self._codegen)


class _WithoutEnvironment:
    """Numba would write the address of a function's Python objects into its code. Rules have no
    objects, and inner ones no code."""

    def __init__(self, codegen: object) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> object:
        return getattr(self._codegen, name)

    def set_env(self, env_name: str, env: object) -> None:
        pass


def remember_types(context: Any) -> None:
    """What an operator makes of given types is asked for thousands of times in a game, and Numba tries all that it
    knows each time: remembering the answers takes a seventh off the time to compile."""
    if "resolve_function_type" in vars(context):
        return
    resolve, answers = context.resolve_function_type, dict[tuple[object, ...], Any]()

    def remembered(function: object, args: tuple[object, ...], keywords: dict[str, object]) -> Any:
        kind = context._lookup_global(function) or function
        if not isinstance(kind, types.Function):  # a rule, say, which is compiled when it is asked for
            return resolve(function, args, keywords)
        asked = (kind, *args, *keywords.items())  # where Numba learns more of an operator, its kind is another
        if asked in answers:
            return answers[asked]
        answer = resolve(function, args, keywords)
        if answer is not None and kind.get_impl_key(answer) is kind.typing_key:  # not what is compiled for each caller
            answers[asked] = answer
        return answer

    context.resolve_function_type = remembered


class InnerCompiler(Compiler):  # type: ignore[misc]
    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        remember_types(self.state.typingctx)
        self.state.library = InnerLibrary(self.state.targetctx.codegen(), "inner rule")


def array_at(dtype: np.dtype[Any]) -> Any:
    """For compiled code, `at(address, shape)`: what lies at an address as an array. Numba's own `carray` needs that
    references to arrays are counted."""
    kind = from_dtype(dtype)

    @intrinsic  # type: ignore[untyped-decorator]
    def at(_: Any, address: Any, shape: Any) -> Any:
        is_flat = not isinstance(shape, types.BaseTuple)
        array_type = types.Array(kind, 1 if is_flat else len(shape), "C")

        def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
            data, given = arguments
            word = context.get_value_type(types.intp)
            sizes = [given] if is_flat else cgutils.unpack_tuple(builder, given)
            sizes = [size if size.type == word else builder.sext(size, word) for size in sizes]
            item = context.get_constant(types.intp, dtype.itemsize)
            strides = [item]
            for size in reversed(sizes[1:]):
                strides.insert(0, builder.mul(strides[0], size))
            array = make_array(array_type)(context, builder)
            data = builder.bitcast(data, array.data.type)
            populate_array(array, data=data, shape=sizes, strides=strides, itemsize=item, meminfo=None)
            return array._getvalue()

        return array_type(address, shape), generate

    return at
