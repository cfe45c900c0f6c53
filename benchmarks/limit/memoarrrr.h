/* A random match of Memoarrrr!, dealt and played to its end, written by hand for speed.

   One source for C (limit.c) and CUDA (limit.cu). It makes the bytes that the rules in
   src/samovar/games/memoarrrr make; measure.py compares them. What it does otherwise:

   - a match is dealt and played in one go, with all that changes from move to move in registers;
   - no list of legal moves: the n-th place of a set of bits is found at once;
   - no branch on what chance decides: what happens only sometimes is computed always, and kept if it happened;
   - the last move is noted once, at the end, and not after every move;
   - random words come by the block of many, which a CPU computes side by side. */
#ifndef MEMOARRRR_H
#define MEMOARRRR_H

#include <stdint.h>

#ifdef __CUDACC__
#define RULE static __device__ __forceinline__
#else
#define RULE static inline __attribute__((always_inline))
#endif

typedef struct {
    int32_t seats, expert, ordered_stack, first_reveal_ability, first;
} Options;

/* Where the fields of a state begin, in bytes: see games/memoarrrr/state.py. */
enum {
    UP = 0,
    SHOWN = 4,
    PEEKED = 8,
    LOOK = 24,
    CARD = 40,
    VOLCANO = 65,
    TREASURE = 86,
    TAKER = 93,
    OWNER = 114,
    LOOKER = 121,
    SEATS = 125,
    EXPERT,
    ORDERED_STACK,
    FIRST_REVEAL_ABILITY,
    PHASE,
    ROUND,
    STARTER,
    TURN,
    OUT,
    TAKEN,
    LAST,
    BLOCKED,
    DID_SEAT,
    DID_MOVE,
    DID_FROM,
    DID_RESULT,
    DID_STUCK,
    DID_ROUND,
    DID_TAKEN,
    STATE_BYTES
};

enum { PLACES = 25, ROUNDS = 7, MAX_SEATS = 4, MAX_VOLCANOES = 3, SIDES = 4 };
enum { PENGUIN, OCTOPUS, WALRUS, CRAB };
enum { REVEALS = 1, PEEKS, SWAPS, BLOCKS, IS_OVER };
enum { NO_REVEAL, OPENED, CONNECTED, FAILED };
enum { NOT_STUCK, ALL_REVEALED, ONLY_BLOCKED };
enum { REVEAL_MOVE = 0, PEEK_MOVE = 29, BLOCK_MOVE = 54, SWAP_MOVE = 79 };
#define ISLAND 0x1FFEFFFu /* all places but the centre */
#define FIRST_COLUMN 0x108421u
#define FIRST_ROW 0x1Fu
#define ALL_CARDS 0xFFFFFFFFu /* what connects with the first location of a round */

/* A state, byte by byte. STRIDE says how many bytes two words of it are apart: in the fast memory of a GPU the same
   words of neighbouring threads lie side by side, so that threads never wait for each other's. */
#ifndef STRIDE
#define STRIDE 4
#endif
typedef uint8_t *Match;

RULE int8_t *byte_at(Match match, unsigned offset) { return (int8_t *)match + (offset / 4 * STRIDE + offset % 4); }
RULE uint32_t *word_at(Match match, unsigned offset) { return (uint32_t *)(match + offset / 4 * STRIDE); }

/* Sets of places. */

#ifdef __CUDACC__
RULE unsigned count(uint32_t set) { return __popc(set); }
RULE unsigned lowest(uint32_t set) { return __ffs(set) - 1; }
#else
RULE unsigned count(uint32_t set) { return __builtin_popcount(set); }
RULE unsigned lowest(uint32_t set) { return __builtin_ctz(set); }
#endif

#if defined(__BMI2__) && !defined(__CUDACC__)
#include <immintrin.h>
RULE unsigned nth(uint32_t set, unsigned n) { return lowest(_pdep_u32(1u << n, set)); }
#else
/* By halves: is it in the lower one? */
RULE unsigned nth(uint32_t set, unsigned n) {
    unsigned at = 0;
#ifdef __CUDACC__
#pragma unroll
#endif
    for (unsigned half = 16; half != 0; half /= 2) {
        unsigned below = count(set >> at & ((1u << half) - 1));
        unsigned above = n >= below;
        n -= above ? below : 0;
        at += above ? half : 0;
    }
    return at;
}
#endif

