/* Where a back end is: its own path or URL, and the further members of a set.
 *
 * A list is parted at blanks and commas, so a path that holds one writes it as \ooo, three octal
 * digits, as fstab(5) does. A path that stands alone is taken as it is. */
#include "common/plan/plan.h"

#include <stdlib.h>
#include <string.h>

static bool is_octal(const char *text)
{
    return strspn(text, "01234567") >= 3 && text[0] <= '3';
}

static char *unescape(const char *text)
{
    char *plain = strata_text_duplicate(text);
    char *end = plain;
    while (*text != '\0') {
        if (*text == '\\' && is_octal(text + 1)) {
            *end++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
            text += 4;
        } else {
            *end++ = *text++;
        }
    }
    *end = '\0';
    return plain;
}

/* The further members; NULL where elements of that type make no sets. */
static const struct strata_setting *further(const struct strata_element *element)
{
    for (size_t i = 0; i < element->type->option_count; i++) {
        if (strcmp(element->type->options[i].name, "and") == 0) {
            return &element->settings[i];
        }
    }
    return NULL;
}

char *strata_element_place(const struct strata_element *element, size_t n)
{
    const char *place = element->type->place;
    if (n == 0) {
        const char *first = place != NULL ? strata_element_text(element, place) : NULL;
        return first != NULL ? strata_text_duplicate(first) : NULL;
    }
    const struct strata_setting *others = further(element);
    return others != NULL && n <= others->count ? unescape(others->values[n - 1].text) : NULL;
}

/* As an item of the list. */
static void escape(const char *text, size_t length, struct strata_text *out)
{
    for (size_t i = 0; i < length; i++) {
        if (strchr(" \t,\\", text[i]) != NULL) {
            strata_text_format(out, "\\%03o", (unsigned)text[i]);
        } else {
            strata_text_append_bytes(out, text + i, 1);
        }
    }
}

/* Paths are parted where a comma stands before a slash, so that a comma in a name does no harm. */
static size_t path_length(const char *text)
{
    const char *end = strstr(text, ",/");
    return end != NULL ? (size_t)(end - text) : strlen(text);
}

enum strata_status strata_element_set_place(struct strata_element *element, const char *text,
                                            struct strata_error *error)
{
    size_t length = path_length(text);
    if (text[length] == '\0' || further(element) == NULL) {
        return strata_element_set(element, element->type->place, text, error);
    }
    char *first = strata_text_duplicate_format("%.*s", (int)length, text);
    struct strata_text others = {0};
    while (text[length] != '\0') {
        text += length + 1;
        length = path_length(text);
        strata_text_append(&others, others.length > 0 ? " " : "");
        escape(text, length, &others);
    }
    enum strata_status status = strata_element_set(element, element->type->place, first, error);
    if (status == STRATA_OK) {
        status = strata_element_set(element, "and", strata_text_string(&others), error);
    }
    free(first);
    strata_text_done(&others);
    return status;
}
