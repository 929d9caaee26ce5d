/* One question to the kernel, for the progress bar and the report. */
#include "common/cli/terminal.h"

#include <stdbool.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned strata_terminal_columns(int descriptor)
{
    if (isatty(descriptor) != 1) {
        return 0;
    }
    struct winsize size;
    bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
    return known ? size.ws_col : 80;
}
