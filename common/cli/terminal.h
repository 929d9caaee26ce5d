/* The terminal behind a descriptor. */
#ifndef STRATA_CLI_TERMINAL_H
#define STRATA_CLI_TERMINAL_H

/* Its columns (80 where it does not know them); 0: no terminal. */
unsigned strata_terminal_columns(int descriptor);

#endif