/* Chance: Philox 2x32 with ten rounds, as in engine/chance.py. */

#ifndef WORDS
#define WORDS 32 /* of so many at a time: the blocks of a CPU's vectors */
#endif

typedef struct {
    uint32_t key, stream, number;
    uint32_t even[WORDS / 2], odd[WORDS / 2]; /* the words of the blocks at hand */
} Rng;

RULE void seed_rng(Rng *rng, int64_t seed, uint32_t stream) {
    rng->key = (uint32_t)seed;
    rng->stream = (uint32_t)(seed >> 32) ^ stream * 0x9E3779B9u;
    rng->number = 0;
}

RULE void fill(Rng *rng) {
    uint32_t key = rng->key;
    for (int i = 0; i < WORDS / 2; i++) {
        rng->even[i] = rng->number / 2 + i;
        rng->odd[i] = rng->stream;
    }
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < WORDS / 2; i++) {
            uint64_t product = (uint64_t)rng->even[i] * 0xD256D193u;
            rng->even[i] = (uint32_t)(product >> 32) ^ key ^ rng->odd[i];
            rng->odd[i] = (uint32_t)product;
        }
        key += 0x9E3779B9u;
    }
}

RULE unsigned below(Rng *rng, unsigned n) {
    unsigned at = rng->number % WORDS;
    if (at == 0) fill(rng);
    rng->number++;
    uint32_t word = at % 2 ? rng->odd[at / 2] : rng->even[at / 2];
    return (unsigned)((uint64_t)word * n >> 32);
}

/* The deal. */

typedef struct {
    unsigned starter;
    unsigned sevens; /* by round, two bits: which volcano has the most birds, 0 is the top one */
} Dealt;

RULE unsigned swapped(unsigned row, unsigned width, unsigned one, unsigned other) {
    /* a row of small numbers, so many bits each, with two of them exchanged */
    unsigned differ = (row >> width * one ^ row >> width * other) & ((1u << width) - 1);
    return row ^ (differ << width * one | differ << width * other);
}

RULE Dealt deal(Match match, Options options, Rng *rng) {
    Dealt dealt = {0, 0};
    for (int k = 0; k < 2 * MAX_SEATS; k++) *word_at(match, PEEKED + 4 * k) = 0;
    for (int offset = TAKER - 1; offset < SEATS; offset += 4) *word_at(match, offset) = 0xFFFFFFFFu;

    unsigned drawn = below(rng, options.seats);
    dealt.starter = options.first >= 0 ? (unsigned)options.first : drawn;

    for (int card = 0; card < PLACES; card++) *byte_at(match, CARD + card) = card;
    for (int last = PLACES - 1; last > 0; last--) {
        unsigned other = below(rng, last + 1);
        int8_t card = *byte_at(match, CARD + last);
        *byte_at(match, CARD + last) = *byte_at(match, CARD + other);
        *byte_at(match, CARD + other) = card;
    }

    int volcanoes = options.seats - 1;
    unsigned birds = 0x070301u >> 8 * (MAX_VOLCANOES - volcanoes);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned row = birds;
        for (int k = volcanoes - 1; k > 0; k--) row = swapped(row, 8, k, below(rng, k + 1));
        for (int k = 0; k < MAX_VOLCANOES; k++) *byte_at(match, VOLCANO + MAX_VOLCANOES * round + k) = row >> 8 * k;
        dealt.sevens |= lowest(row & 0x040404u) / 8 << 2 * round; /* of 1, 3 and 7 only 7 has that bit */
    }

    unsigned rubies = 0x4322211u;
    if (!options.ordered_stack)
        for (int k = ROUNDS - 1; k > 0; k--) rubies = swapped(rubies, 4, k, below(rng, k + 1));
    for (int k = 0; k < ROUNDS; k++) *byte_at(match, TREASURE + k) = rubies >> 4 * k & 15;
    return dealt;
}

