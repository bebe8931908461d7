/*
 * A small engine for 8x8 American checkers: alpha-beta search that counts material.
 *
 * It is a program that speaks the Hub protocol on standard input and output, as docs/engines.md describes it:
 *     cc -O2 -o engine engine.c
 * It is also a shared library with the functions of CheckerBoard, getmove and enginecommand:
 *     cc -O2 -shared -fPIC -o engine.so engine.c
 *
 * "./engine perft 6" counts the move paths from the start, as "arena perft start 6" does.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLACK, WHITE };
enum { MAX_MOVES = 128, MAX_DEPTH = 64, MAX_PLY = 200, MAX_HISTORY = 1024, LINE = 16384 };
enum { MAN = 100, KING = 140, WIN = 30000, INFINITE = 32000 };

typedef struct {
    uint32_t pieces[2]; /* bit n - 1 is square n */
    uint32_t kings;     /* of both colours */
    int side;
} Position;

typedef struct {
    int from, to, captures; /* squares count from 0; captures is the number of captured pieces */
    int captured[12];       /* in the order of the jumps */
} Move;

/* The square next to a square in each direction, or -1: 0 and 1 lead to higher squares, 2 and 3 to lower ones. */
static int step[32][4];

static Position history[MAX_HISTORY]; /* the positions of the game, and those of the line that is searched */
static int history_length;

static struct {
    long long nodes, node_limit;
    double deadline; /* 0: none */
    int stopped;
    const volatile int *stop; /* NULL, or not 0 if the search is to end */
} search;
static const volatile int *play_now; /* CheckerBoard sets it to have a move at once */
static Move best_line[MAX_PLY + 1][MAX_PLY + 1];
static int best_length[MAX_PLY + 1];
static uint64_t random_state = 1;
static int usual_depth = 8; /* if no limit is given */

static void make_tables(void) {
    static const int forward[4] = {1, 1, -1, -1}, sideways[4] = {-1, 1, -1, 1};
    for (int square = 0; square < 32; square++) {
        int row = square / 4, column = 2 * (square % 4) + (row % 2 == 0);
        for (int d = 0; d < 4; d++) {
            int r = row + forward[d], c = column + sideways[d];
            step[square][d] = r < 0 || r > 7 || c < 0 || c > 7 ? -1 : 4 * r + c / 2;
        }
    }
}

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static uint64_t next_random(void) { /* xorshift64*, Vigna 2016 */
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 2685821657736338717ULL;
}

/* The rules */

static uint32_t bit(int square) { return (uint32_t)1 << square; }

static int first_direction(const Position *p, int square) {
    return p->kings & bit(square) || p->side == BLACK ? 0 : 2;
}

static int last_direction(const Position *p, int square) {
    return p->kings & bit(square) || p->side == WHITE ? 3 : 1;
}

/* Add all captures of the piece on move->from that begin with the jumps in *move. */
static int add_jumps(const Position *p, uint32_t empty, uint32_t targets, Move *move, Move *moves, int count) {
    int continued = 0;
    for (int d = first_direction(p, move->from); d <= last_direction(p, move->from); d++) {
        int over = step[move->to][d], land = over < 0 ? -1 : step[over][d];
        if (land < 0 || !(targets & bit(over)) || !(empty & bit(land))) continue;
        Move longer = *move;
        longer.to = land;
        longer.captured[longer.captures++] = over;
        continued = 1;
        count = add_jumps(p, empty, targets & ~bit(over), &longer, moves, count);
    }
    if (!continued && move->captures && count < MAX_MOVES) moves[count++] = *move;
    return count;
}

/* Fill in the legal moves and return their number. Captures are compulsory; a man that is crowned stops. */
static int generate(const Position *p, Move *moves) {
    uint32_t own = p->pieces[p->side], other = p->pieces[!p->side], empty = ~(own | other);
    int count = 0;
    for (int from = 0; from < 32; from++) {
        if (!(own & bit(from))) continue;
        Move move = {from, from, 0, {0}};
        count = add_jumps(p, empty | bit(from), other, &move, moves, count);
    }
    if (count) return count;
    for (int from = 0; from < 32; from++) {
        if (!(own & bit(from))) continue;
        for (int d = first_direction(p, from); d <= last_direction(p, from); d++) {
            int to = step[from][d];
            if (to >= 0 && empty & bit(to)) {
                Move move = {from, to, 0, {0}};
                moves[count++] = move;
            }
        }
    }
    return count;
}

