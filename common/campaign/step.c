/* Whether one run holds two rates, so that its mean is neither.
 *
 * Always: only whole seconds count, since the last one is cut; the second in which the rate changes
 * belongs to neither side; linear in the seconds. Naming the step a fault of the run is left to
 * judge.c. */
#include "common/campaign/step.h"

#include "common/base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { SECONDS_LEAST = 6, SIDE_LEAST = 2, WRONG_ONE_IN = 10 };
#define RATES_APART     1.5
#define STANDARD_ERRORS 6.0
#define SECOND_NS       1e9

/* Sums over the first so many seconds; those of any range are a difference. */
struct sums {
    double value, square, moment; /* of the rate, its square, and second x rate */
};

struct series {
    double *rates; /* of each whole second */
    struct sums *before;
    size_t count;
};

/* A place of the model: the change lies inside second `within`. */
struct place {
    size_t within;
    double left, right; /* mean rates */
    double squares;     /* what is left of the sum of squares */
};

static double successes(const struct strata_recorder *recorder, size_t second)
{
    uint64_t ok = 0;
    for (int k = 0; k < STRATA_OPERATION_KINDS; k++) {
        const struct strata_record *record = recorder->records[k];
        ok += record != NULL && second < record->sample_count ? record->samples[second].ok : 0;
    }
    return (double)ok;
}

static void read_series(struct series *series, const struct strata_recorder *recorder)
{
    series->rates = strata_memory_new(series->count, sizeof(*series->rates));
    series->before = strata_memory_new(series->count + 1, sizeof(*series->before));
    for (size_t s = 0; s < series->count; s++) {
        double rate = series->rates[s] = successes(recorder, s);
        struct sums *sums = &series->before[s + 1];
        *sums = series->before[s];
        sums->value += rate;
        sums->square += rate * rate;
        sums->moment += (double)s * rate;
    }
}

/* Mean of the seconds from `first` to before `end`, and their sum of squares around it. */
static double mean_of(const struct series *series, size_t first, size_t end, double *ret_squares)
{
    double count = (double)(end - first);
    double sum = series->before[end].value - series->before[first].value;
    double square = series->before[end].square - series->before[first].square;
    *ret_squares = fmax(0, square - sum * sum / count);
    return sum / count;
}

static struct place place_within(const struct series *series, size_t second)
{
    double left;
    double right;
    struct place place = {.within = second};
    place.left = mean_of(series, 0, second, &left);
    place.right = mean_of(series, second + 1, series->count, &right);
    place.squares = left + right;
    return place;
}

/* The share of the second that still had the rate of the left. */
static double place_s(const struct series *series, const struct place *place)
{
    double share = (series->rates[place->within] - place->right) / (place->left - place->right);
    return (double)place->within + fmin(fmax(share, 0), 1);
}

static bool far_enough(const struct place *place)
{
    double slower = fmin(place->left, place->right);
    double faster = fmax(place->left, place->right);
    return faster > 0 && faster >= RATES_APART * slower;
}

/* Whether few seconds lie on the wrong side of the middle between both rates. */
static bool apart(const struct series *series, const struct place *place)
{
    double middle = sqrt(place->left * place->right); /* noise is relative */
    bool falls = place->left > place->right;
    size_t wrong[2] = {0, 0};
    for (size_t s = 0; s < series->count; s++) {
        bool right = s > place->within;
        wrong[right] += s != place->within && (series->rates[s] > middle) != (falls != right);
    }
    return wrong[0] * WRONG_ONE_IN <= place->within &&
           wrong[1] * WRONG_ONE_IN <= series->count - place->within - 1;
}

/* The sum of squares around the least-squares line through all seconds. */
static double squares_around_line(const struct series *series)
{
    double count = (double)series->count;
    double squares;
    double mean = mean_of(series, 0, series->count, &squares);
    double moment = series->before[series->count].moment - mean * count * (count - 1) / 2;
    return fmax(0, squares - moment * moment / (count * (count * count - 1) / 12));
}

/* The fewer the seconds, the less they tell of their noise, and the more of it is assumed. */
static bool beyond_noise(const struct series *series, const struct place *place)
{
    double left_s = (double)place->within;
    double right_s = (double)(series->count - place->within - 1);
    double freedom = left_s + right_s - 2;
    double of_few = 1 + 6 / freedom;
    double of_counts = (left_s * place->left + right_s * place->right) / (left_s + right_s);
    double variance = fmax(place->squares / freedom * of_few * of_few, of_counts);
    double error = sqrt(variance * (1 / left_s + 1 / right_s));
    return fabs(place->left - place->right) >= STANDARD_ERRORS * error;
}

static bool is_step(const struct series *series, const struct place *place)
{
    return far_enough(place) && apart(series, place) &&
           place->squares < squares_around_line(series) && beyond_noise(series, place);
}

bool strata_step_find(const struct strata_recorder *recorder, uint64_t window_ns,
                      struct strata_step *ret_step)
{
    *ret_step = (struct strata_step){0};
    uint64_t whole = window_ns / UINT64_C(1000000000);
    struct series series = {.count = whole < STRATA_SERIES_SECONDS ? (size_t)whole
                                                                   : STRATA_SERIES_SECONDS - 1};
    if (series.count < SECONDS_LEAST) {
        return false;
    }
    read_series(&series, recorder);
    struct place best = {.squares = INFINITY};
    for (size_t s = SIDE_LEAST; s + SIDE_LEAST < series.count; s++) {
        struct place place = place_within(&series, s);
        best = place.squares < best.squares ? place : best;
    }
    bool found = is_step(&series, &best);
    if (found) {
        *ret_step = (struct strata_step){.at_ns = (uint64_t)(place_s(&series, &best) * SECOND_NS),
                                         .before_per_s = best.left,
                                         .after_per_s = best.right};
    }
    free(series.rates);
    free(series.before);
    return found;
}
