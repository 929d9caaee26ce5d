/* A back end in words of JSON, for whoever reads a result years later: what its numbers depend on
 * and no column holds.
 *
 * Always: what the kernel says of the place stands beside what the user asked for, so that neither
 * is taken for the other. What the kernel says is host/facts.c's. */
#include "common/campaign/describe.h"

#include "common/base/json.h"
#include "common/host/facts.h"

#include <inttypes.h>
#include <string.h>

/* Names, places and evidence have columns of their own. */
static bool has_column(const struct strata_backend *backend, const char *option)
{
    static const char *const names[] = {"name",       "twin-of", "stands-on", "evidence",
                                        "encryption", "and",     "versus"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(option, names[i]) == 0) {
            return true;
        }
    }
    const char *place = backend->element->type->place;
    return place != NULL && strcmp(option, place) == 0;
}

/* What makes this back end what it is, as the user gave it ("cipher": "aes-xts-plain64"). */
static void append_options(const struct strata_backend *backend, struct strata_text *out)
{
    strata_text_append(out, "{");
    for (size_t i = 0; i < backend->element->type->option_count; i++) {
        const struct strata_setting *setting = &backend->element->settings[i];
        if (!setting->given || has_column(backend, setting->option->name)) {
            continue;
        }
        struct strata_text values = {0};
        for (size_t v = 0; v < setting->count; v++) {
            strata_text_format(&values, "%s%s", v > 0 ? " " : "", setting->values[v].text);
        }
        strata_json_name(out, setting->option->name);
        strata_json_string(out, strata_text_string(&values));
        strata_text_done(&values);
    }
    strata_text_append(out, "}");
}

/* What the kernel says of its place, or of each member of a set. */
static void describe_places(const struct strata_backend *backend, struct strata_text *out)
{
    if (backend->element->type->place == NULL) {
        strata_facts_memory("", out);
    } else if (backend->place_count < 2) { /* a cloud has none that the kernel knows */
        strata_facts_storage(backend->place_count == 1 ? backend->places[0] : "", out);
    } else {
        strata_text_append(out, "{");
        strata_json_name(out, "arrangement");
        strata_json_string(out, strata_element_text(backend->element, "arrangement"));
        strata_json_name(out, "chunk_bytes");
        strata_text_format(out, "%" PRIu64, strata_element_number(backend->element, "chunk"));
        strata_json_name(out, "members");
        strata_text_append(out, "[");
        for (size_t n = 0; n < backend->place_count; n++) {
            strata_text_append(out, n > 0 ? ", {" : "{");
            strata_json_name(out, "path");
            strata_json_string(out, backend->places[n]);
            strata_json_name(out, "storage");
            strata_facts_storage(backend->places[n], out);
            strata_text_append(out, "}");
        }
        strata_text_append(out, "]}");
    }
}

static void append_cipher(const struct strata_dm_crypt *cipher, struct strata_text *out)
{
    strata_json_name(out, "cipher");
    strata_text_append(out, "{");
    strata_json_name(out, "name");
    strata_json_string(out, cipher->cipher);
    strata_text_format(out, ", \"key_bits\": %u, \"sector_bytes\": %u}", cipher->key_bits,
                       cipher->sector_bytes);
}

void strata_describe_storage(const struct strata_backend *backend, struct strata_text *out)
{
    if (backend->layer == STRATA_LAYER_SERVICE) {
        strata_text_append(out, "{}");
        return;
    }
    describe_places(backend, out);
    out->bytes[--out->length] = '\0'; /* the closing brace */
    if (backend->proof.cipher.cipher[0] != '\0') {
        append_cipher(&backend->proof.cipher, out);
    }
    strata_json_name(out, "options");
    append_options(backend, out);
    strata_text_append(out, "}");
}
