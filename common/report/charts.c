/* Drawing: a label on a line of its own, the mark below it, so that a phone shows both.
 *
 * Always holds: every coordinate is finite and inside the picture, whatever the values; the page is
 * readable without the picture, since the same numbers stand in a table beside it. */
#include "common/report/charts.h"

#include "common/report/escape.h"

#include <math.h>
#include <stdlib.h>

/* In user units of the picture; the style sheet scales it. */
static const double width = 400;
static const double left = 6;
static const double right = 394;
static const double row_height = 30;
static const double axis_height = 22;
enum { LONGEST_LABEL = 70 };

/* Values from `low` to `high` on the width of the picture. */
struct axis {
    double low;
    double high;
};

static double place(const struct axis *axis, double value)
{
    double clamped = fmin(fmax(value, axis->low), axis->high);
    return left + (right - left) * (clamped - axis->low) / (axis->high - axis->low);
}

static void open_picture(size_t rows, const char *what, struct strata_text *out)
{
    strata_text_format(out,
                       "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\" "
                       "preserveAspectRatio=\"xMinYMin\">\n",
                       width, axis_height + row_height * (double)(rows > 0 ? rows : 1), what);
    if (rows == 0) {
        strata_text_format(out, "<text x=\"%.0f\" y=\"20\">no data</text>\n", left);
    }
}

/* Cut at a character, not inside one. */
static void write_label(const char *label, double y, struct strata_text *out)
{
    size_t bytes = 0;
    size_t characters = 0;
    while (label[bytes] != '\0' && characters < LONGEST_LABEL) {
        do {
            bytes++;
        } while (((unsigned char)label[bytes] & 0xc0) == 0x80);
        characters++;
    }
    char *shown =
        strata_text_duplicate_format("%.*s%s", (int)bytes, label, label[bytes] != '\0' ? "…" : "");
    strata_text_format(out, "<text class=\"label\" x=\"%.0f\" y=\"%.1f\">", left, y);
    strata_escape_html(out, shown);
    strata_text_append(out, "<title>");
    strata_escape_html(out, label);
    strata_text_append(out, "</title></text>\n");
    free(shown);
}

static void write_bar(const char *class_name, double x, double y, double bar_width, double height,
                      struct strata_text *out)
{
    strata_text_format(
        out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
        class_name, x, y, fmax(bar_width, 0.5), height);
}

static void write_line(const char *class_name, double x1, double x2, double y1, double y2,
                       struct strata_text *out)
{
    strata_text_format(out,
                       "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
                       class_name, x1, x2, y1, y2);
}

/* 1, 2 or 5 times a power of ten, so that at most six steps cover the range. */
static double nice_step(double range)
{
    double power = pow(10, floor(log10(range / 6)));
    static const double factors[] = {1, 2, 5, 10};
    for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
        if (factors[i] * power * 6 >= range) {
            return factors[i] * power;
        }
    }
    return 10 * power;
}

static void write_percent_axis(const struct axis *axis, double y, struct strata_text *out)
{
    double step = nice_step(axis->high - axis->low);
    for (int i = (int)ceil(axis->low / step); i * step <= axis->high; i++) {
        double x = place(axis, i * step);
        write_line("tick", x, x, 0, y, out);
        strata_text_format(out, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">%.*f %%</text>\n",
                           fmin(fmax(x, left + 12), right - 14), y + 14, step < 0.01 ? 1 : 0,
                           100 * i * step + 0.0);
    }
}

/* A gain of a thousand per cent must not squeeze everything else: the axis ends at -100 %. */
static struct axis interval_axis(const struct strata_interval *items, size_t count, double margin)
{
    struct axis axis = {-0.02, fmax(margin, 0.01) * 1.2};
    for (size_t i = 0; i < count; i++) {
        const double values[] = {items[i].estimate, items[i].low, items[i].high};
        for (size_t v = 0; v < 3; v++) {
            if (isfinite(values[v])) {
                axis.low = fmin(axis.low, fmax(values[v] - 0.02, -1));
                axis.high = fmax(axis.high, fmin(values[v] + 0.02, 1));
            }
        }
    }
    return axis;
}

