/* Volumes of any cloud: the user's own command lines, and questions whether their end is reached.
 *
 * Must always hold: what is put into a line needs no quoting: names and numbers are ours, and what
 * a command printed is refused unless it is of harmless characters; a step ends within its timeout,
 * whatever the commands do; a time ends when a check has said yes, so it is too long by at most the
 * pause between two checks and the duration of one. Secrets are left to the environment. */
#include "common/target/volume.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_BYTES = 256 };

#define GRACE_NS UINT64_C(10000000000) /* for a request that a cloud is about to answer */
#define SLICE_NS UINT64_C(50000000)    /* of a pause, before a look at the stop flag */

struct command_driver {
    struct strata_volume_driver base;
    struct strata_volume_command_options options;
    bool needs_id;         /* some line asks for {id} */
    char (*ids)[ID_BYTES]; /* by the volumes' numbers: what `create` printed */
    const char **devices;  /* likewise: what {device} stands for */
};

enum placeholder { NAME, NUMBER, SIZE, SIZE_GIB, ENCRYPTED, ID, DEVICE, PLACEHOLDERS };

static const char *const placeholders[PLACEHOLDERS] = {
    [NAME] = "{name}",         [NUMBER] = "{number}",       [SIZE] = "{size}",
    [SIZE_GIB] = "{size_gib}", [ENCRYPTED] = "{encrypted}", [ID] = "{id}",
    [DEVICE] = "{device}"};

/* The placeholder that begins at `at`; PLACEHOLDERS when none does. */
static enum placeholder find(const char *at)
{
    unsigned p = 0;
    while (p < PLACEHOLDERS && strncmp(at, placeholders[p], strlen(placeholders[p])) != 0) {
        p++;
    }
    return (enum placeholder)p;
}

size_t strata_volume_command_check(const char *line, const char **ret_wrong, bool *ret_device)
{
    *ret_device = false;
    for (const char *at = strchr(line, '{'); at != NULL; at = strchr(at + 1, '{')) {
        enum placeholder found = find(at);
        *ret_device = *ret_device || found == DEVICE;
        size_t letters = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_");
        bool variable = at > line && at[-1] == '$'; /* ${name} is the shell's */
        if (found == PLACEHOLDERS && letters > 0 && at[1 + letters] == '}' && !variable) {
            *ret_wrong = at;
            return letters + 2;
        }
    }
    return 0;
}

static void append_value(struct strata_text *out, const struct command_driver *driver,
                         const struct strata_volume *volume, enum placeholder placeholder)
{
    const struct strata_volume_command_options *options = &driver->options;
    const uint64_t gib = UINT64_C(1) << 30;
    switch (placeholder) {
    case NAME:
        strata_text_append(out, volume->name);
        break;
    case NUMBER:
        strata_text_format(out, "%u", volume->number);
        break;
    case SIZE:
        strata_text_format(out, "%" PRIu64, options->size_bytes);
        break;
    case SIZE_GIB:
        strata_text_format(out, "%" PRIu64, (options->size_bytes + gib - 1) / gib);
        break;
    case ENCRYPTED:
        strata_text_append(out, options->encrypted ? "true" : "false");
        break;
    case ID:
        strata_text_append(out, driver->ids[volume->number]);
        break;
    case DEVICE:
        strata_text_append(out, driver->devices[volume->number]);
        break;
    case PLACEHOLDERS:
        break;
    }
}

/* The line with its placeholders filled in. Owns: the caller's to end. */
static struct strata_text fill(const struct command_driver *driver,
                               const struct strata_volume *volume, const char *line)
{
    struct strata_text out = {0};
    while (*line != '\0') {
        enum placeholder found = *line == '{' ? find(line) : PLACEHOLDERS;
        if (found == PLACEHOLDERS) {
            strata_text_append_bytes(&out, line++, 1);
        } else {
            append_value(&out, driver, volume, found);
            line += strlen(placeholders[found]);
        }
    }
    return out;
}