static void play(Position *p, const Move *move) {
    uint32_t was_king = p->kings & bit(move->from), crowned = move->to / 4 == (p->side == BLACK ? 7 : 0);
    p->pieces[p->side] = (p->pieces[p->side] & ~bit(move->from)) | bit(move->to);
    p->kings &= ~bit(move->from);
    if (was_king || crowned) p->kings |= bit(move->to);
    for (int i = 0; i < move->captures; i++) {
        p->pieces[!p->side] &= ~bit(move->captured[i]);
        p->kings &= ~bit(move->captured[i]);
    }
    p->side = !p->side;
}

static int same(const Position *a, const Position *b) { return memcmp(a, b, sizeof *a) == 0; }

static long long perft(const Position *p, int depth) {
    Move moves[MAX_MOVES];
    long long total = 0;
    int count = generate(p, moves);
    if (depth <= 1) return depth == 1 ? count : 1;
    for (int i = 0; i < count; i++) {
        Position after = *p;
        play(&after, &moves[i]);
        total += perft(&after, depth - 1);
    }
    return total;
}

/* The search */

static int count_bits(uint32_t mask) {
    int count = 0;
    for (; mask; mask &= mask - 1) count++;
    return count;
}

/* Material, and a little for men that are far ahead, from the point of view of the side to move. */
static int evaluate(const Position *p) {
    int value[2];
    for (int side = BLACK; side <= WHITE; side++) {
        uint32_t men = p->pieces[side] & ~p->kings;
        value[side] = KING * count_bits(p->pieces[side] & p->kings);
        for (int square = 0; square < 32; square++)
            if (men & bit(square)) value[side] += MAN + (side == BLACK ? square / 4 : 7 - square / 4);
    }
    return value[p->side] - value[!p->side];
}

static int is_repeated(const Position *p) {
    for (int i = history_length - 2; i >= 0; i -= 2)
        if (same(&history[i], p)) return 1;
    return 0;
}

static int alpha_beta(const Position *p, int depth, int ply, int alpha, int beta) {
    Move moves[MAX_MOVES];
    best_length[ply] = ply;
    search.nodes++;
    if (search.nodes >= search.node_limit) search.stopped = 1;
    if (search.deadline && search.nodes % 1024 == 0 && now() >= search.deadline) search.stopped = 1;
    if (search.stop && *search.stop) search.stopped = 1;
    if (search.stopped) return 0;
    if (ply && is_repeated(p)) return 0;
    int count = generate(p, moves);
    if (!count) return ply - WIN;
    if (ply >= MAX_PLY || history_length >= MAX_HISTORY || (depth <= 0 && !moves[0].captures)) return evaluate(p);
    if (!ply) /* among equally good moves, the first one is played */
        for (int i = count - 1; i > 0; i--) {
            int j = next_random() % (i + 1);
            Move move = moves[i];
            moves[i] = moves[j];
            moves[j] = move;
        }
    history[history_length++] = *p;
    for (int i = 0; i < count && alpha < beta; i++) {
        Position after = *p;
        play(&after, &moves[i]);
        int value = -alpha_beta(&after, depth - 1, ply + 1, -beta, -alpha);
        if (search.stopped) break;
        if (value > alpha || (!ply && !i)) {
            alpha = value > alpha ? value : alpha;
            best_line[ply][ply] = moves[i];
            best_length[ply] = best_length[ply + 1] > ply + 1 ? best_length[ply + 1] : ply + 1;
            memcpy(&best_line[ply][ply + 1], &best_line[ply + 1][ply + 1], sizeof(Move) * (best_length[ply] - ply - 1));
        }
    }
    history_length--;
    return alpha;
}

typedef struct {
    int depth, score;
    long long nodes;
    double seconds;
    Move line[MAX_PLY + 1];
    int length;
} Result;

/* Search deeper and deeper up to a limit. 0 means no limit; the first depth is always finished. */
static void think(const Position *p, int depth, long long nodes, double seconds, Result *result) {
    double start = now();
    uint64_t seed = random_state;
    if (!depth && !nodes && seconds <= 0) depth = usual_depth;
    search.nodes = search.stopped = 0;
    for (int d = 1; d <= (depth ? depth : MAX_DEPTH); d++) {
        search.node_limit = d > 1 && nodes ? nodes : INT64_MAX;
        search.stop = d > 1 ? play_now : NULL;
        search.deadline = d > 1 && seconds > 0 ? start + seconds : 0;
        random_state = seed; /* the same order of the moves at every depth */
        int value = alpha_beta(p, d, 0, -INFINITE, INFINITE);
        if (search.stopped) break;
        result->depth = d;
        result->score = value;
        result->length = best_length[0];
        memcpy(result->line, best_line[0], sizeof(Move) * best_length[0]);
        if (abs(value) > WIN - MAX_PLY) break;
    }
    result->nodes = search.nodes;
    result->seconds = now() - start;
}

