/* The native asynchronous engine of a block target: one io_submit for a whole batch, and finished
 * operations read from the kernel's completion ring without a system call.
 *
 * A system call costs about as much as a small read from fast storage, so their number decides the
 * rate. The kernel maps each context's ring of events into the process and says by its magic and
 * feature words whether it may be read there; where it may not, io_getevents does the same.
 *
 * Always holds: a context belongs to one worker, so the ring has one reader; in_flight counts what
 * the kernel has; memory that the kernel may still write to is never freed (see worker_close). */
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/target/block_engine.h"

#include <errno.h>
#include <libaio.h>
#include <stdlib.h>
#include <string.h>

/* The head of a completion ring as the kernel lays it out. Source: Linux, fs/aio.c, struct
 * aio_ring; the layout is fixed by its magic. */
struct ring {
    uint32_t id;
    uint32_t entries;
    uint32_t head; /* next event to read: ours to move */
    uint32_t tail; /* next event to come: the kernel's */
    uint32_t magic;
    uint32_t compatible_features;
    uint32_t incompatible_features;
    uint32_t header_bytes;
    struct io_event events[];
};

#define RING_MAGIC 0xa10a10a1U

struct aio_worker {
    struct strata_worker worker;
    io_context_t context;
    struct ring *ring; /* NULL where it may not be read */
    unsigned depth;
    unsigned batch;
    unsigned in_flight;
    struct iocb *blocks; /* one for each slot, on a cache line of its own */
    struct iocb **staged;
    struct io_event *events;
    struct strata_operation **refused; /* failed at submission, wait for `reap` */
    unsigned refused_count;
};

static struct ring *readable_ring(io_context_t context)
{
    struct ring *ring = (struct ring *)(void *)context;
    bool known = ring->magic == RING_MAGIC && ring->incompatible_features == 0 &&
                 ring->header_bytes == sizeof(struct ring);
    return known ? ring : NULL;
}

static void worker_free(struct aio_worker *aio)
{
    free(aio->blocks);
    free(aio->staged);
    free(aio->events);
    free(aio->refused);
    free(aio);
}

static enum strata_status aio_worker_open(struct strata_target *target,
                                          const struct strata_worker_setup *setup,
                                          struct strata_worker **ret_worker,
                                          struct strata_error *error)
{
    const struct strata_block *block = (const struct strata_block *)target;
    io_context_t context = NULL;
    int result = io_setup((int)setup->depth, &context);
    if (result != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: no asynchronous I/O for depth %u: %s%s", block->path,
                                setup->depth, strerror(-result),
                                result == -EAGAIN ? " (fs.aio-max-nr is used up)" : "");
    }
    struct aio_worker *aio = strata_memory_new(1, sizeof(*aio));
    aio->worker.target = target;
    aio->context = context;
    aio->ring = readable_ring(context);
    aio->depth = setup->depth;
    aio->batch = setup->batch > 0 ? setup->batch : 1;
    aio->blocks = strata_memory_new_aligned(setup->depth * sizeof(*aio->blocks));
    aio->staged = strata_memory_new(setup->depth, sizeof(struct iocb *));
    aio->events = strata_memory_new(setup->depth, sizeof(*aio->events));
    aio->refused = strata_memory_new(setup->depth, sizeof(struct strata_operation *));
    *ret_worker = &aio->worker;
    return STRATA_OK;
}

/* Hand aio->staged[from .. count - 1] to the kernel. Returns how far it came; an operation that the
 * kernel refuses as such counts as taken and waits in `refused`. */
static unsigned submit_batch(struct aio_worker *aio, struct strata_operation *const *operations,
                             unsigned count)
{
    unsigned taken = 0;
    while (taken < count) {
        int result = io_submit(aio->context, (long)(count - taken), aio->staged + taken);
        if (result > 0) {
            aio->in_flight += (unsigned)result;
            taken += (unsigned)result;
        } else if (result == -EAGAIN && aio->in_flight > 0) {
            break; /* the kernel is out of room until something is reaped */
        } else if (result != -EINTR) {
            operations[taken]->result = result == 0 ? EAGAIN : -result;
            aio->refused[aio->refused_count++] = operations[taken++];
        }
    }
    return taken;
}