static void run(const struct command_driver *driver, const struct strata_volume *volume,
                const char *line, const struct strata_volume_step *step, uint64_t until_ns,
                struct strata_command_outcome *ret_outcome)
{
    struct strata_text filled = fill(driver, volume, line);
    const char *const words[] = {"/bin/sh", "-c", strata_text_string(&filled), NULL};
    uint64_t now_ns = strata_clock_monotonic_ns();
    const struct strata_command command = {.words = words,
                                           .timeout_ns = until_ns > now_ns ? until_ns - now_ns : 0,
                                           .stop = step->stop,
                                           .grace_ns = GRACE_NS};
    strata_command_run(&command, ret_outcome);
    strata_text_done(&filled);
}

static bool stopped(const struct strata_volume_step *step)
{
    return step->stop != NULL && __atomic_load_n(step->stop, __ATOMIC_RELAXED) != 0;
}

/* What `create` printed becomes the volume's {id}. */
static int32_t take_id(struct command_driver *driver, const struct strata_volume *volume,
                       const char *output, struct strata_volume_step *step)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "-_.:/@+=";
    size_t length = strlen(output);
    bool fits =
        length > 0 && length < ID_BYTES && strspn(output, harmless) == length && output[0] != '-';
    if (fits) {
        memcpy(driver->ids[volume->number], output, length + 1);
    } else if (driver->needs_id) {
        (void)snprintf(step->cause, sizeof(step->cause),
                       "create printed \"%.100s\", which is no id for {id}", output);
        return EBADMSG;
    }
    return STRATA_RESULT_OK;
}

/* Pause before the next look. Returns false when there shall be none. */
static bool pause_until_next(const struct command_driver *driver,
                             const struct strata_volume_step *step, uint64_t until_ns)
{
    uint64_t next_ns = strata_clock_monotonic_ns() + driver->options.poll_ns;
    uint64_t now_ns;
    while ((now_ns = strata_clock_monotonic_ns()) < next_ns && now_ns < until_ns &&
           !stopped(step)) {
        uint64_t slice_ns = now_ns + SLICE_NS;
        strata_clock_sleep_until_ns(slice_ns < next_ns ? slice_ns : next_ns);
    }
    return now_ns < until_ns && !stopped(step);
}

/* Ask until the answer is yes or never. Where time or patience end, the cause is what the last
 * check said that came to its own end: one that was cut off has seldom said anything yet. */
static int32_t wait_for(const struct command_driver *driver, const struct strata_volume *volume,
                        const char *check, struct strata_volume_step *step, uint64_t until_ns)
{
    struct strata_command_outcome outcome;
    char last[sizeof(step->cause)] = "";
    do {
        run(driver, volume, check, step, until_ns, &outcome);
        int32_t result = strata_volume_judge(&outcome, "its check", step);
        bool ended = outcome.end == STRATA_COMMAND_EXITED;
        if (outcome.end == STRATA_COMMAND_NOT_STARTED ||
            (ended && (outcome.code == STRATA_VOLUME_CHECK_REACHED ||
                       outcome.code == STRATA_VOLUME_CHECK_NEVER))) {
            return result;
        }
        if (ended || last[0] == '\0') {
            (void)snprintf(last, sizeof(last), "%s", step->cause);
        }
    } while (outcome.end == STRATA_COMMAND_EXITED && pause_until_next(driver, step, until_ns));
    bool interrupted = stopped(step);
    (void)snprintf(step->cause, sizeof(step->cause), "%s; %.280s",
                   interrupted ? "interrupted" : "timed out", last);
    return interrupted ? EINTR : STRATA_RESULT_TIMED_OUT;
}

