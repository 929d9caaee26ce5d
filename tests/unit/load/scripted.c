/* An operation finishes its job's latency after it was handed over. A reap that finds nothing
 * finished moves the clock to the next end or to its deadline, whichever comes first, so a test
 * computes every time by hand. */
#include "tests/unit/load/scripted.h"

#include "common/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local uint64_t fake_now_ns = SCRIPTED_EPOCH_NS;

static uint64_t fake_now(void *context)
{
    (void)context;
    return fake_now_ns;
}

static void fake_sleep(void *context, uint64_t until_ns)
{
    (void)context;
    if (until_ns > fake_now_ns) {
        fake_now_ns = until_ns;
    }
}

const struct strata_clock scripted_clock = {.now_ns = fake_now, .sleep_until_ns = fake_sleep};

struct pending {
    struct strata_operation *operation;
    uint64_t end_ns;
    size_t event;
};

struct scripted_worker {
    struct strata_worker worker;
    struct scripted *scripted;
    unsigned job;
    unsigned depth;
    unsigned count;
    struct pending pending[];
};

static uint64_t items(const struct strata_target *target, unsigned job, unsigned jobs,
                      enum strata_operation_kind kind)
{
    (void)jobs;
    (void)kind;
    const struct scripted *scripted = (const struct scripted *)target;
    bool shared = (scripted->type.capabilities & STRATA_TARGET_SHARED_SPACE) != 0;
    return scripted->items[shared ? 0 : job];
}

static enum strata_status worker_open(struct strata_target *target,
                                      const struct strata_worker_setup *setup,
                                      struct strata_worker **ret_worker, struct strata_error *error)
{
    struct scripted *scripted = (struct scripted *)target;
    if (scripted->open_fails_job == setup->job + 1) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "scripted: job %u cannot open",
                                setup->job);
    }
    struct scripted_worker *worker =
        strata_memory_new(1, sizeof(*worker) + setup->depth * sizeof(worker->pending[0]));
    worker->worker.target = target;
    worker->scripted = scripted;
    worker->job = setup->job;
    worker->depth = setup->depth;
    *ret_worker = &worker->worker;
    atomic_fetch_add(&scripted->opened, 1);
    return STRATA_OK;
}

/* Touches what is still pending, as a device may until it is closed. */
static void worker_close(struct strata_worker *base)
{
    struct scripted_worker *worker = (struct scripted_worker *)base;
    for (unsigned i = 0; i < worker->count; i++) {
        worker->pending[i].operation->result = ECANCELED;
        void *buffer = worker->pending[i].operation->buffer;
        if (worker->scripted->held == NULL || buffer < worker->scripted->held) {
            worker->scripted->held = buffer;
        }
    }
    atomic_fetch_add(&worker->scripted->closed, 1);
    free(worker);
}

static size_t log_event(struct scripted_log *log, const struct strata_operation *operation,
                        uint64_t end_ns)
{
    strata_memory_grow((void **)&log->events, &log->capacity, log->count + 1, sizeof(*log->events));
    struct scripted_event *event = &log->events[log->count];
    *event = (struct scripted_event){.item = operation->item,
                                     .due_ns = operation->due_ns,
                                     .start_ns = operation->start_ns,
                                     .end_ns = end_ns,
                                     .kind = operation->kind};
    if (operation->buffer != NULL) {
        memcpy(event->head, operation->buffer, sizeof(event->head));
    }
    return log->count++;
}

static int submit(struct strata_worker *base, struct strata_operation *const *operations,
                  unsigned count)
{
    struct scripted_worker *worker = (struct scripted_worker *)base;
    struct scripted *scripted = worker->scripted;
    struct scripted_log *log = &scripted->logs[worker->job];
    if (scripted->submit_fails_job == worker->job + 1) {
        return -ENODEV;
    }
    unsigned room = scripted->room > 0 ? scripted->room : worker->depth;
    unsigned free_places = room - worker->count;
    unsigned most = scripted->most_taken > 0 ? scripted->most_taken : count;
    most = most < free_places ? most : free_places;
    unsigned taken = count < most ? count : most;
    uint64_t now_ns = scripted->clock->now_ns(scripted->clock->context);
    for (unsigned i = 0; i < taken; i++) {
        uint64_t n = log->count;
        uint64_t end_ns = now_ns + scripted->latency_ns[worker->job];
        if (scripted->hang_from > 0 && n + 1 >= scripted->hang_from) {
            end_ns = UINT64_MAX;
        }
        operations[i]->result = scripted->result != NULL ? scripted->result(n) : 0;
        size_t event = log_event(log, operations[i], end_ns);
        worker->pending[worker->count++] = (struct pending){operations[i], end_ns, event};
        if (n + 1 == scripted->stop_at) {
            __atomic_store_n(scripted->stop, SIGINT, __ATOMIC_RELAXED);
        }
    }
    return (int)taken;
}

static unsigned take_finished(struct scripted_worker *worker, struct strata_operation **operations,
                              unsigned max, uint64_t now_ns)
{
    unsigned taken = 0;
    unsigned kept = 0;
    for (unsigned i = 0; i < worker->count; i++) {
        struct pending pending = worker->pending[i];
        if (pending.end_ns <= now_ns && taken < max) {
            if (worker->scripted->stamps_end) {
                pending.operation->end_ns = now_ns;
                worker->scripted->logs[worker->job].events[pending.event].end_ns = now_ns;
            }
            operations[taken++] = pending.operation;
        } else {
            worker->pending[kept++] = pending;
        }
    }
    worker->count = kept;
    return taken;
}

static int reap(struct strata_worker *base, struct strata_operation **operations, unsigned max,
                uint64_t deadline_ns)
{
    struct scripted_worker *worker = (struct scripted_worker *)base;
    const struct strata_clock *clock = worker->scripted->clock;
    if (worker->scripted->reap_fails_job == worker->job + 1) {
        return -EIO;
    }
    for (;;) {
        uint64_t now_ns = clock->now_ns(clock->context);
        unsigned taken = take_finished(worker, operations, max, now_ns);
        if (taken > 0 || now_ns >= deadline_ns) {
            return (int)taken;
        }
        uint64_t until_ns = deadline_ns;
        for (unsigned i = 0; i < worker->count; i++) {
            if (worker->pending[i].end_ns < until_ns) {
                until_ns = worker->pending[i].end_ns;
            }
        }
        clock->sleep_until_ns(clock->context, until_ns);
    }
}

void scripted_init(struct scripted *scripted, unsigned capabilities)
{
    scripted->type = (struct strata_target_type){.name = "scripted",
                                                 .help = "for tests",
                                                 .capabilities = capabilities,
                                                 .items = items,
                                                 .worker_open = worker_open,
                                                 .worker_close = worker_close,
                                                 .submit = submit,
                                                 .reap = reap};
    scripted->target.type = &scripted->type;
    if (scripted->clock == NULL) {
        scripted->clock = &scripted_clock;
    }
}

void scripted_done(struct scripted *scripted)
{
    for (unsigned job = 0; job < SCRIPTED_JOBS; job++) {
        free(scripted->logs[job].events);
    }
    free(scripted->held);
}
