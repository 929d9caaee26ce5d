/* Text with natural statistics: word frequencies after Zipf, sentences, paragraphs.
 *
 * A store that compresses finds in it what it finds in a document; random letters would hide that.
 */
#include "layers/user/content.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const words[] = {
    "the",     "of",       "and",      "to",       "in",       "a",         "is",      "that",
    "for",     "it",       "as",       "was",      "with",     "be",        "by",      "on",
    "not",     "he",       "this",     "are",      "or",       "his",       "from",    "at",
    "which",   "but",      "have",     "an",       "had",      "they",      "you",     "were",
    "their",   "one",      "all",      "we",       "can",      "her",       "has",     "there",
    "been",    "if",       "more",     "when",     "will",     "would",     "who",     "so",
    "no",      "storage",  "time",     "system",   "work",     "first",     "may",     "then",
    "people",  "water",    "number",   "report",   "year",     "service",   "house",   "network",
    "between", "under",    "through",  "because",  "question", "different", "result",  "company",
    "morning", "letter",   "several",  "problem",  "during",   "against",   "history", "measure",
    "evening", "country",  "example",  "material", "possible", "interest",  "journey", "document",
    "support", "customer", "increase", "garden",   "picture",  "research",  "quality", "decision",
};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

/* Syllables of the rare words, which are as many as a language has. */
static const char *const syllables[] = {"ba", "con", "der", "el",  "fi",  "gra", "hen",
                                        "im", "ka",  "lo",  "mer", "ni",  "per", "qua",
                                        "ro", "sti", "ter", "un",  "ver", "wi"};
enum { SYLLABLES = sizeof(syllables) / sizeof(syllables[0]), VOCABULARY = 20000 };

/* One word by its rank: rank r is about as frequent as 1/r (Zipf, 1949), by the inverse of the
 * continuous law; the ranks past the list are made of syllables. Returns the length. */
static size_t write_word(struct strata_random *random, char *buffer, size_t size)
{
    double uniform = (double)(strata_random_next(random) >> 11) * 0x1.0p-53;
    size_t index = (size_t)(pow(VOCABULARY, uniform) - 1);
    if (index < WORDS) {
        return (size_t)snprintf(buffer, size, "%s", words[index]);
    }
    size_t length = 0;
    for (size_t rest = index; rest > 0; rest /= SYLLABLES) {
        length +=
            (size_t)snprintf(buffer + length, size - length, "%s", syllables[rest % SYLLABLES]);
    }
    return length;
}

void strata_content_make_text(struct strata_random *random, uint8_t *buffer, size_t bytes)
{
    size_t position = 0;
    size_t sentence_left = 0;
    unsigned sentences = 0;
    while (position < bytes) {
        char word[64];
        size_t length = write_word(random, word, sizeof(word) - 3);
        if (sentence_left == 0) {
            sentence_left = 6 + (size_t)strata_random_below(random, 18);
            word[0] = (char)(word[0] - 'a' + 'A');
        }
        sentence_left--;
        if (sentence_left == 0) {
            word[length++] = '.';
            sentences++;
            word[length++] = sentences % 5 == 0 ? '\n' : ' ';
        } else {
            if (strata_random_below(random, 11) == 0) {
                word[length++] = ',';
            }
            word[length++] = ' ';
        }
        size_t part = length < bytes - position ? length : bytes - position;
        memcpy(buffer + position, word, part);
        position += part;
    }
    buffer[bytes - 1] = '\n';
}
