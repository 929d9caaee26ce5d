/* The one mutable global: whether the user asked the program to stop. */
#ifndef STRATA_BASE_STOP_H
#define STRATA_BASE_STOP_H

#include <signal.h>
#include <stdint.h>

/* Set by SIGINT, SIGTERM, SIGHUP and SIGXCPU to the signal's number; read by the engine after each
 * batch. */
extern volatile sig_atomic_t strata_stop_signal;

/* Whoever waits looks at it again after so long at the latest. */
#define STRATA_STOP_LOOK_NS UINT64_C(100000000)

/* Install the handlers; a second SIGINT ends the process at once. SIGHUP stays ignored where it was
 * (nohup). SIGPIPE and SIGXFSZ are ignored: the write that fails says why. */
void strata_stop_install(void);

#endif
