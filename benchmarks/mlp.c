/* The network 128-64-32-16-8-1 in plain C: what the vector kernel of arena_evaluators is measured against.
 *
 * Build: gcc -O2 -ftree-vectorize -march=native -shared -fPIC mlp.c -lm. (gcc 12 makes it half as fast with -O3: it
 * unrolls the loops before it can vectorise them.) `evaluate` has the signature of an evaluator kernel. Its context is
 * float32: for each layer the biases, then a row of weights for each input; the output layer comes multiplied by the
 * scale. Inputs are four planes of 32 squares: own men, own kings, enemy men, enemy kings; the first layer adds the rows
 * of the occupied squares.
 */
#include <math.h>
#include <stdint.h>

static inline const float *layer(const float *w, const float *restrict x, int in, float *restrict y, int out) {
    for (int j = 0; j < out; j++) y[j] = w[j];
    w += out;
    for (int i = 0; i < in; i++, w += out)
        for (int j = 0; j < out; j++) y[j] += x[i] * w[j];
    for (int j = 0; j < out; j++) y[j] = y[j] > 0 ? y[j] : 0;
    return w;
}

int32_t evaluate(uint32_t own, uint32_t opp, uint32_t kings, int32_t side, intptr_t context) {
    (void)side;
    const float *w = (const float *)context;
    float a[64], b[32], c[16], d[8];
    for (int j = 0; j < 64; j++) a[j] = w[j];
    w += 64;
    for (uint32_t pieces = own | opp; pieces; pieces &= pieces - 1) {
        int square = __builtin_ctz(pieces);
        const float *row = w + 64 * ((opp >> square & 1) << 6 | (kings >> square & 1) << 5 | square);
        for (int j = 0; j < 64; j++) a[j] += row[j];
    }
    for (int j = 0; j < 64; j++) a[j] = a[j] > 0 ? a[j] : 0;
    w += 128 * 64;
    w = layer(w, a, 64, b, 32);
    w = layer(w, b, 32, c, 16);
    w = layer(w, c, 16, d, 8);
    float value = w[0];
    for (int i = 0; i < 8; i++) value += d[i] * w[1 + i];
    return (int32_t)rintf(value);
}

/* The sum of the values of `n` boards (own, opp, kings each), `rounds` times over. */
int64_t evaluate_all(const uint32_t *boards, int64_t n, int64_t rounds, intptr_t context) {
    int64_t sum = 0;
    for (int64_t r = 0; r < rounds; r++)
        for (int64_t i = 0; i < n; i++) sum += evaluate(boards[3 * i], boards[3 * i + 1], boards[3 * i + 2], 0, context);
    return sum;
}
