/* /proc/crypto is a list of paragraphs, "name : value" lines each; of those with the wanted name
 * the one with the highest priority is at work. */
#include "common/host/kernel_cipher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a "name         : value" line, without its newline; NULL for another name. */
static char *value_of(char *line, const char *name)
{
    size_t length = strlen(name);
    char *colon = strchr(line, ':');
    if (colon == NULL || strncmp(line, name, length) != 0 ||
        strspn(line + length, " \t") != (size_t)(colon - line) - length) {
        return NULL;
    }
    line[strcspn(line, "\n")] = '\0';
    return colon + 1 + strspn(colon + 1, " \t");
}

void strata_kernel_cipher_driver(const char *root, const char *algorithm, char *ret_driver,
                                 size_t size)
{
    ret_driver[0] = '\0';
    char path[512];
    snprintf(path, sizeof(path), "%s/proc/crypto", root);
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0;
    bool wanted = false;
    char driver[128] = "";
    long best = -1;
    while (file != NULL && getline(&line, &capacity, file) > 0) {
        const char *value;
        if ((value = value_of(line, "name")) != NULL) {
            wanted = strcmp(value, algorithm) == 0;
        } else if ((value = value_of(line, "driver")) != NULL) {
            snprintf(driver, sizeof(driver), "%s", value);
        } else if ((value = value_of(line, "priority")) != NULL && wanted &&
                   strtol(value, NULL, 10) > best) {
            best = strtol(value, NULL, 10);
            snprintf(ret_driver, size, "%s", driver);
        }
    }
    free(line);
    if (file != NULL) {
        (void)fclose(file);
    }
}