static double seconds_of_clock(double clock, double increment) {
    double seconds = clock / 30 + 0.8 * increment;
    return seconds < 0.5 * clock ? seconds : 0.5 * clock;
}

/* The Hub protocol */

static void write_move(char *text, const Move *move) {
    text += sprintf(text, "%d%c%d", move->from + 1, move->captures ? 'x' : '-', move->to + 1);
    for (int i = 0; i < move->captures; i++) text += sprintf(text, "x%d", move->captured[i] + 1);
}

/* Copy the value of an argument, without quotes, and return whether the line has the argument. */
static int argument(const char *line, const char *name, char *value) {
    size_t length = strlen(name);
    for (const char *at = strchr(line, ' '); at; at = strchr(at + 1, ' ')) {
        if (strncmp(at + 1, name, length) || at[length + 1] != '=') continue;
        at += length + 2;
        int quoted = *at == '"';
        for (at += quoted; *at && (quoted ? *at != '"' : !isspace((unsigned char)*at)); at++) *value++ = *at;
        *value = 0;
        return 1;
    }
    return 0;
}

static double number(const char *line, const char *name) {
    static char value[LINE];
    return argument(line, name, value) ? atof(value) : 0;
}

static int read_position(const char *text, Position *p) {
    memset(p, 0, sizeof *p);
    if (strlen(text) != 33) return 0;
    p->side = text[0] == 'B' ? BLACK : WHITE;
    for (int square = 0; square < 32; square++) {
        char piece = text[square + 1];
        if (piece != 'e') p->pieces[tolower(piece) == 'b' ? BLACK : WHITE] |= bit(square);
        if (piece == 'B' || piece == 'W') p->kings |= bit(square);
    }
    return 1;
}

/* Play a move that another program has written; return 0 if it is not legal. */
static int play_text(Position *p, const char *text) {
    Move moves[MAX_MOVES];
    char written[64];
    int count = generate(p, moves);
    for (int i = 0; i < count; i++) {
        write_move(written, &moves[i]);
        if (strcmp(written, text)) continue;
        play(p, &moves[i]);
        return 1;
    }
    return 0;
}

static void set_position(const char *line, Position *p) {
    static char text[LINE];
    history_length = 0;
    if (!argument(line, "pos", text) || !read_position(text, p)) {
        printf("error message=\"bad position\"\n");
        return;
    }
    if (!argument(line, "moves", text)) return;
    for (char *move = strtok(text, " "); move; move = strtok(NULL, " ")) {
        if (history_length < MAX_HISTORY - MAX_PLY) history[history_length++] = *p;
        if (!play_text(p, move)) printf("error message=\"illegal move %s\"\n", move);
    }
}

static void go(const Position *p, const char *level) {
    static Result result;
    char text[64];
    double seconds = number(level, "move-time"), clock = number(level, "time") + number(level, "inc");
    Move moves[MAX_MOVES];
    if (!generate(p, moves)) {
        printf("error message=\"no legal move\"\n");
        return;
    }
    if (strstr(level, " time=")) seconds = seconds_of_clock(clock, number(level, "inc"));
    else if (seconds > 0) seconds *= 0.9;
    if (seconds > 0 || strstr(level, "time=")) seconds = seconds > 0.001 ? seconds : 0.001;
    think(p, (int)number(level, "depth"), (long long)number(level, "nodes"), seconds, &result);
    printf("info depth=%d score=%.2f nodes=%lld time=%.3f pv=\"", result.depth, result.score / 100.0, result.nodes,
           result.seconds);
    for (int i = 0; i < result.length; i++) {
        write_move(text, &result.line[i]);
        printf("%s%s", i ? " " : "", text);
    }
    write_move(text, &result.line[0]);
    printf("\"\ndone move=%s\n", text);
}

static void set_param(const char *line) {
    static char name[LINE], value[LINE];
    if (!argument(line, "name", name) || !argument(line, "value", value)) return;
    if (!strcmp(name, "seed")) random_state = strtoull(value, NULL, 10) * 0x9E3779B97F4A7C15ULL | 1;
    if (!strcmp(name, "depth") && atoi(value) >= 1 && atoi(value) <= MAX_DEPTH) usual_depth = atoi(value);
}

