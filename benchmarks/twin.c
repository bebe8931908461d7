/* The kernels of arena/checkers/bitboard.py and arena/search/alphabeta.py in C: the same algorithms, and the same tree
 * node by node, as what they are measured against. Nothing else uses this file.
 *
 * Build: gcc -O3 -march=native -shared -fPIC twin.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t u32;
typedef uint64_t u64;

/* ---- bitboard.py ---- */

#define EVEN_ROWS 0x0F0F0F0Fu
#define ODD_ROWS 0xF0F0F0F0u
#define EVEN_NOT_LAST 0x07070707u
#define ODD_NOT_FIRST 0xE0E0E0E0u
#define MAX_MOVES 1328

static int8_t STEP[4][32], JUMP[4][32];
static u32 NEARBY[2][32];
static u64 STEP_MOVE[128];

__attribute__((constructor)) static void setup(void) {
    static const int way[4][2] = {{1, -1}, {1, 1}, {-1, -1}, {-1, 1}};
    for (int d = 0; d < 4; d++)
        for (int s = 0; s < 32; s++) {
            int row = s / 4 + way[d][0], column = 2 * (s % 4) + (1 - s / 4 % 2) + way[d][1];
            STEP[d][s] = row >= 0 && row < 8 && column >= 0 && column < 8 ? 4 * row + column / 2 : -1;
        }
    for (int d = 0; d < 4; d++)
        for (int s = 0; s < 32; s++) {
            int over = STEP[d][s];
            JUMP[d][s] = over >= 0 ? STEP[d][over] : -1;
            STEP_MOVE[32 * d + s] = (u64)(over & 31) << 5 | s;
            if (JUMP[d][s] >= 0) {
                NEARBY[1][s] |= 1u << over;
                if (d < 2) NEARBY[0][s] |= 1u << over;
            }
        }
}

