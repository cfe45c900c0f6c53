"""The ways in which the same rules run: plain Python, Numba on the CPU, CUDA, WebAssembly."""