void strata_chart_intervals(const struct strata_interval *items, size_t count, double margin,
                            struct strata_text *out)
{
    struct axis axis = interval_axis(items, count, margin);
    double bottom = row_height * (double)(count > 0 ? count : 1);
    open_picture(count, "loss with its bounds for each workload", out);
    write_percent_axis(&axis, bottom, out);
    write_line("zero", place(&axis, 0), place(&axis, 0), 0, bottom, out);
    write_line("margin", place(&axis, margin), place(&axis, margin), 0, bottom, out);
    for (size_t i = 0; i < count; i++) {
        double y = row_height * (double)i;
        bool bounded = isfinite(items[i].low) && isfinite(items[i].high);
        write_label(items[i].label, y + 11, out);
        strata_text_format(out, "<g class=\"%s\">\n", items[i].verdict);
        write_line(bounded ? "bound" : "bound open", bounded ? place(&axis, items[i].low) : left,
                   bounded ? place(&axis, items[i].high) : right, y + 20, y + 20, out);
        if (isfinite(items[i].estimate)) {
            strata_text_format(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n",
                               place(&axis, items[i].estimate), y + 20);
        }
        strata_text_append(out, "</g>\n");
    }
    strata_text_append(out, "</svg>\n");
}

/* The value that both bars of a pair are relative to. */
static double reference(const struct strata_bar_pair *pair)
{
    return pair->first > 0 ? pair->first : pair->second > 0 ? pair->second : 1;
}

void strata_chart_pairs(const struct strata_bar_pair *items, size_t count, struct strata_text *out)
{
    struct axis axis = {0, 1};
    for (size_t i = 0; i < count; i++) {
        double ratio = items[i].second / reference(&items[i]);
        axis.high = isfinite(ratio) ? fmax(axis.high, ratio) : axis.high;
    }
    double bottom = row_height * 1.2 * (double)(count > 0 ? count : 1);
    strata_text_format(out,
                       "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"rates, plain and "
                       "encrypted\" preserveAspectRatio=\"xMinYMin\">\n",
                       width, bottom + 4);
    if (count == 0) {
        strata_text_format(out, "<text x=\"%.0f\" y=\"20\">no data</text>\n", left);
    }
    for (size_t i = 0; i < count; i++) {
        const struct strata_bar_pair *pair = &items[i];
        const double values[] = {pair->first, pair->second};
        const char *texts[] = {pair->first_text, pair->second_text};
        static const char *const classes[] = {"plain", "encrypted"};
        double y = row_height * 1.2 * (double)i;
        write_label(pair->label, y + 11, out);
        for (size_t b = 0; b < 2; b++) {
            if (isfinite(values[b])) {
                double top = y + 14 + 10 * (double)b;
                double x = place(&axis, values[b] / reference(pair));
                write_bar(classes[b], left, top, x - left, 9, out);
                strata_text_format(out, "<text class=\"value%s\" x=\"%.1f\" y=\"%.1f\">",
                                   x > width / 2 ? " inside" : "", x > width / 2 ? x - 3 : x + 3,
                                   top + 8);
                strata_escape_html(out, texts[b]);
                strata_text_append(out, "</text>\n");
            }
        }
    }
    strata_text_append(out, "</svg>\n");
}

void strata_chart_steps(const struct strata_step *items, size_t count, struct strata_text *out)
{
    struct axis axis = {0, 0};
    for (size_t i = 0; i < count; i++) {
        axis.high = isfinite(items[i].value) ? fmax(axis.high, items[i].value) : axis.high;
    }
    axis.high = axis.high > 0 ? axis.high : 1;
    open_picture(count, "rate at each layer of the ladder", out);
    for (size_t i = 0; i < count; i++) {
        const struct strata_step *step = &items[i];
        double y = row_height * (double)i;
        double x = isfinite(step->value) ? place(&axis, step->value) : left;
        write_label(step->label, y + 11, out);
        if (step->before > step->value) {
            write_bar("lost", x, y + 15, place(&axis, step->before) - x, 11, out);
        }
        write_bar(step->marked ? "step marked" : "step", left, y + 15, x - left, 11, out);
    }
    strata_text_append(out, "</svg>\n");
}