/* Play. */

RULE uint32_t middles(unsigned side) {
    /* north and south lie 20 places apart, east and west 4 */
    return side % 2 ? 0x8420u << (side == 1 ? 4 : 0) : 0xEu << (side == 0 ? 20 : 0);
}

RULE uint32_t neighbours(unsigned place) {
    uint32_t here = 1u << place;
    uint32_t beside = (here << 1 & ~FIRST_COLUMN) | (here >> 1 & ~(FIRST_COLUMN << 4)) | here << 5 | here >> 5;
    return beside & ISLAND;
}

RULE uint32_t connected(unsigned card) {
    /* the cards of its animal and of its landscape */
    unsigned animal = card / 5, landscape = card % 5;
    return FIRST_ROW << 5 * animal | FIRST_COLUMN << landscape;
}

RULE unsigned after(unsigned seat, unsigned playing, unsigned seats) {
    /* clockwise, the next of a set of seats */
    unsigned next = seat + 1 + lowest((playing | playing << seats) >> (seat + 1));
    return next < seats ? next : next - seats;
}

RULE uint32_t exchanged(uint32_t set, unsigned a, unsigned b) {
    uint32_t differ = (set >> a ^ set >> b) & 1;
    return set ^ (differ << a | differ << b);
}

RULE int64_t play(Match match, Options options, int is_expert, Dealt dealt, Rng *rng) {
    unsigned seats = options.seats, volcanoes = seats - 1, all = (1u << seats) - 1;
    unsigned starter = dealt.starter, turn = starter;
    int64_t moves = seats;

    uint32_t barred = 0; /* from the very first reveal */
    for (unsigned k = 0, free = 15; k < seats; k++) {
        unsigned side = nth(free, below(rng, SIDES - k));
        free ^= 1u << side;
        *byte_at(match, LOOKER + side) = turn;
        *word_at(match, LOOK + 4 * turn) = *word_at(match, PEEKED + 4 * turn) = middles(side);
        barred |= middles(side);
        turn = turn + 1 < seats ? turn + 1 : 0;
    }

    uint32_t up = 0, shown = 0, closed = barred, blocked = 0, friends = ALL_CARDS;
    unsigned round = 0, out = 0, taken = 0, last = 0, phase = REVEALS, heir = 0;
    /* of the last move: */
    unsigned seat, place, asked, taken_before, result, stuck;
    int from;
    for (;;) {
        seat = turn, asked = phase, taken_before = taken;
        result = NO_REVEAL, stuck = NOT_STUCK, from = -1;
        uint32_t choices = ISLAND & ~(closed | blocked);
        if (is_expert && asked != REVEALS) choices = asked == SWAPS ? neighbours(last) : ISLAND & ~up;
        place = nth(choices, below(rng, count(choices)));
        *word_at(match, LOOK + 4 * seat) = 0;
        moves++;

        unsigned passes = 1, then_blocked = 0;
        if (!is_expert || asked == REVEALS) {
            unsigned card = *byte_at(match, CARD + place);
            unsigned opens = friends == ALL_CARDS, fails = ~(friends >> card) & 1;
            up |= 1u << place;
            shown |= 1u << place;
            closed = up;
            last = place;
            friends = connected(card);
            result = fails ? FAILED : opens ? OPENED : CONNECTED;
            /* Where nobody takes it, nobody is written once more. */
            *byte_at(match, TAKER + MAX_VOLCANOES * round + taken) = fails ? (int)seat : -1;
            heir = fails && taken == (dealt.sevens >> 2 * round & 3) ? seat : heir;
            taken += fails;
            out |= fails << seat;
            if (is_expert && !fails && (!opens || options.first_reveal_ability)) {
                unsigned animal = card / 5, are_left = (ISLAND & ~up) != 0;
                passes = animal != CRAB;
                phase = animal == OCTOPUS              ? SWAPS
                        : animal == PENGUIN && are_left ? PEEKS
                        : animal == WALRUS && are_left  ? BLOCKS
                                                        : REVEALS;
                if (phase != REVEALS) continue;
            }
        } else if (asked == PEEKS) {
            *word_at(match, LOOK + 4 * seat) = 1u << place;
            *word_at(match, PEEKED + 4 * seat) |= 1u << place;
        } else if (asked == BLOCKS) {
            then_blocked = 1u << place;
        } else {
            int8_t card = *byte_at(match, CARD + place);
            *byte_at(match, CARD + place) = *byte_at(match, CARD + last);
            *byte_at(match, CARD + last) = card;
            up = closed = exchanged(up, last, place);
            shown = exchanged(shown, last, place);
            for (unsigned k = 0; k < seats; k++) {
                *word_at(match, PEEKED + 4 * k) = exchanged(*word_at(match, PEEKED + 4 * k), last, place);
                *word_at(match, LOOK + 4 * k) &= ~(1u << last | 1u << place);
            }
            from = last;
            last = place;
        }

        phase = REVEALS;
        if (passes) {
            blocked = then_blocked;
            turn = after(turn, all & ~out, seats);
        }
        while (taken < volcanoes && (ISLAND & ~(up | blocked)) == 0) {
            stuck = blocked ? ONLY_BLOCKED : ALL_REVEALED;
            blocked = 0;
            *byte_at(match, TAKER + MAX_VOLCANOES * round + taken) = turn;
            heir = taken == (dealt.sevens >> 2 * round & 3) ? turn : heir;
            taken++;
            out |= 1u << turn;
            turn = after(turn, all & ~out, seats);
        }
        /* Whose turn it is when the round ends owns the treasure; until then another turn will be written here. */
        *byte_at(match, OWNER + round) = turn;
        unsigned ends = taken == volcanoes;
        if (ends & (round == ROUNDS - 1)) break;
        round += ends;
        starter = ends ? heir : starter;
        turn = ends ? heir : turn;
        taken = ends ? 0 : taken;
        out = ends ? 0 : out;
        up = ends ? 0 : up;
        closed = ends ? 0 : closed;
        friends = ends ? ALL_CARDS : friends;
    }

    *word_at(match, UP) = up;
    *word_at(match, SHOWN) = shown;
    *byte_at(match, SEATS) = seats;
    *byte_at(match, EXPERT) = is_expert;
    *byte_at(match, ORDERED_STACK) = options.ordered_stack;
    *byte_at(match, FIRST_REVEAL_ABILITY) = options.first_reveal_ability;
    *byte_at(match, PHASE) = IS_OVER;
    *byte_at(match, ROUND) = round;
    *byte_at(match, STARTER) = starter;
    *byte_at(match, TURN) = turn;
    *byte_at(match, OUT) = out;
    *byte_at(match, TAKEN) = taken;
    *byte_at(match, LAST) = last;
    *byte_at(match, BLOCKED) = blocked ? (int)lowest(blocked) : -1;
    *byte_at(match, DID_SEAT) = seat;
    *byte_at(match, DID_MOVE) =
        place + (asked == REVEALS ? REVEAL_MOVE : asked == PEEKS ? PEEK_MOVE : asked == BLOCKS ? BLOCK_MOVE : SWAP_MOVE);
    *byte_at(match, DID_FROM) = from;
    *byte_at(match, DID_RESULT) = result;
    *byte_at(match, DID_STUCK) = stuck;
    *byte_at(match, DID_ROUND) = round;
    *byte_at(match, DID_TAKEN) = taken_before;
    return moves;
}

RULE int64_t deal_and_play(Match match, Options options, int64_t seed) {
    Rng rng;
    seed_rng(&rng, seed, 0);
    Dealt dealt = deal(match, options, &rng);
    seed_rng(&rng, seed, 1);
    /* Said twice, so that the base game is compiled without what only experts do. */
    return options.expert ? play(match, options, 1, dealt, &rng) : play(match, options, 0, dealt, &rng);
}

#endif
