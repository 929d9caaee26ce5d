/* "Did you mean": messages about unknown names point at the known one that was probably meant. */
#include "common/base/similar.h"

#include <stddef.h>
#include <string.h>

#define LONGEST_WORD 64

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *word, size_t length, const char *other, size_t other_length)
{
    /* One row of the table: row[j] is the distance between the first i bytes of word and the first
     * j of other. */
    size_t row[LONGEST_WORD + 1];
    for (size_t j = 0; j <= other_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= other_length; j++) {
            size_t replaced = diagonal + (word[i - 1] != other[j - 1] ? 1 : 0);
            diagonal = row[j];
            row[j] = smaller(replaced, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[other_length];
}

bool strata_similar(const char *word, const char *other)
{
    size_t length = strlen(word);
    size_t other_length = strlen(other);
    if (length > LONGEST_WORD || other_length > LONGEST_WORD) {
        return false;
    }
    size_t allowed = smaller(length, other_length) <= 4 ? 1 : 2;
    return distance(word, length, other, other_length) <= allowed;
}
