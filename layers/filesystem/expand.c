/* From <metadata> and <ladder> to cells: a tree of files made, used and removed, phase by phase.
 *
 * Always: a cell's name and parameters say all that decides its figures, the caches among them;
 * what a phase needs was made by the phases before it. */
#include "layers/filesystem/filesystem.h"

#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One point of the sweep. */
struct tree {
    const struct strata_element *element;
    bool ladder;
    bool shared;
    uint64_t files;
    uint64_t directories;
    unsigned jobs_asked;
    unsigned jobs; /* at most one for each file */
    uint64_t file_bytes;
    uint64_t duration_ns;
};

/* Roughly, for the time left only. */
#define EXPECTED_OPERATION_NS     UINT64_C(10000)
#define EXPECTED_BYTES_PER_SECOND UINT64_C(300000000)
#define EXPECTED_RUN_NS           UINT64_C(50000000)

static unsigned least(uint64_t a, unsigned b)
{
    return a < b ? (unsigned)a : b;
}

/* How many jobs have something to do in a phase of this kind. */
static unsigned jobs_of(const struct tree *tree, enum strata_operation_kind kind)
{
    switch (kind) {
    case STRATA_OPERATION_SYNC:
        return 1;
    case STRATA_OPERATION_MKDIR:
    case STRATA_OPERATION_RMDIR:
        return tree->shared ? 1 : tree->jobs;
    case STRATA_OPERATION_READDIR:
        return tree->shared ? least(1 + tree->directories, tree->jobs) : tree->jobs;
    default:
        return tree->jobs;
    }
}

static void add_phase(struct strata_workload *workload, const struct tree *tree, const char *name,
                      enum strata_operation_kind kind)
{
    bool moves_bytes = kind == STRATA_OPERATION_CREATE || kind == STRATA_OPERATION_READ;
    workload->phases[workload->phase_count++] = (struct strata_load){
        .phase = name,
        .jobs = jobs_of(tree, kind),
        .depth = 1,
        .mix = {{.kind = kind, .weight = 1}},
        .mix_count = 1,
        .order = STRATA_ORDER_SEQUENTIAL,
        .bytes = moves_bytes ? tree->file_bytes : 0,
        .one_pass = true,
        /* One pass decides the end; the number is for strata_filesystem_options. */
        .operations = kind == STRATA_OPERATION_CREATE ? tree->files : 0,
        .duration_ns = kind == STRATA_OPERATION_SYNC ? 0 : tree->duration_ns,
    };
}

static void add_phases(struct strata_workload *workload, const struct tree *tree)
{
    workload->phases = strata_memory_new(9, sizeof(*workload->phases));
    add_phase(workload, tree, "mkdir", STRATA_OPERATION_MKDIR);
    if (tree->ladder) {
        add_phase(workload, tree, "write", STRATA_OPERATION_CREATE);
        add_phase(workload, tree, "read", STRATA_OPERATION_READ);
    } else {
        add_phase(workload, tree, "create", STRATA_OPERATION_CREATE);
        add_phase(workload, tree, "sync", STRATA_OPERATION_SYNC);
        add_phase(workload, tree, "stat", STRATA_OPERATION_STAT);
        add_phase(workload, tree, "read", STRATA_OPERATION_READ);
        add_phase(workload, tree, "rename", STRATA_OPERATION_RENAME);
        add_phase(workload, tree, "readdir", STRATA_OPERATION_READDIR);
    }
    add_phase(workload, tree, "unlink", STRATA_OPERATION_UNLINK);
    add_phase(workload, tree, "rmdir", STRATA_OPERATION_RMDIR);
}

/* Caches, as they are: a stat that follows a create on the same machine is answered from memory,
 * and this is said rather than hidden. Reads of content are taken from storage as far as this
 * process can bring that about. Files of a ladder are on stable storage before they count as
 * written, as objects are at the layers above. */
static char *describe_parameters(const struct tree *tree)
{
    struct strata_text json = {0};
    strata_text_format(&json,
                       "{\"layout\": \"%s\", \"files\": %" PRIu64 ", \"directories\": %" PRIu64
                       ", \"jobs\": %u, \"file_size_bytes\": %" PRIu64 ", \"duration_ns\": %" PRIu64
                       ", \"order\": \"sequential\", \"metadata_cache\": \"warm\"",
                       tree->shared ? "shared" : "unique", tree->files, tree->directories,
                       tree->jobs, tree->file_bytes, tree->duration_ns);
    if (tree->file_bytes > 0) {
        strata_text_format(&json, ", \"data_cache_before_read\": \"%s\", \"file_sync\": \"%s\"",
                           strata_posix_cache_dropping(),
                           tree->ladder ? "fsync before close" : "none, sync phase after create");
    }
    strata_text_append(&json, "}");
    return json.bytes;
}

static void name_ladder(struct strata_workload *workload, const struct tree *tree)
{
    char size[32];
    snprintf(workload->name, sizeof(workload->name), "ladder %s x %u",
             strata_units_format_size(tree->file_bytes, size, sizeof(size)), tree->jobs);
    snprintf(workload->match_key, sizeof(workload->match_key), "%" PRIu64 " B x %u",
             tree->file_bytes, tree->jobs);
}

/* The longest that the option tables allow has 90 characters. */
static void name_metadata(struct strata_workload *workload, const struct tree *tree)
{
    char *name = workload->name;
    size_t size = sizeof(workload->name);
    size_t length = (size_t)snprintf(
        name, size, "metadata %s %" PRIu64 " files of %" PRIu64 " B, %u jobs",
        tree->shared ? "shared" : "unique", tree->files, tree->file_bytes, tree->jobs_asked);
    if (tree->directories > 0 && length < size) {
        length += (size_t)snprintf(name + length, size - length, ", %" PRIu64 " directories",
                                   tree->directories);
    }
    if (tree->duration_ns > 0 && length < size) {
        snprintf(name + length, size - length, ", %.3g s", (double)tree->duration_ns / 1e9);
    }
}

