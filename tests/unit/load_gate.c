/* The common start of the jobs and the end of their window. */
#include "common/load/gate.h"

#include "tests/unit/harness.h"

#include <sched.h>

#define END_NS      UINT64_C(5000)
#define DEADLINE_NS UINT64_C(9000)

/* A clock that stands at END_NS and, while it is held, does not answer. */
static atomic_bool asked;
static atomic_bool held;

static uint64_t held_now(void *context)
{
    (void)context;
    atomic_store(&asked, true);
    while (atomic_load(&held)) {
        sched_yield();
    }
    return END_NS;
}

static const struct strata_clock held_clock = {.now_ns = held_now};

static void *end_window(void *gate)
{
    CU_ASSERT_EQUAL(strata_gate_end_window(gate), END_NS);
    return NULL;
}

static void *look_at_window(void *gate)
{
    atomic_store(&asked, true);
    CU_ASSERT_EQUAL(strata_gate_window_end_ns(gate), END_NS);
    return NULL;
}

/* One job is about to read the clock that ends the window; what another one reads meanwhile may be
 * later, so it must wait for the end rather than count up to the deadline. */
static void nobody_counts_while_the_window_is_ending(void)
{
    struct strata_gate gate;
    strata_gate_init(&gate, 2, &held_clock, 0, 0);
    gate.deadline_ns = DEADLINE_NS;
    CU_ASSERT_EQUAL(strata_gate_window_end_ns(&gate), DEADLINE_NS);

    pthread_t ending;
    pthread_t looking;
    atomic_store(&held, true);
    atomic_store(&asked, false);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&ending, NULL, end_window, &gate), 0);
    while (!atomic_load(&asked)) {
        sched_yield();
    }
    atomic_store(&asked, false);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&looking, NULL, look_at_window, &gate), 0);
    while (!atomic_load(&asked)) {
        sched_yield();
    }
    for (unsigned i = 0; i < 100; i++) {
        sched_yield(); /* time for a wrong answer */
    }
    atomic_store(&held, false);
    pthread_join(ending, NULL);
    pthread_join(looking, NULL);
    CU_ASSERT_EQUAL(strata_gate_window_end_ns(&gate), END_NS);
    strata_gate_done(&gate);
}

static uint64_t settable_ns;

static uint64_t settable_now(void *context)
{
    (void)context;
    return settable_ns;
}

static const struct strata_clock settable_clock = {.now_ns = settable_now};

static void the_first_end_counts(void)
{
    struct strata_gate gate;
    strata_gate_init(&gate, 1, &settable_clock, 0, 0);
    gate.deadline_ns = DEADLINE_NS;
    settable_ns = 3000;
    CU_ASSERT_EQUAL(strata_gate_end_window(&gate), 3000);
    settable_ns = 4000;
    CU_ASSERT_EQUAL(strata_gate_end_window(&gate), 4000);
    CU_ASSERT_EQUAL(strata_gate_window_end_ns(&gate), 3000);
    strata_gate_done(&gate);
}

static void the_deadline_is_the_latest_end(void)
{
    struct strata_gate gate;
    strata_gate_init(&gate, 1, &settable_clock, 0, 0);
    gate.deadline_ns = DEADLINE_NS;
    settable_ns = DEADLINE_NS + 1;
    (void)strata_gate_end_window(&gate);
    CU_ASSERT_EQUAL(strata_gate_window_end_ns(&gate), DEADLINE_NS);
    strata_gate_done(&gate);
}

static void *pass(void *gate)
{
    return strata_gate_pass(gate, true) ? gate : NULL;
}

static void jobs_begin_together(void)
{
    struct strata_gate gate;
    strata_gate_init(&gate, 3, &settable_clock, 100, 1000);
    settable_ns = 7000;
    pthread_t threads[3];
    for (unsigned j = 0; j < 3; j++) {
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[j], NULL, pass, &gate), 0);
    }
    strata_gate_wait_arrived(&gate, 3);
    strata_gate_open(&gate);
    CU_ASSERT_EQUAL(gate.start_ns, 7000);
    CU_ASSERT_EQUAL(gate.begin_ns, 7100);
    CU_ASSERT_EQUAL(gate.deadline_ns, 8100);
    for (unsigned j = 0; j < 3; j++) {
        void *passed;
        pthread_join(threads[j], &passed);
        CU_ASSERT_PTR_NOT_NULL(passed);
    }
    strata_gate_done(&gate);
}

static void a_cancelled_gate_lets_nobody_pass(void)
{
    struct strata_gate gate;
    strata_gate_init(&gate, 2, &settable_clock, 0, 0);
    pthread_t thread;
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, pass, &gate), 0);
    CU_ASSERT_FALSE(strata_gate_pass(&gate, false));
    strata_gate_wait_arrived(&gate, 2);
    strata_gate_cancel(&gate);
    void *passed;
    pthread_join(thread, &passed);
    CU_ASSERT_PTR_NULL(passed);
    strata_gate_done(&gate);
}

static const struct harness_test tests[] = {
    {"nobody counts while the window is ending", nobody_counts_while_the_window_is_ending},
    {"the first end counts", the_first_end_counts},
    {"the deadline is the latest end", the_deadline_is_the_latest_end},
    {"jobs begin together", jobs_begin_together},
    {"a cancelled gate lets nobody pass", a_cancelled_gate_lets_nobody_pass},
};
HARNESS_MAIN("load_gate", tests)
