/* The matches of some seeds, one after another on one core. */
#include "memoarrrr.h"

void play_matches(uint8_t *states, int64_t *lengths, const int64_t *seeds, int64_t matches, const Options *options) {
    Options chosen = *options;
    for (int64_t i = 0; i < matches; i++)
        lengths[i] = deal_and_play(states + i * STATE_BYTES, chosen, seeds[i]);
}
