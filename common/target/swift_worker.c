/* The hot path: a worker's requests in flight, a reusable transfer for each slot.
 *
 * What must always hold: an operation that was taken comes back once. Left to others: which objects
 * there are (common/target/swift.c), what becomes of a request (common/target/swift_transfer.c),
 * sockets (common/target/swift_loop.c). */
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/target/swift_target.h"
#include "common/target/swift_transfer.h"

#include <stdlib.h>
#include <string.h>

struct swift_worker {
    struct strata_worker worker;
    struct strata_swift_target *swift;
    struct strata_swift_loop loop;
    uint64_t *objects; /* see strata_swift_worker_open */
    uint64_t first;
    unsigned depth;
    unsigned in_flight;
    uint64_t timeout_ns;
    uint64_t next_look_ns; /* when to look for transfers that are stuck */
    struct strata_swift_transfer *transfers;
    struct strata_operation **finished;
    unsigned finished_count;
};

static void keep_finished(struct swift_worker *worker, struct strata_operation *operation)
{
    worker->finished[worker->finished_count++] = operation;
    worker->in_flight--;
}

static void on_done(void *context, CURL *easy, CURLcode code)
{
    struct strata_swift_transfer *transfer;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    if (!strata_swift_transfer_repeat(transfer, code)) {
        struct strata_operation *operation = transfer->operation;
        strata_swift_transfer_end(transfer, code);
        keep_finished(context, operation);
    }
}

enum strata_status strata_swift_worker_open(struct strata_swift_target *target,
                                            const struct strata_worker_setup *setup,
                                            uint64_t *objects, uint64_t first,
                                            struct strata_worker **ret_worker,
                                            struct strata_error *error)
{
    struct swift_worker *worker = strata_memory_new(1, sizeof *worker);
    if (!strata_swift_loop_open(&worker->loop, setup->depth)) {
        free(objects);
        free(worker);
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "swift: no descriptor or memory for a worker's event loop");
    }
    worker->worker.target = &target->target;
    worker->swift = target;
    worker->loop.done = on_done;
    worker->loop.context = worker;
    worker->objects = objects;
    worker->first = first;
    worker->timeout_ns = strata_swift_session_endpoint(target->session)->timeout_ns;
    worker->transfers = strata_memory_new(setup->depth, sizeof *worker->transfers);
    worker->finished = strata_memory_new(setup->depth, sizeof *worker->finished);
    while (worker->depth < setup->depth) {
        struct strata_swift_transfer *transfer = &worker->transfers[worker->depth++];
        if (!strata_swift_transfer_open(transfer, target, &worker->loop, setup->kinds,
                                        setup->bytes)) {
            strata_swift_worker_close(&worker->worker);
            return strata_error_set(error, STRATA_ENVIRONMENT,
                                    "swift: no memory for %u requests in flight", setup->depth);
        }
    }
    *ret_worker = &worker->worker;
    return STRATA_OK;
}

void strata_swift_worker_close(struct strata_worker *base)
{
    struct swift_worker *worker = (struct swift_worker *)base;
    for (unsigned i = 0; i < worker->depth; i++) {
        strata_swift_transfer_close(&worker->transfers[i]);
    }
    strata_swift_loop_close(&worker->loop);
    free(worker->objects);
    free(worker->transfers);
    free(worker->finished);
    free(worker);
}

int strata_swift_worker_submit(struct strata_worker *base,
                               struct strata_operation *const *operations, unsigned count)
{
    struct swift_worker *worker = (struct swift_worker *)base;
    for (unsigned i = 0; i < count; i++) {
        struct strata_operation *operation = operations[i];
        uint64_t object = worker->objects != NULL ? worker->objects[operation->item]
                                                  : worker->first + operation->item;
        struct strata_swift_transfer *transfer = &worker->transfers[operation->slot];
        worker->in_flight++;
        if (!strata_swift_transfer_begin(transfer, operation, object)) {
            strata_swift_transfer_end(transfer, CURLE_FAILED_INIT);
            keep_finished(worker, operation);
        }
    }
    strata_swift_loop_turn(&worker->loop);
    return (int)count;
}

/* End the transfers that made no progress for the timeout. */
static void end_stuck(struct swift_worker *worker)
{
    uint64_t now_ns = strata_clock_monotonic_ns();
    if (now_ns < worker->next_look_ns) {
        return;
    }
    worker->next_look_ns = now_ns + worker->timeout_ns / 8;
    for (unsigned i = 0; i < worker->depth && worker->in_flight > 0; i++) {
        struct strata_swift_transfer *transfer = &worker->transfers[i];
        if (transfer->operation != NULL && now_ns > transfer->progress_ns &&
            now_ns - transfer->progress_ns > worker->timeout_ns) {
            struct strata_operation *operation = transfer->operation;
            strata_swift_transfer_give_up(transfer);
            keep_finished(worker, operation);
        }
    }
}

int strata_swift_worker_reap(struct strata_worker *base, struct strata_operation **operations,
                             unsigned max, uint64_t deadline_ns)
{
    struct swift_worker *worker = (struct swift_worker *)base;
    while (worker->finished_count == 0) {
        uint64_t until_ns = worker->in_flight > 0 && worker->next_look_ns < deadline_ns
                                ? worker->next_look_ns
                                : deadline_ns;
        int failure = strata_swift_loop_wait(&worker->loop, until_ns);
        if (failure != 0) {
            return failure;
        }
        end_stuck(worker);
        if (worker->loop.now_ns >= deadline_ns) {
            break;
        }
    }
    unsigned count = worker->finished_count < max ? worker->finished_count : max;
    worker->finished_count -= count;
    memcpy(operations, worker->finished + worker->finished_count, count * sizeof *operations);
    return (int)count;
}
