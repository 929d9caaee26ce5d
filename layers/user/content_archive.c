/* A ZIP archive of documents, made by libarchive, of an exact size.
 *
 * Compressed texts come first; one stored file of random bytes, as pictures in an archive are,
 * fills what is left, since its size in the archive is known beforehand. */
#include "layers/user/content.h"

#include "common/base/memory.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_BYTES = 65536, ROOM_FOR_HEADERS = 65536 };

/* What goes into the archive. */
struct contents {
    uint8_t *text; /* texts x TEXT_BYTES */
    size_t texts;
    uint8_t *filler;
};

static int add_file(struct archive *zip, const char *name, const uint8_t *content, size_t bytes)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_size(entry, (la_int64_t)bytes);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, 1700000000, 0);
    int status = archive_write_header(zip, entry);
    archive_entry_free(entry);
    bool written =
        status == ARCHIVE_OK && archive_write_data(zip, content, bytes) == (la_ssize_t)bytes;
    return written ? ARCHIVE_OK : ARCHIVE_FATAL;
}

static int fill_archive(struct archive *zip, const struct contents *contents, size_t filler_bytes)
{
    int status = archive_write_zip_set_compression_deflate(zip);
    for (size_t i = 0; i < contents->texts && status == ARCHIVE_OK; i++) {
        char name[48];
        snprintf(name, sizeof(name), "documents/%06zu.txt", i);
        status = add_file(zip, name, contents->text + i * TEXT_BYTES, TEXT_BYTES);
    }
    if (status == ARCHIVE_OK) {
        status = archive_write_zip_set_compression_store(zip);
    }
    if (status == ARCHIVE_OK) {
        status = add_file(zip, "picture.raw", contents->filler, filler_bytes);
    }
    return status == ARCHIVE_OK ? archive_write_close(zip) : status;
}

/* Write the archive with `filler_bytes` of filler into the buffer; *ret_bytes is its size. */
static enum strata_status write_zip(const struct contents *contents, size_t filler_bytes,
                                    uint8_t *buffer, size_t size, size_t *ret_bytes,
                                    struct strata_error *error)
{
    struct archive *zip = archive_write_new();
    bool good = archive_write_set_format_zip(zip) == ARCHIVE_OK &&
                archive_write_set_bytes_per_block(zip, 0) == ARCHIVE_OK &&
                archive_write_open_memory(zip, buffer, size, ret_bytes) == ARCHIVE_OK &&
                fill_archive(zip, contents, filler_bytes) == ARCHIVE_OK;
    if (!good) {
        const char *why = archive_error_string(zip);
        strata_error_set(error, STRATA_INTERNAL, "libarchive: %s", why != NULL ? why : "failed");
    }
    archive_write_free(zip);
    return good ? STRATA_OK : STRATA_INTERNAL;
}

enum strata_status strata_content_make_archive(struct strata_random *random, uint8_t *buffer,
                                               size_t bytes, struct strata_error *error)
{
    /* A document shrinks to less than half, so that so many take less than half of the archive. */
    struct contents contents = {.texts = bytes / TEXT_BYTES};
    contents.text = strata_memory_new(contents.texts + 1, TEXT_BYTES);
    contents.filler = strata_memory_new(bytes, 1);
    strata_content_make_text(random, contents.text, (contents.texts + 1) * TEXT_BYTES);
    strata_random_fill(random, contents.filler, bytes);

    uint8_t *scratch = strata_memory_new(1, bytes + ROOM_FOR_HEADERS);
    size_t with_one_byte = 0;
    enum strata_status status =
        write_zip(&contents, 1, scratch, bytes + ROOM_FOR_HEADERS, &with_one_byte, error);
    size_t written = 0;
    if (status == STRATA_OK && with_one_byte <= bytes) {
        status = write_zip(&contents, bytes - with_one_byte + 1, buffer, bytes, &written, error);
    }
    if (status == STRATA_OK && written != bytes) {
        status = strata_error_set(error, STRATA_INTERNAL, "an archive of %zu bytes came out as %zu",
                                  bytes, written);
    }
    free(scratch);
    free(contents.filler);
    free(contents.text);
    return status;
}
