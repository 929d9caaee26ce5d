/* One operation: what the engine asks of a target and what comes back. The same for every layer. */
#ifndef STRATA_MEASURE_OPERATION_H
#define STRATA_MEASURE_OPERATION_H

#include <stdint.h>

/* The order is stored nowhere; names are (strata_operation_name). */
enum strata_operation_kind {
    STRATA_OPERATION_READ, /* block read; whole-file read (open, read, close) */
    STRATA_OPERATION_WRITE,
    STRATA_OPERATION_MKDIR,
    STRATA_OPERATION_CREATE, /* open for creation, write the file's bytes if any, close */
    STRATA_OPERATION_STAT,
    STRATA_OPERATION_RENAME,
    STRATA_OPERATION_READDIR, /* one operation lists one whole directory */
    STRATA_OPERATION_UNLINK,
    STRATA_OPERATION_RMDIR,
    STRATA_OPERATION_SYNC, /* "sync": what was written so far is on stable storage (syncfs) */
    STRATA_OPERATION_PUT,
    STRATA_OPERATION_GET,
    STRATA_OPERATION_DELETE,
    STRATA_OPERATION_ENCRYPT, /* of a piece of memory */
    STRATA_OPERATION_DECRYPT,
    STRATA_OPERATION_DERIVE, /* a key from a passphrase */
    STRATA_OPERATION_ATTACH, /* a volume: until its device is there */
    STRATA_OPERATION_DETACH, /* until it is gone */
    STRATA_OPERATION_KINDS
};

/* Parts of an operation that a target times by itself. */
enum strata_stage {
    STRATA_STAGE_OPEN,
    STRATA_STAGE_TRANSFER, /* the reads or writes of an open file */
    STRATA_STAGE_CLOSE,
    STRATA_STAGE_CIPHER, /* encryption, decryption, derivation of a key; a LUKS header */
    STRATA_STAGE_CONNECT,
    STRATA_STAGE_FIRST_BYTE, /* request sent to first byte of the answer */
    STRATA_STAGE_VERIFY,     /* stamping what is written, checking what was read */
    STRATA_STAGE_WAIT,       /* a command has ended; until its effect is seen */
    STRATA_STAGES
};

/* Results: 0 is success; 1 to 199 an errno; 200 to 599 the HTTP status that was not wanted; the
 * others below. strata_result_describe gives the text of any of them. */
enum {
    STRATA_RESULT_OK = 0,
    STRATA_RESULT_TRANSPORT = 1000, /* 1000 + CURLcode: no HTTP answer */
    STRATA_RESULT_CHECKSUM = 2000,  /* the server's checksum is not that of what was sent */
    STRATA_RESULT_CONTENT = 2001,   /* what was read is not what was written */
    STRATA_RESULT_SHORT = 2002,     /* fewer bytes than asked */
    STRATA_RESULT_TIMED_OUT = 2003,
    STRATA_RESULT_CIPHER = 2004, /* the cipher failed, or authentication of the ciphertext did */
    STRATA_RESULT_COMMAND = 3000 /* 3000 + exit status of a command: it failed */
};

struct strata_operation {
    uint64_t item;     /* which block, file or object of the job's space; set by the engine */
    uint64_t bytes;    /* payload asked; on success the payload moved */
    void *buffer;      /* `bytes` of memory for targets that need one, else NULL */
    uint64_t due_ns;   /* when the arrival process wanted it started */
    uint64_t start_ns; /* when it was handed to the target */
    uint64_t end_ns;   /* when it was found finished */
    int32_t result;    /* see above; set by the target */
    uint16_t slot;     /* 0 to depth - 1, unique among the job's operations in flight */
    uint8_t kind;      /* enum strata_operation_kind */
    uint8_t stages;    /* bit set of the stages that the target timed; the engine sets it to 0 */
    uint64_t stage_ns[STRATA_STAGES]; /* valid where the bit is set */
};

_Static_assert(STRATA_STAGES <= 8, "a bit for each stage");

/* "read", "write", … ; static strings. */
const char *strata_operation_name(enum strata_operation_kind kind);
const char *strata_stage_name(enum strata_stage stage);

/* The kind with that name; -1 when there is none. */
int strata_operation_find(const char *name);

/* A result's text: "ENOSPC: No space left on device", "HTTP 507 Insufficient Storage", … into
 * `buffer`; returns `buffer`. */
char *strata_result_describe(int32_t result, char *buffer, uint64_t size);

/* Set `stage` of the operation to a duration, replacing an earlier one. */
static inline void strata_operation_stage(struct strata_operation *operation,
                                          enum strata_stage stage, uint64_t duration_ns)
{
    operation->stage_ns[stage] = duration_ns;
    operation->stages = (uint8_t)(operation->stages | (1U << stage));
}

#endif
