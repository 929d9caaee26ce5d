/* Names of operations and stages, and the text of results.
 *
 * Names are what the database and the reports hold, so they never change. The text of a result
 * does not depend on the locale. */
#include "common/measure/operation.h"

#include <stdio.h>
#include <string.h>

static const char *const operation_names[STRATA_OPERATION_KINDS] = {
    [STRATA_OPERATION_READ] = "read",       [STRATA_OPERATION_WRITE] = "write",
    [STRATA_OPERATION_MKDIR] = "mkdir",     [STRATA_OPERATION_CREATE] = "create",
    [STRATA_OPERATION_STAT] = "stat",       [STRATA_OPERATION_RENAME] = "rename",
    [STRATA_OPERATION_READDIR] = "readdir", [STRATA_OPERATION_UNLINK] = "unlink",
    [STRATA_OPERATION_RMDIR] = "rmdir",     [STRATA_OPERATION_SYNC] = "sync",
    [STRATA_OPERATION_PUT] = "put",         [STRATA_OPERATION_GET] = "get",
    [STRATA_OPERATION_DELETE] = "delete",   [STRATA_OPERATION_ENCRYPT] = "encrypt",
    [STRATA_OPERATION_DECRYPT] = "decrypt", [STRATA_OPERATION_DERIVE] = "derive",
    [STRATA_OPERATION_ATTACH] = "attach",   [STRATA_OPERATION_DETACH] = "detach",
};

static const char *const stage_names[STRATA_STAGES] = {
    [STRATA_STAGE_OPEN] = "open",       [STRATA_STAGE_TRANSFER] = "transfer",
    [STRATA_STAGE_CLOSE] = "close",     [STRATA_STAGE_CIPHER] = "cipher",
    [STRATA_STAGE_CONNECT] = "connect", [STRATA_STAGE_FIRST_BYTE] = "first_byte",
    [STRATA_STAGE_VERIFY] = "verify",   [STRATA_STAGE_WAIT] = "wait",
};

struct code_text {
    int32_t code;
    const char *text;
};

/* Source: RFC 9110, section 15; RFC 4918, section 11; RFC 6585; 498 is Swift's rate limit. */
static const struct code_text http_texts[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {498, "Rate Limited"},
    {499, "Client Disconnect"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {507, "Insufficient Storage"},
};

/* The CURLcodes that a transfer meets when there is no HTTP answer. Source: libcurl-errors(3). */
static const struct code_text transport_texts[] = {
    {STRATA_RESULT_TRANSPORT + 5, "could not resolve the proxy"},
    {STRATA_RESULT_TRANSPORT + 6, "could not resolve the host"},
    {STRATA_RESULT_TRANSPORT + 7, "could not connect"},
    {STRATA_RESULT_TRANSPORT + 16, "HTTP/2 framing error"},
    {STRATA_RESULT_TRANSPORT + 18, "transfer ended early"},
    {STRATA_RESULT_TRANSPORT + 28, "timed out"},
    {STRATA_RESULT_TRANSPORT + 35, "TLS handshake failed"},
    {STRATA_RESULT_TRANSPORT + 42, "aborted by a callback"},
    {STRATA_RESULT_TRANSPORT + 52, "the server answered nothing"},
    {STRATA_RESULT_TRANSPORT + 55, "sending failed"},
    {STRATA_RESULT_TRANSPORT + 56, "receiving failed"},
    {STRATA_RESULT_TRANSPORT + 60, "the server's certificate is not trusted"},
};

static const struct code_text own_texts[] = {
    {STRATA_RESULT_OK, "success"},
    {STRATA_RESULT_CHECKSUM, "the server's checksum is not that of what was sent"},
    {STRATA_RESULT_CONTENT, "what was read is not what was written"},
    {STRATA_RESULT_SHORT, "fewer bytes than asked"},
    {STRATA_RESULT_TIMED_OUT, "timed out"},
    {STRATA_RESULT_CIPHER, "the cipher or the authentication of the ciphertext failed"},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *find_text(const struct code_text *texts, size_t count, int32_t code)
{
    for (size_t i = 0; i < count; i++) {
        if (texts[i].code == code) {
            return texts[i].text;
        }
    }
    return NULL;
}

const char *strata_operation_name(enum strata_operation_kind kind)
{
    return operation_names[kind];
}

const char *strata_stage_name(enum strata_stage stage)
{
    return stage_names[stage];
}

int strata_operation_find(const char *name)
{
    for (int kind = 0; kind < STRATA_OPERATION_KINDS; kind++) {
        if (strcmp(operation_names[kind], name) == 0) {
            return kind;
        }
    }
    return -1;
}

static void describe_errno(int32_t code, char *buffer, size_t size)
{
    const char *name = strerrorname_np(code);
    if (name != NULL) {
        snprintf(buffer, size, "%s: %s", name, strerrordesc_np(code));
    } else {
        snprintf(buffer, size, "errno %d", code);
    }
}

char *strata_result_describe(int32_t result, char *buffer, uint64_t size)
{
    const char *text;
    if (result >= 1 && result <= 199) {
        describe_errno(result, buffer, size);
    } else if (result >= 200 && result <= 599) {
        text = find_text(http_texts, COUNT_OF(http_texts), result);
        snprintf(buffer, size, "HTTP %d%s%s", result, text != NULL ? " " : "",
                 text != NULL ? text : "");
    } else if (result >= STRATA_RESULT_TRANSPORT && result < STRATA_RESULT_CHECKSUM) {
        text = find_text(transport_texts, COUNT_OF(transport_texts), result);
        snprintf(buffer, size, "no HTTP answer: %s (curl %d)",
                 text != NULL ? text : "transfer failed", result - STRATA_RESULT_TRANSPORT);
    } else if (result >= STRATA_RESULT_COMMAND && result <= STRATA_RESULT_COMMAND + 255) {
        snprintf(buffer, size, "the command ended with status %d", result - STRATA_RESULT_COMMAND);
    } else {
        text = find_text(own_texts, COUNT_OF(own_texts), result);
        snprintf(buffer, size, "%s", text != NULL ? text : "unknown result");
    }
    return buffer;
}
