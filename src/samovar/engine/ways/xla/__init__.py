"""Operations that XLA calls: what JAX compiles calls them without Python in between.

XLA calls a C function, a *handler*, with one pointer, to a *frame*: it says where the arrays are, and how many matches
there are. An `XlaCall` says which of these arrays an operation takes, and which are the same in every call. Both become
a row of *words*, each of 64 bits: this is how Numba hands over arrays, on a CPU and on a GPU. On a CPU the compiled
loop is called with the words themselves, on threads of XLA's; on a GPU a kernel is launched with a list of where they
are.
"""