static inline u32 rotate(u32 x) {
    x = __builtin_bswap32(x);
    x = (x >> 4 & 0x0F0F0F0F) | (x & 0x0F0F0F0F) << 4;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    return (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
}

static inline u32 shift(u32 m, int direction) {
    switch (direction) {
    case 0: return (m & EVEN_ROWS) << 4 | (m & ODD_NOT_FIRST) << 3;
    case 1: return (m & EVEN_NOT_LAST) << 5 | (m & ODD_ROWS) << 4;
    case 2: return (m & EVEN_ROWS) >> 4 | (m & ODD_NOT_FIRST) >> 5;
    default: return (m & EVEN_NOT_LAST) >> 3 | (m & ODD_ROWS) >> 4;
    }
}

static inline u32 jumpers(u32 own, u32 opp, u32 kings, int direction) {
    u32 movers = direction < 2 ? own : own & kings;
    return shift(shift(~(own | opp), 3 - direction) & opp, 3 - direction) & movers;
}

static inline u32 walkers(u32 own, u32 opp, u32 kings, int direction) {
    u32 movers = direction < 2 ? own : own & kings;
    return shift(~(own | opp), 3 - direction) & movers;
}

static inline u32 askew_up(u32 m) { return (m & EVEN_NOT_LAST) << 5 | (m & ODD_NOT_FIRST) << 3; }
static inline u32 askew_down(u32 m) { return (m & EVEN_NOT_LAST) >> 3 | (m & ODD_NOT_FIRST) >> 5; }

static inline int kings_can_capture(u32 own, u32 opp, u32 kings) {
    u32 empty = ~(own | opp);
    return ((askew_up(empty << 4 & opp) | (askew_up(empty) & opp) << 4) & own & kings) != 0;
}

static inline int can_capture(u32 own, u32 opp, u32 kings) {
    u32 empty = ~(own | opp);
    return ((askew_down(empty >> 4 & opp) | (askew_down(empty) & opp) >> 4) & own) || kings_can_capture(own, opp, kings);
}

static u64 *routes(u32 own, u32 opp, int king, int origin, int first, u64 *moves) {
    int square = JUMP[first][origin];
    u32 captured = 1u << STEP[first][origin];
    if (!(NEARBY[king][square] & opp & ~captured)) {
        *moves = (u64)captured << 32 | first << 14 | 1 << 10 | square << 5 | origin;
        return moves + 1;
    }
    int directions = king ? 4 : 2, jumps = 1, following = 0, extended = 0;
    u32 empty = ~(own | opp) | 1u << origin;
    u64 path = first;
    for (;;) {
        if (following < directions) {
            int land = JUMP[following][square];
            if (land >= 0) {
                u32 over = 1u << STEP[following][square];
                if ((opp & ~captured & over) && (empty >> land & 1)) {
                    captured |= over;
                    path |= (u64)following << 2 * jumps++;
                    square = land;
                    following = extended = 0;
                    continue;
                }
            }
            following++;
            continue;
        }
        if (!extended) *moves++ = (u64)captured << 32 | path << 14 | jumps << 10 | square << 5 | origin;
        if (jumps == 1) return moves;
        jumps--;
        int last = path >> 2 * jumps & 3;
        path &= (1ull << 2 * jumps) - 1;
        square = JUMP[3 - last][square];
        captured ^= 1u << STEP[last][square];
        following = last + 1;
        extended = 1;
    }
}

static u64 *captures(u32 own, u32 opp, u32 kings, u64 *moves) {
    for (u64 m = jumpers(own, opp, kings, 0) | (u64)jumpers(own, opp, kings, 1) << 32; m; m &= m - 1) {
        int first = __builtin_ctzll(m), origin = first & 31;
        moves = routes(own, opp, kings >> origin & 1, origin, first >> 5, moves);
    }
    if (own & kings)
        for (u64 m = jumpers(own, opp, kings, 2) | (u64)jumpers(own, opp, kings, 3) << 32; m; m &= m - 1) {
            int first = __builtin_ctzll(m);
            moves = routes(own, opp, 1, first & 31, 2 + (first >> 5), moves);
        }
    return moves;
}

static inline u64 *generate(u32 own, u32 opp, u32 kings, u64 *moves) {
    if (can_capture(own, opp, kings)) return captures(own, opp, kings, moves);
    for (u64 m = walkers(own, opp, kings, 0) | (u64)walkers(own, opp, kings, 1) << 32; m; m &= m - 1)
        *moves++ = STEP_MOVE[__builtin_ctzll(m)];
    if (own & kings)
        for (u64 m = walkers(own, opp, kings, 2) | (u64)walkers(own, opp, kings, 3) << 32; m; m &= m - 1)
            *moves++ = STEP_MOVE[64 + __builtin_ctzll(m)];
    return moves;
}

static inline int count_moves(u32 own, u32 opp, u32 kings, u64 *scratch) {
    u32 empty = ~(own | opp), own_kings = own & kings;
    u32 anywhere = askew_down(empty >> 4 & opp), anywhere_too = (askew_down(empty) & opp) >> 4;
    u32 first = anywhere & own, second = anywhere_too & own;
    if (first | second) {
        u32 landings = askew_up(first) << 4 | askew_up(second << 4);
        if (own_kings || landings & (anywhere | anywhere_too)) return captures(own, opp, kings, scratch) - scratch;
        return __builtin_popcount(first) + __builtin_popcount(second);
    }
    int count = __builtin_popcount(empty >> 4 & own) + __builtin_popcount(askew_down(empty) & own);
    if (own_kings) {
        if (kings_can_capture(own, opp, kings)) return captures(own, opp, kings, scratch) - scratch;
        count += __builtin_popcount(empty << 4 & own_kings) + __builtin_popcount(askew_up(empty) & own_kings);
    }
    return count;
}

typedef struct { u32 own, opp, kings; } Masks;

static inline Masks make(u32 own, u32 opp, u32 kings, u64 move) {
    u32 origin = 0x80000000u >> (move & 31), destination = 0x80000000u >> (move >> 5 & 31);
    u32 captured = rotate(move >> 32), turned = rotate(kings);
    u32 crowned = turned & origin ? destination : destination & 0xF;
    Masks next = {rotate(opp) & ~captured, (rotate(own) & ~origin) | destination,
                  (turned & ~(origin | captured)) | crowned};
    return next;
}

static u64 count_paths(u32 own, u32 opp, u32 kings, int depth, u64 *moves) {
    if (depth == 1) return count_moves(own, opp, kings, moves);
    u64 *end = generate(own, opp, kings, moves), total = 0;
    for (u64 *move = moves; move < end; move++) {
        Masks next = make(own, opp, kings, *move);
        total += depth == 2 ? (u64)count_moves(next.own, next.opp, next.kings, end)
                            : count_paths(next.own, next.opp, next.kings, depth - 1, end);
    }
    return total;
}

int64_t perft(u32 own, u32 opp, u32 kings, int depth) {
    u64 *moves = malloc(sizeof(u64) * MAX_MOVES * depth);
    u64 total = count_paths(own, opp, kings, depth, moves);
    free(moves);
    return total;
}

/* ---- alphabeta.py ---- */

#define WIN 2000000
#define DECIDED 1900000
#define INFINITE 3000000
#define VALUE_LIMIT 1000000
#define MAX_PLY 128
#define HISTORY 128
#define NEVER ((int64_t)1 << 62)
#define STACK_SIZE (16 * MAX_MOVES)
enum { EXACT, LOWER, UPPER };

typedef int32_t Evaluate(u32 own, u32 opp, u32 kings, int32_t side, intptr_t context);

typedef struct {
    Evaluate *evaluate;
    intptr_t context;
    int selective, stop;
    int64_t table_mask, quiet_limit, nodes, next_check;
    int64_t *table;
    int pv_length[MAX_PLY];
    u64 pv[MAX_PLY][MAX_PLY];
    int64_t killers[MAX_PLY][2];
    int64_t keys[HISTORY + MAX_PLY];
    int64_t success[1024];
    u64 moves[STACK_SIZE];
    int64_t ranks[STACK_SIZE];
    u64 found_move;
    int64_t found_value;
} Search;

static inline int64_t key_of(u32 own, u32 opp, u32 kings, int side) {
    int64_t mixed = ((u64)own | (u64)opp << 32) * 0x1E3779B97F4A7C15u;
    mixed = (u64)(mixed ^ mixed >> 32 ^ (int64_t)kings << 1 ^ side) * 0x3F58476D1CE4E5B9u;
    return mixed ^ mixed >> 29;
}

static inline void keep(Search *s, int ply, u64 move) {
    int length = s->pv_length[ply + 1];
    s->pv[ply][0] = move;
    memcpy(s->pv[ply] + 1, s->pv[ply + 1], length * sizeof(u64));
    s->pv_length[ply] = length + 1;
}

static inline int64_t recall(const Search *s, int64_t key) {
    const int64_t *place = s->table + 2 * (key & s->table_mask & ~1);
    return place[0] == key ? place[1] : place[2] == key ? place[3] : 0;
}

static inline void store(Search *s, int64_t key, int64_t value, int ply, int depth, int bound, int64_t move) {
    if (value > DECIDED) value += ply;
    else if (value < -DECIDED) value -= ply;
    int64_t *place = s->table + 2 * (key & s->table_mask & ~1);
    if (place[0] != key && (place[1] >> 2 & 255) > depth + 1) place += 2;
    place[0] = key;
    place[1] = (int64_t)((u64)value << 32) | (move & 1023) << 10 | (depth + 1) << 2 | bound;
}

static inline int repeated(const Search *s, int ply, int quiet) {
    const int64_t *here = s->keys + HISTORY + ply;
    int most = quiet < HISTORY + ply ? quiet : HISTORY + ply;
    for (int back = 4; back <= most; back += 2)
        if (here[-back] == *here) return 1;
    return 0;
}

static inline void rank_moves(Search *s, int start, int end, int ply, int64_t best, int capture) {
    for (int i = start; i < end; i++) {
        u64 move = s->moves[i];
        int64_t ends = move & 1023;
        s->ranks[i] = ends == best                ? NEVER
                      : capture                   ? (int64_t)(move >> 10 & 15)
                      : ends == s->killers[ply][0] ? NEVER - 1
                      : ends == s->killers[ply][1] ? NEVER - 2
                                                   : s->success[ends];
    }
}

static inline u64 next_move(Search *s, int i, int end) {
    int best = i;
    for (int j = i + 1; j < end; j++)
        if (s->ranks[j] > s->ranks[best]) best = j;
    u64 move = s->moves[best];
    int64_t rank = s->ranks[best];
    for (; best > i; best--) {
        s->moves[best] = s->moves[best - 1];
        s->ranks[best] = s->ranks[best - 1];
    }
    s->moves[i] = move;
    s->ranks[i] = rank;
    return move;
}

static int64_t negamax(Search *s, u32 own, u32 opp, u32 kings, int side, int depth, int64_t alpha, int64_t beta, int ply,
                       int quiet, int start) {
    if (++s->nodes >= s->next_check) {
        s->stop = 1;
        return 0;
    }
    s->pv_length[ply] = 0;
    int capture = can_capture(own, opp, kings);
    if (!capture) {
        u32 empty = ~(own | opp);
        if (!((empty >> 4 | askew_down(empty)) & own) && !((empty << 4 | askew_up(empty)) & own & kings)) return ply - WIN;
    }
    int64_t key = key_of(own, opp, kings, side);
    s->keys[HISTORY + ply] = key;
    if (quiet >= s->quiet_limit || (quiet >= 4 && repeated(s, ply, quiet))) return 0;
    int quiescent = depth <= 0;
    if ((quiescent && !capture) || ply >= MAX_PLY - 2 || start + MAX_MOVES > STACK_SIZE) {
        int64_t value = s->evaluate(own, opp, kings, side, s->context);
        if (value <= -VALUE_LIMIT || value >= VALUE_LIMIT) s->stop = 1;
        return value;
    }
    int64_t hint = 1023;
    if (!quiescent) {
        int64_t entry = recall(s, key);
        if (entry) {
            hint = entry >> 10 & 1023;
            int stored_depth = (int)(entry >> 2 & 255) - 1;
            if (beta - alpha == 1 && (stored_depth == depth || (stored_depth > depth && s->selective))) {
                int64_t value = entry >> 32;
                if (value > DECIDED) value -= ply;
                else if (value < -DECIDED) value += ply;
                int bound = entry & 3;
                if (bound == EXACT || (bound == LOWER && value >= beta) || (bound == UPPER && value <= alpha))
                    return value;
            }
        }
    }
    int end = generate(own, opp, kings, s->moves + start) - s->moves;
    rank_moves(s, start, end, ply, hint, capture);
    int below = s->selective && end - start == 1 && !capture ? depth : depth - 1;
    int64_t best = -INFINITE, best_move = 1023;
    for (int i = start; i < end; i++) {
        u64 move = next_move(s, i, end);
        Masks n = make(own, opp, kings, move);
        int calm = !capture && kings >> (move & 31) & 1 ? quiet + 1 : 0;
        int64_t floor = alpha > best ? alpha : best, value;
        if (i == start) {
            value = -negamax(s, n.own, n.opp, n.kings, 1 - side, below, -beta, -floor, ply + 1, calm, end);
        } else {
            int late = 0;
            if (i >= start + 3 && depth >= 3 && !capture && s->selective) late = 1 + (i >= start + 6 && depth >= 6);
            value = -negamax(s, n.own, n.opp, n.kings, 1 - side, below - late, -floor - 1, -floor, ply + 1, calm, end);
            if (late && value > floor && !s->stop)
                value = -negamax(s, n.own, n.opp, n.kings, 1 - side, below, -floor - 1, -floor, ply + 1, calm, end);
            if (floor < value && value < beta && !s->stop)
                value = -negamax(s, n.own, n.opp, n.kings, 1 - side, below, -beta, -floor, ply + 1, calm, end);
        }
        if (s->stop) return 0;
        if (value > best) {
            best = value;
            best_move = move;
            if (value > alpha) keep(s, ply, move);
            if (value >= beta) {
                if (!capture) {
                    int64_t ends = move & 1023;
                    if (s->killers[ply][0] != ends) {
                        s->killers[ply][1] = s->killers[ply][0];
                        s->killers[ply][0] = ends;
                    }
                    int weight = depth > 1 ? depth : 1;
                    s->success[ends] += weight * weight;
                }
                break;
            }
        }
    }
    if (!quiescent) store(s, key, best, ply, depth, best >= beta ? LOWER : best <= alpha ? UPPER : EXACT, best_move);
    return best;
}

static int64_t search_root(Search *s, u32 own, u32 opp, u32 kings, int side, int depth, int count) {
    int64_t best = -INFINITE;
    for (int i = 0; i < count; i++) {
        u64 move = s->moves[i];
        Masks n = make(own, opp, kings, move);
        int calm = !(move >> 32) && kings >> (move & 31) & 1;
        int64_t value = best + 1;
        if (i) value = -negamax(s, n.own, n.opp, n.kings, 1 - side, depth - 1, -best - 1, -best, 1, calm, count);
        if (value > best && !s->stop)
            value = -negamax(s, n.own, n.opp, n.kings, 1 - side, depth - 1, -INFINITE, -best, 1, calm, count);
        if (s->stop) return best;
        if (value > best) {
            best = value;
            memmove(s->moves + 1, s->moves, i * sizeof(u64));
            s->moves[0] = move;
            s->found_move = move;
            s->found_value = value;
        }
    }
    return best;
}

/* Searches to `depth` with an empty table of `entries`; returns the number of nodes and puts the value in `*value`. */
int64_t search(u32 own, u32 opp, u32 kings, int side, int depth, int selective, int64_t entries, Evaluate *evaluate,
               intptr_t context, int64_t *value) {
    Search *s = calloc(1, sizeof(Search));
    s->evaluate = evaluate;
    s->context = context;
    s->selective = selective;
    s->table = calloc(2 * entries, sizeof(int64_t));
    s->table_mask = entries - 1;
    s->quiet_limit = 80;
    s->next_check = NEVER;
    for (int i = 0; i < MAX_PLY; i++) s->killers[i][0] = s->killers[i][1] = 1023;
    s->nodes = 1;
    s->keys[HISTORY] = key_of(own, opp, kings, side);
    int count = generate(own, opp, kings, s->moves) - s->moves;
    for (int now = 1; now <= depth; now++) {
        int64_t best = search_root(s, own, opp, kings, side, now, count);
        if (s->stop || (llabs(best) > DECIDED && WIN - llabs(best) <= now)) break;
    }
    int64_t nodes = s->nodes;
    *value = s->found_value;
    free(s->table);
    free(s);
    return nodes;
}

/* The evaluator `material`. */
int32_t material(u32 own, u32 opp, u32 kings, int32_t side, intptr_t context) {
    (void)side, (void)context;
    return 10 * (__builtin_popcount(own) - __builtin_popcount(opp)) +
           5 * (__builtin_popcount(own & kings) - __builtin_popcount(opp & kings));
}
