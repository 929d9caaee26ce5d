/* A program that ends in time, whatever the kernel does with the process that works. */
#ifndef STRATA_CLI_SUPERVISE_H
#define STRATA_CLI_SUPERVISE_H

/* Go on in a child process, of which this one becomes the supervisor: signals that ask to stop are
 * passed on, and the child's end is its end. Returns in the child, what strata_supervised_end
 * needs; where no process can be made it returns in the caller, unsupervised. The handlers of
 * common/base/stop.h stand already.
 * Threads: only while there is one. */
int strata_supervise(void);

/* For the child, at its very end, everything stored and printed: this is the exit code, also when
 * the kernel does not let the process go. Closes the standard streams. */
void strata_supervised_end(int supervisor, int code);

#endif
