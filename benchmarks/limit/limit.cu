/* The matches of some seeds, one for each thread of a GPU. The state of a match lies in the fast memory of its block
   while it is played. */
#define THREADS 128
#define STRIDE (4 * THREADS)
#define WORDS 2 /* one block of the generator: registers are dear */
#include "memoarrrr.h"

#define STATE_WORDS (STATE_BYTES / 4)

static __global__ void play_one(uint4 *states, int64_t *lengths, const int64_t *seeds, int64_t matches, Options options) {
    __shared__ uint32_t words[STATE_WORDS * THREADS];
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= matches) return;
    uint32_t *own = words + threadIdx.x;
    lengths[i] = deal_and_play((Match)own, options, seeds[i]);
    for (int k = 0; k < STATE_WORDS; k += 4)
        states[(i * STATE_WORDS + k) / 4] = make_uint4(
            own[k * THREADS], own[(k + 1) * THREADS], own[(k + 2) * THREADS], own[(k + 3) * THREADS]);
}

/* All arrays lie in the memory of the GPU; returns when it is done, 0 or the number of an error. */
extern "C" int play_matches(uint4 *states, int64_t *lengths, const int64_t *seeds, int64_t matches,
                            const Options *options) {
    play_one<<<(unsigned)((matches + THREADS - 1) / THREADS), THREADS>>>(states, lengths, seeds, matches, *options);
    cudaError_t launched = cudaGetLastError();
    return launched != cudaSuccess ? launched : cudaDeviceSynchronize();
}
