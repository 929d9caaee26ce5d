/* Who makes what, and what it is called.
 *
 * Always holds: a name follows from the numbers of job, file and directory alone, so that nothing
 * is stored for a file but its bits; names are made without allocation or printf, since they are
 * part of each measured operation. A job's files fill the subdirectories that exist one after the
 * other. */
#include "common/target/posix_tree.h"

#include "common/base/share.h"

#include <string.h>

unsigned strata_posix_tree_count(const struct strata_posix *posix)
{
    return posix->options.shared ? 1 : posix->options.jobs;
}

unsigned strata_posix_tree_of(const struct strata_posix *posix, unsigned job)
{
    return posix->options.shared ? 0 : job;
}

uint64_t strata_posix_planned(const struct strata_posix *posix, unsigned job)
{
    return strata_share_count(posix->options.files, job, posix->options.jobs);
}

/* At most 2^33 files and 2^20 directories: the products fit. */
uint64_t strata_posix_first_file(uint64_t files, uint64_t places, uint64_t place)
{
    return place * files / places;
}

/* The largest place with place * files / places < file + 1. */
uint64_t strata_posix_place_of(uint64_t files, uint64_t places, uint64_t file)
{
    return ((file + 1) * places - 1) / files;
}

/* Subdirectories that exist, 0 when files go into the tree's own directory. */
static uint64_t places_of(const struct strata_posix *posix, unsigned tree)
{
    const struct strata_item_set *directories = &posix->trees[tree];
    return directories->count - (strata_item_set_contains(directories, 0) ? 1 : 0);
}

static uint64_t files_in(const struct strata_posix *posix, unsigned tree, uint64_t directory)
{
    uint64_t places = places_of(posix, tree);
    if ((places > 0) != (directory > 0)) {
        return 0; /* files are in the subdirectories, or in the tree's own directory */
    }
    uint64_t place =
        directory > 0 ? strata_item_set_count_range(&posix->trees[tree], 1, directory) : 0;
    uint64_t entries = 0;
    for (unsigned job = 0; job < posix->options.jobs; job++) {
        if (strata_posix_tree_of(posix, job) != tree) {
            continue;
        }
        const struct strata_item_set *files = &posix->jobs[job].files;
        uint64_t from = places > 0 ? strata_posix_first_file(files->size, places, place) : 0;
        uint64_t to =
            places > 0 ? strata_posix_first_file(files->size, places, place + 1) : files->size;
        entries += strata_item_set_count_range(files, from, to);
    }
    return entries;
}

uint64_t strata_posix_expected_entries(const struct strata_posix *posix, unsigned tree,
                                       uint64_t directory)
{
    uint64_t subdirectories = directory == 0 ? places_of(posix, tree) : 0;
    return subdirectories + files_in(posix, tree, directory);
}

/* Append to the name at `at`; both return where it then ends, where a terminator stands. */
static char *append_text(char *at, const char *text)
{
    size_t length = strlen(text);
    memcpy(at, text, length + 1);
    return at + length;
}

static char *append_number(char *at, uint64_t number)
{
    char digits[20];
    unsigned count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    *at = '\0';
    return at;
}

void strata_posix_file_name(const struct strata_posix *posix, unsigned job, uint64_t file,
                            bool renamed, char ret_name[STRATA_POSIX_NAME_BYTES])
{
    unsigned tree = strata_posix_tree_of(posix, job);
    uint64_t places = places_of(posix, tree);
    char *at = ret_name;
    if (places > 0) {
        uint64_t place = strata_posix_place_of(posix->jobs[job].files.size, places, file);
        at = append_text(at, "d.");
        at = append_number(at, strata_item_set_select(&posix->trees[tree], place + 1) - 1);
        at = append_text(at, "/");
    }
    at = append_text(at, renamed ? "r." : "f.");
    at = append_number(at, job);
    at = append_text(at, ".");
    append_number(at, file);
}

void strata_posix_directory_name(unsigned tree, uint64_t directory,
                                 char ret_name[STRATA_POSIX_NAME_BYTES])
{
    char *at = append_number(append_text(ret_name, "t."), tree);
    if (directory > 0) {
        append_number(append_text(at, "/d."), directory - 1);
    }
}

/* A number as append_number writes it, below `limit`. Returns where it ends, NULL when it is none.
 */
static const char *parse_number(const char *text, uint64_t limit, uint64_t *ret_number)
{
    const char *at = text;
    uint64_t number = 0;
    for (; *at >= '0' && *at <= '9' && at - text < 19; at++) {
        number = number * 10 + (uint64_t)(*at - '0');
    }
    bool canonical = at != text && (*text != '0' || at == text + 1);
    *ret_number = number;
    return canonical && number < limit ? at : NULL;
}

static bool is_numbered(const char *name, const char *prefix, uint64_t limit)
{
    uint64_t number;
    if (strncmp(name, prefix, 2) != 0) {
        return false;
    }
    const char *end = parse_number(name + 2, limit, &number);
    return end != NULL && *end == '\0';
}

static bool is_file_name(const struct strata_posix *posix, const char *name)
{
    if (strncmp(name, "f.", 2) != 0 && strncmp(name, "r.", 2) != 0) {
        return false;
    }
    uint64_t job;
    uint64_t file;
    const char *at = parse_number(name + 2, posix->options.jobs, &job);
    if (at == NULL || *at != '.') {
        return false;
    }
    at = parse_number(at + 1, strata_posix_planned(posix, (unsigned)job), &file);
    return at != NULL && *at == '\0';
}

bool strata_posix_is_own_name(const struct strata_posix *posix, const char *name, int level,
                              bool is_directory)
{
    if (!is_directory) {
        return level == 0 ? strcmp(name, STRATA_POSIX_MARKER) == 0 : is_file_name(posix, name);
    }
    return (level == 0 && is_numbered(name, "t.", strata_posix_tree_count(posix))) ||
           (level == 1 && is_numbered(name, "d.", posix->options.directories));
}
