/* Standard input, output and error, whatever the caller left of them. */
#ifndef STRATA_BASE_STREAMS_H
#define STRATA_BASE_STREAMS_H

/* Occupy those of the descriptors 0 to 2 that are closed, so that no file opened later gets a
 * standard stream's number and with it what is printed. Using one of them still fails with EBADF.
 */
void strata_streams_hold(void);

/* Close the three of them, below whatever stdio holds, so that who reads there sees the end. May be
 * called in a signal handler. */
void strata_streams_close(void);

#endif