int main(int argc, char **argv) {
    static char line[LINE], level[LINE];
    Position position;
    make_tables();
    read_position("Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww", &position);
    if (argc > 2 && !strcmp(argv[1], "perft")) {
        if (argc > 3 && !read_position(argv[3], &position)) return 1;
        printf("%lld\n", perft(&position, atoi(argv[2])));
        return 0;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, LINE, stdin)) {
        char command[32] = "";
        sscanf(line, "%31s", command);
        if (!strcmp(command, "hub")) {
            printf("id name=example version=1.0 author=\"Checkers Arena\"\n");
            printf("param name=variant value=english type=enum values=\"english\"\n");
            printf("param name=seed value=0 type=int min=0 max=18446744073709551615\n");
            printf("param name=depth value=%d type=int min=1 max=%d\nwait\n", usual_depth, MAX_DEPTH);
        } else if (!strcmp(command, "set-param")) set_param(line);
        else if (!strcmp(command, "init")) printf("ready\n");
        else if (!strcmp(command, "new-game")) level[0] = 0, history_length = 0;
        else if (!strcmp(command, "pos")) set_position(line, &position);
        else if (!strcmp(command, "level")) strcpy(level, line);
        else if (!strcmp(command, "go")) go(&position, level);
        else if (!strcmp(command, "ping")) printf("pong\n");
        else if (!strcmp(command, "quit")) break;
    }
    return 0;
}

/* The functions of CheckerBoard */

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#define WINAPI __stdcall
#else
#define EXPORT
#define WINAPI
#endif
enum { CB_WHITE = 1, CB_BLACK = 2, CB_MAN = 4, CB_KING = 8, CB_DRAW = 0, CB_WIN = 1, CB_LOSS = 2, CB_UNKNOWN = 3 };

static int *cell(int b[8][8], int square) {
    int y = square / 4, x = 2 * (3 - square % 4) + y % 2;
    return &b[x][y];
}

EXPORT int WINAPI getmove(int b[8][8], int colour, double maxtime, char str[1024], int *playnow, int info, int moreinfo,
                          void *move) {
    static const double units[4] = {0, 0.001, 0.01, 0.1};
    static Result result;
    double unit = units[info >> 2 & 3], seconds = maxtime;
    Position p = {{0, 0}, 0, colour == CB_BLACK ? BLACK : WHITE};
    Move moves[MAX_MOVES];
    (void)move; /* not needed for English checkers, where b has the position after the move */
    make_tables();
    for (int square = 0; square < 32; square++) {
        int piece = *cell(b, square);
        if (piece & (CB_BLACK | CB_WHITE)) p.pieces[piece & CB_BLACK ? BLACK : WHITE] |= bit(square);
        if (piece & CB_KING) p.kings |= bit(square);
    }
    if (!generate(&p, moves)) return CB_LOSS;
    if (unit > 0) seconds = seconds_of_clock((moreinfo >> 16 & 0xffff) * unit, (moreinfo & 0xffff) * unit);
    play_now = playnow;
    think(&p, 0, 0, seconds > 0.001 ? 0.9 * seconds : 0.001, &result);
    snprintf(str, 1024, "depth %d, value %.2f, %lld nodes", result.depth, result.score / 100.0, result.nodes);
    play(&p, &result.line[0]);
    for (int square = 0; square < 32; square++) {
        int kind = p.kings & bit(square) ? CB_KING : CB_MAN, *piece = cell(b, square);
        *piece = p.pieces[BLACK] & bit(square) ? CB_BLACK | kind : p.pieces[WHITE] & bit(square) ? CB_WHITE | kind : 0;
    }
    return result.score > WIN - MAX_PLY ? CB_WIN : result.score < MAX_PLY - WIN ? CB_LOSS : CB_UNKNOWN;
}

/* The history of the game is not used: "set gamehist" is a command that this engine does not know. */
EXPORT int WINAPI enginecommand(char command[256], char reply[1024]) {
    const char *answer = !strcmp(command, "name") ? "example"
                         : !strcmp(command, "about") ? "the example of Checkers Arena"
                         : !strcmp(command, "get gametype") ? "21"
                         : !strcmp(command, "get protocolversion") ? "2" : "?";
    strcpy(reply, answer);
    return strcmp(answer, "?") != 0;
}