static int aio_submit(struct strata_worker *worker, struct strata_operation *const *operations,
                      unsigned count)
{
    struct aio_worker *aio = (struct aio_worker *)worker;
    const struct strata_block *block = (const struct strata_block *)worker->target;
    unsigned room = aio->depth - aio->in_flight - aio->refused_count;
    if (count > room) {
        count = room;
    }
    for (unsigned i = 0; i < count; i++) {
        struct strata_operation *operation = operations[i];
        struct iocb *control = &aio->blocks[operation->slot];
        control->data = operation;
        control->aio_lio_opcode =
            operation->kind == STRATA_OPERATION_WRITE ? IO_CMD_PWRITE : IO_CMD_PREAD;
        control->u.c.buf = operation->buffer;
        control->u.c.nbytes = operation->bytes;
        off_t position;
        control->aio_fildes = block->parts[strata_block_place(block, operation, &position)].fd;
        control->u.c.offset = position;
        aio->staged[i] = control;
    }
    return (int)submit_batch(aio, operations, count);
}

static struct strata_operation *finished(const struct io_event *event)
{
    struct strata_operation *operation = event->data;
    strata_block_finish(operation, (int64_t)event->res);
    return operation;
}

/* Take what lies in the ring, without a system call. */
static unsigned reap_ring(struct aio_worker *aio, struct strata_operation **operations,
                          unsigned max)
{
    struct ring *ring = aio->ring;
    unsigned head = ring->head;
    unsigned tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    unsigned count = 0;
    while (head != tail && count < max) {
        operations[count++] = finished(&ring->events[head]);
        head = head + 1 == ring->entries ? 0 : head + 1;
    }
    __atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
    return count;
}

/* io_getevents, until at least `want` events or the deadline. Returns how many or a negative
 * errno. */
static int wait_events(struct aio_worker *aio, unsigned want, unsigned max, uint64_t deadline_ns)
{
    for (;;) {
        uint64_t now_ns = deadline_ns == 0 ? 0 : strata_clock_monotonic_ns();
        uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
        struct timespec timeout = {.tv_sec = (time_t)(left_ns / 1000000000U),
                                   .tv_nsec = (long)(left_ns % 1000000000U)};
        int result = io_getevents(aio->context, left_ns > 0 ? (long)want : 0, (long)max,
                                  aio->events, &timeout);
        if (result != -EINTR) {
            return result;
        }
    }
}

static unsigned reap_refused(struct aio_worker *aio, struct strata_operation **operations,
                             unsigned max)
{
    unsigned count = 0;
    while (count < max && aio->refused_count > 0) {
        operations[count++] = aio->refused[--aio->refused_count];
    }
    return count;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static int aio_reap(struct strata_worker *worker, struct strata_operation **operations,
                    unsigned max, uint64_t deadline_ns)
{
    struct aio_worker *aio = (struct aio_worker *)worker;
    unsigned want = smaller(aio->batch, smaller(aio->in_flight + aio->refused_count, max));
    unsigned count = aio->refused_count > 0 ? reap_refused(aio, operations, max) : 0;
    if (aio->ring != NULL) {
        unsigned ready = reap_ring(aio, operations + count, max - count);
        aio->in_flight -= ready;
        count += ready;
    }
    if (count >= want || (deadline_ns == 0 && aio->ring != NULL)) {
        return (int)count;
    }
    int ready = wait_events(aio, want - count, smaller(max - count, aio->depth), deadline_ns);
    for (int i = 0; i < ready; i++) {
        operations[count++] = finished(&aio->events[i]);
        aio->in_flight--;
    }
    return ready < 0 && count == 0 ? ready : (int)count;
}

/* io_destroy waits for what is in flight, without end when a device hangs. So wait here for a
 * bounded time first, and then rather lose the context and its memory than free it under the
 * kernel's hands. */
static void aio_worker_close(struct strata_worker *worker)
{
    struct aio_worker *aio = (struct aio_worker *)worker;
    uint64_t deadline_ns = strata_clock_monotonic_ns() + STRATA_BLOCK_CLOSE_NS;
    while (aio->in_flight > 0) {
        int ready = wait_events(aio, 1, aio->depth, deadline_ns);
        if (ready <= 0) {
            return;
        }
        aio->in_flight -= (unsigned)ready;
    }
    (void)io_destroy(aio->context);
    worker_free(aio);
}

const struct strata_target_type strata_block_aio_type = {
    .name = "aio",
    .help = "block device or file, the kernel's asynchronous I/O in batches, direct I/O",
    .capabilities = STRATA_TARGET_NEEDS_BUFFER | STRATA_TARGET_SHARED_SPACE,
    .prepare = strata_block_prepare,
    .items = strata_block_items,
    .worker_open = aio_worker_open,
    .worker_close = aio_worker_close,
    .submit = aio_submit,
    .reap = aio_reap,
    .close = strata_block_close,
};
