"""Python as JavaScript: what draws a table is written once, and drawn in a browser too.

`ScriptModule` begins with functions, classes and values as they are in this process, and follows them: what they use
comes along, all else stays behind. Functions are written from their source, values as they stand, so what a module
works out when it is imported is not worked out again. `runtime.mjs` has what Python has and JavaScript has not.

A part of Python that is not known is refused with its file and line when the script is written, never later.
"""

from samovar.wasm.script.reach import ScriptModule as ScriptModule
from samovar.wasm.script.refused import NoScript as NoScript
