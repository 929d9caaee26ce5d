/* What all drivers of volumes need: the steps in their order, and what a command's end means. */
#include "common/target/volume.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const enum strata_operation_kind strata_volume_steps[STRATA_VOLUME_STEPS] = {
    STRATA_OPERATION_CREATE, STRATA_OPERATION_ATTACH, STRATA_OPERATION_DETACH,
    STRATA_OPERATION_DELETE};

int strata_volume_step_index(enum strata_operation_kind kind)
{
    for (int i = 0; i < STRATA_VOLUME_STEPS; i++) {
        if (strata_volume_steps[i] == kind) {
            return i;
        }
    }
    return -1;
}

int32_t strata_volume_judge(const struct strata_command_outcome *outcome, const char *what,
                            struct strata_volume_step *step)
{
    const char *said = outcome->errors[0] != '\0' ? outcome->errors : outcome->output;
    const char *colon = said[0] != '\0' ? ": " : "";
    int32_t result = STRATA_RESULT_OK;
    switch (outcome->end) {
    case STRATA_COMMAND_EXITED:
        result = outcome->code == 0 ? STRATA_RESULT_OK : STRATA_RESULT_COMMAND + outcome->code;
        (void)snprintf(step->cause, sizeof(step->cause), "%s ended with status %d%s%.200s", what,
                       outcome->code, colon, said);
        break;
    case STRATA_COMMAND_TIMED_OUT:
        result = STRATA_RESULT_TIMED_OUT;
        (void)snprintf(step->cause, sizeof(step->cause), "%s was ended at the timeout%s%.200s",
                       what, colon, said);
        break;
    case STRATA_COMMAND_STOPPED:
        result = EINTR;
        (void)snprintf(step->cause, sizeof(step->cause), "%s was interrupted%s%.200s", what, colon,
                       said);
        break;
    case STRATA_COMMAND_NOT_STARTED:
        result = outcome->code;
        (void)snprintf(step->cause, sizeof(step->cause), "%s cannot be started: %s", what,
                       strerrordesc_np(outcome->code));
        break;
    }
    return result;
}