/* A step of the measured life cycle: the line, then its check. */
static int32_t perform(struct command_driver *driver, const struct strata_volume *volume, int index,
                       struct strata_volume_step *step, uint64_t until_ns)
{
    struct strata_command_outcome outcome;
    const char *check = driver->options.checks[index];
    run(driver, volume, driver->options.lines[index], step, until_ns, &outcome);
    int32_t result = strata_volume_judge(&outcome, "the command", step);
    if (result == STRATA_RESULT_OK && step->kind == STRATA_OPERATION_CREATE) {
        result = take_id(driver, volume, outcome.output, step);
    }
    if (result == STRATA_RESULT_OK && check != NULL) {
        uint64_t begin_ns = strata_clock_monotonic_ns();
        result = wait_for(driver, volume, check, step, until_ns);
        step->stage = STRATA_STAGE_WAIT;
        step->stage_ns = strata_clock_monotonic_ns() - begin_ns;
    }
    step->end_ns = strata_clock_monotonic_ns();
    return result;
}

/* The same for cleaning up, where a cloud may still be busy with what was asked before: the line is
 * tried again until its check says yes. Without a check its own success decides, at once. */
static int32_t undo(struct command_driver *driver, const struct strata_volume *volume, int index,
                    struct strata_volume_step *step, uint64_t until_ns)
{
    struct strata_command_outcome outcome;
    const char *check = driver->options.checks[index];
    int32_t result;
    do {
        run(driver, volume, driver->options.lines[index], step, until_ns, &outcome);
        result = strata_volume_judge(&outcome, "the command", step);
        if (check != NULL) {
            struct strata_command_outcome answer;
            run(driver, volume, check, step, until_ns, &answer);
            if (answer.end == STRATA_COMMAND_EXITED && answer.code == STRATA_VOLUME_CHECK_REACHED) {
                return STRATA_RESULT_OK;
            }
            if (result == STRATA_RESULT_OK) {
                (void)strata_volume_judge(&answer, "its check", step);
                result = STRATA_RESULT_TIMED_OUT;
            }
        }
    } while (check != NULL && pause_until_next(driver, step, until_ns));
    return result;
}

static int32_t command_perform(struct strata_volume_driver *base,
                               const struct strata_volume *volume, struct strata_volume_step *step)
{
    struct command_driver *driver = (struct command_driver *)base;
    int index = strata_volume_step_index(step->kind);
    uint64_t until_ns = strata_clock_monotonic_ns() + driver->options.timeout_ns;
    return step->stop != NULL ? perform(driver, volume, index, step, until_ns)
                              : undo(driver, volume, index, step, until_ns);
}

static enum strata_status command_nothing(struct strata_volume_driver *driver,
                                          struct strata_error *error)
{
    (void)driver;
    (void)error;
    return STRATA_OK;
}

static void command_close(struct strata_volume_driver *base)
{
    struct command_driver *driver = (struct command_driver *)base;
    free(driver->ids);
    free(driver->devices);
    free(driver);
}

static const struct strata_volume_driver_type command_type = {
    .name = "command",
    .prepare = command_nothing,
    .perform = command_perform,
    .cleanup = command_nothing,
    .close = command_close,
};

enum strata_status strata_volume_command_open(const struct strata_volume_command_options *options,
                                              struct strata_volume_driver **ret_driver,
                                              struct strata_error *error)
{
    (void)error;
    struct command_driver *driver = strata_memory_new(1, sizeof(*driver));
    driver->base.type = &command_type;
    driver->options = *options;
    driver->ids = strata_memory_new(options->count, sizeof(*driver->ids));
    driver->devices = strata_memory_new(options->count, sizeof(*driver->devices));
    for (unsigned n = 0; n < options->count && options->devices != NULL; n++) {
        driver->devices[n] = options->devices[n];
    }
    for (int i = 0; i < STRATA_VOLUME_STEPS; i++) {
        const char *parts[] = {options->lines[i], options->checks[i]};
        for (int p = 0; p < 2; p++) {
            driver->needs_id =
                driver->needs_id || (parts[p] != NULL && strstr(parts[p], "{id}") != NULL);
        }
    }
    *ret_driver = &driver->base;
    return STRATA_OK;
}
