/* Files that the programs carry: SQL, HTML. Written into build/embedded.c by config/embed. */
#ifndef STRATA_BASE_EMBEDDED_H
#define STRATA_BASE_EMBEDDED_H

struct strata_embedded {
    const char *path;    /* in the source tree: "common/store/views.sql" */
    const char *content; /* terminated */
};

/* Sorted by path; ends with a NULL path. */
extern const struct strata_embedded strata_embedded_files[];

/* The content of one, by its path; NULL when there is none. */
const char *strata_embedded_find(const char *path);

#endif