/* Saturates, for dry runs of absurd sizes. */
static uint64_t expect_ns(const struct tree *tree, size_t phases)
{
    double operations_ns = (double)tree->files * (double)phases * (double)EXPECTED_OPERATION_NS;
    double bytes_ns =
        2e9 * (double)tree->files * (double)tree->file_bytes / (double)EXPECTED_BYTES_PER_SECOND;
    double expected_ns = operations_ns + bytes_ns + (double)EXPECTED_RUN_NS;
    double limit_ns = (double)tree->duration_ns * (double)phases;
    if (tree->duration_ns > 0 && limit_ns < expected_ns) {
        expected_ns = limit_ns;
    }
    return expected_ns < 1e17 ? (uint64_t)expected_ns : UINT64_C(100000000000000000);
}

static void add_cell(const struct tree *tree, const struct strata_backend *plain,
                     const struct strata_backend *encrypted, struct strata_cells *cells)
{
    struct strata_cell *cell = strata_cells_add(cells);
    struct strata_workload *workload = &cell->workload;
    cell->plain = plain;
    cell->encrypted = encrypted;
    workload->layer = STRATA_LAYER_FILESYSTEM;
    workload->element = tree->element->type->name;
    workload->object_bytes = tree->file_bytes;
    workload->concurrency = tree->jobs;
    workload->category = tree->ladder ? "" : tree->shared ? "shared" : "unique";
    workload->source = tree->element;
    workload->parameters = describe_parameters(tree);
    if (tree->ladder) {
        name_ladder(workload, tree);
    } else {
        name_metadata(workload, tree);
    }
    add_phases(workload, tree);
    workload->expected_ns = expect_ns(tree, workload->phase_count);
}

/* The smallest point of four lists' product is the innermost loop's. */
static void expand_metadata(const struct strata_element *element,
                            const struct strata_backend *plain,
                            const struct strata_backend *encrypted, struct strata_cells *cells)
{
    const struct strata_setting *layouts = strata_element_setting(element, "layout");
    const struct strata_setting *files = strata_element_setting(element, "files");
    const struct strata_setting *jobs = strata_element_setting(element, "jobs");
    const struct strata_setting *sizes = strata_element_setting(element, "file-size");
    size_t points = layouts->count * files->count * jobs->count * sizes->count;
    for (size_t point = 0; point < points; point++) {
        size_t rest = point;
        uint64_t file_bytes = sizes->values[rest % sizes->count].number;
        rest /= sizes->count;
        uint64_t jobs_asked = jobs->values[rest % jobs->count].number;
        rest /= jobs->count;
        uint64_t file_count = files->values[rest % files->count].number;
        rest /= files->count;
        struct tree tree = {
            .element = element,
            .shared = strcmp(layouts->values[rest].text, "shared") == 0,
            .files = file_count,
            .directories = strata_element_number(element, "directories"),
            .jobs_asked = (unsigned)jobs_asked,
            .jobs = least(file_count, (unsigned)jobs_asked),
            .file_bytes = file_bytes,
            .duration_ns = strata_element_number(element, "duration"),
        };
        add_cell(&tree, plain, encrypted, cells);
    }
}

/* As many files as the amount holds, but at least one for each that shall be in flight. */
static void expand_ladder(const struct strata_element *element, const struct strata_backend *plain,
                          const struct strata_backend *encrypted, struct strata_cells *cells)
{
    const struct strata_setting *sizes = strata_element_setting(element, "sizes");
    const struct strata_setting *concurrency = strata_element_setting(element, "concurrency");
    uint64_t amount_bytes = strata_element_number(element, "amount");
    for (size_t point = 0; point < sizes->count * concurrency->count; point++) {
        uint64_t file_bytes = sizes->values[point / concurrency->count].number;
        uint64_t jobs = concurrency->values[point % concurrency->count].number;
        uint64_t files = amount_bytes / file_bytes;
        struct tree tree = {
            .element = element,
            .ladder = true,
            .files = files > jobs ? files : jobs,
            .jobs_asked = (unsigned)jobs,
            .jobs = (unsigned)jobs,
            .file_bytes = file_bytes,
        };
        add_cell(&tree, plain, encrypted, cells);
    }
}

enum strata_status strata_filesystem_expand(const struct strata_element *element,
                                            const struct strata_backend *plain,
                                            const struct strata_backend *encrypted,
                                            struct strata_cells *cells, struct strata_error *error)
{
    (void)error; /* the option tables refuse what cannot be expanded */
    if (element->type->role == STRATA_ROLE_LADDER) {
        expand_ladder(element, plain, encrypted, cells);
    } else {
        expand_metadata(element, plain, encrypted, cells);
    }
    return STRATA_OK;
}

struct strata_posix_options strata_filesystem_options(const struct strata_workload *workload)
{
    bool ladder = workload->source->type->role == STRATA_ROLE_LADDER;
    struct strata_posix_options options = {
        .shared = strcmp(workload->category, "shared") == 0,
        .directories = ladder ? 0 : strata_element_number(workload->source, "directories"),
        .jobs = workload->concurrency,
        .file_bytes = workload->object_bytes,
        .sync_files = ladder,
    };
    for (size_t p = 0; p < workload->phase_count; p++) {
        if (workload->phases[p].mix[0].kind == STRATA_OPERATION_CREATE) {
            options.files = workload->phases[p].operations;
        }
    }
    return options;
}
