/* A configuration file becomes a plan. The only user of libxml2.
 *
 * The file may come from anywhere, so the parser is given no way out: no network, no DTD (and with
 * it no entities), at most 1 MiB, and elements are looked up as they open, so that nesting ends at
 * the third level. Parser events drive the plan directly; no tree is built.
 *
 * Always holds: the first thing wrong ends the reading with one line that names file, line, what
 * was found and what was expected; libxml2 prints nothing itself. */
#include "common/plan/xml.h"

#include "common/base/similar.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct strata_plan *plan;
    struct strata_error *error;
    enum strata_status status;
    xmlParserCtxtPtr parser;
    size_t length;                        /* of plan->text */
    size_t offset;                        /* up to which lines were counted */
    int line;                             /* there */
    int depth;                            /* open elements */
    const struct strata_section *section; /* that is open, or NULL */
    const char *leaf;                     /* name of the open element that holds none, or NULL */
    bool section_seen[STRATA_SECTIONS];
    bool campaign_seen;
};

static void fail(struct reader *reader, int line)
{
    reader->status = strata_error_prefix(reader->error, "%s:%d", reader->plan->source, line);
    xmlStopParser(reader->parser);
}

/* Append "<a>, <b>, <c>" piece by piece and remember the name that was probably meant. */
struct expectation {
    struct strata_text names;
    const char *found;
    const char *meant;
};

static void expect(struct expectation *expectation, const char *before, const char *name,
                   const char *after)
{
    strata_text_format(&expectation->names, "%s%s%s%s", expectation->names.length > 0 ? ", " : "",
                       before, name, after);
    if (expectation->meant == NULL && strata_similar(name, expectation->found)) {
        expectation->meant = name;
    }
}

/* Set the error "<what>; did you mean x? expected a, b, c". */
static void refuse_unknown(struct reader *reader, int line, const char *what,
                           struct expectation *expectation)
{
    strata_error_set(reader->error, STRATA_USAGE, "%s;%s%s%s expected %s", what,
                     expectation->meant != NULL ? " did you mean " : "",
                     expectation->meant != NULL ? expectation->meant : "",
                     expectation->meant != NULL ? "?" : "",
                     strata_text_string(&expectation->names));
    strata_text_done(&expectation->names);
    fail(reader, line);
}

/* The offset of the tag whose start was just parsed: '<' stands in no attribute's value. */
static size_t tag_offset(const struct reader *reader)
{
    long consumed = xmlByteConsumed(reader->parser);
    size_t offset = consumed < 0 ? 0 : (size_t)consumed;
    offset = offset < reader->length ? offset : reader->length;
    while (offset > 0 && reader->plan->text[offset] != '<') {
        offset--;
    }
    return offset;
}

/* The line of an offset that is never before the last one asked for. */
static int line_of(struct reader *reader, size_t offset)
{
    for (; reader->offset < offset; reader->offset++) {
        reader->line += reader->plan->text[reader->offset] == '\n';
    }
    return reader->line;
}

static size_t skip_blanks(const char *text, size_t offset, int *line)
{
    for (; text[offset] != '\0' && strchr(" \t\r\n", text[offset]) != NULL; offset++) {
        *line += text[offset] == '\n';
    }
    return offset;
}

/* The line on which an attribute of the well-formed tag at `offset` begins. libxml2 knows only the
 * line on which the tag ends. */
static int attribute_line(const struct reader *reader, size_t offset, int line, const char *name)
{
    const char *text = reader->plan->text;
    offset += strcspn(text + offset, " \t\r\n/>");
    for (;;) {
        offset = skip_blanks(text, offset, &line);
        size_t length = strcspn(text + offset, " \t\r\n=/>");
        if (length == 0 || (length == strlen(name) && strncmp(text + offset, name, length) == 0)) {
            return line;
        }
        offset = skip_blanks(text, offset + length, &line);
        offset = skip_blanks(text, offset + strspn(text + offset, "="), &line);
        char quote = text[offset];
        if (quote == '\0') {
            return line;
        }
        for (offset++; text[offset] != '\0' && text[offset] != quote; offset++) {
            line += text[offset] == '\n';
        }
        offset += text[offset] == quote;
    }
}

/* An attribute as libxml2 hands it over: five pointers. */
struct attribute {
    char *name; /* with its prefix */
    char *value;
};

static struct attribute attribute_new(const xmlChar *const *fields)
{
    const char *prefix = (const char *)fields[1];
    const char *value = (const char *)fields[3];
    const char *end = (const char *)fields[4];
    return (struct attribute){
        .name = strata_text_duplicate_format("%s%s%s", prefix != NULL ? prefix : "",
                                             prefix != NULL ? ":" : "", (const char *)fields[0]),
        .value = strata_text_duplicate_format("%.*s", (int)(end - value), value)};
}

static void attribute_done(struct attribute *attribute)
{
    free(attribute->name);
    free(attribute->value);
}

/* A tag that just opened. */
struct tag {
    const char *name;
    size_t offset;
    int line;
    const xmlChar **attributes;
    size_t attribute_count;
};

static bool type_has_option(const struct strata_element_type *type, const char *name)
{
    for (size_t i = 0; i < type->option_count; i++) {
        if (strcmp(type->options[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void refuse_attribute(struct reader *reader, const struct tag *tag, int line,
                             const struct strata_element_type *type, const char *name)
{
    struct expectation expectation = {.found = name};
    for (size_t i = 0; i < type->option_count; i++) {
        expect(&expectation, "", type->options[i].name, "");
    }
    char *what = strata_text_duplicate_format("%.80s: no such attribute of <%s>", name, tag->name);
    refuse_unknown(reader, line, what, &expectation);
    free(what);
}

static void read_element(struct reader *reader, const struct tag *tag,
                         const struct strata_element_type *type)
{
    struct strata_element *element = strata_plan_add(reader->plan, type);
    element->line = tag->line;
    reader->leaf = type->name;
    for (size_t i = 0; i < tag->attribute_count && reader->status == STRATA_OK; i++) {
        struct attribute attribute = attribute_new(tag->attributes + 5 * i);
        int line = attribute_line(reader, tag->offset, tag->line, attribute.name);
        if (!type_has_option(type, attribute.name)) {
            refuse_attribute(reader, tag, line, type, attribute.name);
        } else if (strata_element_set(element, attribute.name, attribute.value, reader->error) !=
                   STRATA_OK) {
            fail(reader, line);
        }
        attribute_done(&attribute);
    }
}

static void read_root(struct reader *reader, const struct tag *tag)
{
    if (strcmp(tag->name, "strata") != 0) {
        strata_error_set(reader->error, STRATA_USAGE,
                         "the root element is <%.80s>, expected <strata version=\"1\">", tag->name);
        fail(reader, tag->line);
        return;
    }
    bool version_seen = false;
    for (size_t i = 0; i < tag->attribute_count && reader->status == STRATA_OK; i++) {
        struct attribute attribute = attribute_new(tag->attributes + 5 * i);
        bool is_version = strcmp(attribute.name, "version") == 0;
        version_seen = version_seen || is_version;
        if (!is_version) {
            strata_error_set(reader->error, STRATA_USAGE,
                             "%.80s: no such attribute of <strata>; expected version",
                             attribute.name);
        } else if (strcmp(attribute.value, "1") != 0) {
            strata_error_set(reader->error, STRATA_USAGE, "version: '%.80s' is not 1",
                             attribute.value);
        }
        if (!is_version || strcmp(attribute.value, "1") != 0) {
            fail(reader, attribute_line(reader, tag->offset, tag->line, attribute.name));
        }
        attribute_done(&attribute);
    }
    if (reader->status == STRATA_OK && !version_seen) {
        strata_error_set(reader->error, STRATA_USAGE, "version: missing, expected version=\"1\"");
        fail(reader, tag->line);
    }
}

static void read_section(struct reader *reader, const struct tag *tag, size_t index)
{
    if (reader->section_seen[index]) {
        strata_error_set(reader->error, STRATA_USAGE, "<%s> stands here a second time", tag->name);
        fail(reader, tag->line);
    } else if (tag->attribute_count > 0) {
        strata_error_set(reader->error, STRATA_USAGE, "%.80s: <%s> has no attributes",
                         (const char *)tag->attributes[0], tag->name);
        fail(reader, tag->line);
    }
    reader->section_seen[index] = true;
    reader->section = &strata_sections[index];
}

/* <campaign>, <ladder> or a section. */
static void read_top(struct reader *reader, const struct tag *tag)
{
    struct expectation expectation = {.found = tag->name};
    expect(&expectation, "<", "campaign", ">");
    for (size_t i = 0; i < STRATA_SECTIONS; i++) {
        expect(&expectation, "<", strata_sections[i].name, ">");
        if (strcmp(strata_sections[i].name, tag->name) == 0) {
            strata_text_done(&expectation.names);
            read_section(reader, tag, i);
            return;
        }
    }
    expect(&expectation, "<", "ladder", ">");

    const struct strata_element_type *type =
        strata_element_type_find(STRATA_ROLE_CAMPAIGN, STRATA_LAYER_DEVICE, tag->name);
    bool again = type != NULL && reader->campaign_seen;
    reader->campaign_seen = reader->campaign_seen || type != NULL;
    if (type == NULL) {
        type = strata_element_type_find(STRATA_ROLE_LADDER, STRATA_LAYER_DEVICE, tag->name);
    }
    if (again) {
        strata_error_set(reader->error, STRATA_USAGE, "<campaign> stands here a second time");
        fail(reader, tag->line);
    } else if (type != NULL) {
        read_element(reader, tag, type);
    } else {
        char *what = strata_text_duplicate_format("<%.80s> is not known in <strata>", tag->name);
        refuse_unknown(reader, tag->line, what, &expectation);
        free(what);
    }
    strata_text_done(&expectation.names);
}

/* A back end or a workload inside its section. */
static void read_item(struct reader *reader, const struct tag *tag)
{
    struct expectation expectation = {.found = tag->name};
    for (size_t i = 0; i < strata_element_type_count; i++) {
        const struct strata_element_type *type = strata_element_types[i];
        if (!strata_section_holds(reader->section, type)) {
            continue;
        }
        if (strcmp(type->name, tag->name) == 0) {
            strata_text_done(&expectation.names);
            read_element(reader, tag, type);
            return;
        }
        expect(&expectation, "<", type->name, ">");
    }
    char *what = strata_text_duplicate_format("<%.80s> is not known in <%s>", tag->name,
                                              reader->section->name);
    refuse_unknown(reader, tag->line, what, &expectation);
    free(what);
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int namespace_count, const xmlChar **namespaces, int attribute_count,
                     int defaulted_count, const xmlChar **attributes)
{
    (void)uri;
    (void)namespaces;
    (void)defaulted_count;
    struct reader *reader = context;
    if (reader->status != STRATA_OK) {
        return;
    }
    size_t offset = tag_offset(reader);
    struct tag tag = {.name = (const char *)name,
                      .offset = offset,
                      .line = line_of(reader, offset),
                      .attributes = attributes,
                      .attribute_count = (size_t)attribute_count};
    int depth = reader->depth++;
    if (namespace_count > 0 || prefix != NULL) {
        strata_error_set(reader->error, STRATA_USAGE, "<%.80s>: namespaces are not expected",
                         tag.name);
        fail(reader, tag.line);
    } else if (reader->leaf != NULL) {
        strata_error_set(reader->error, STRATA_USAGE,
                         "<%.80s> stands in <%s>, which holds no elements", tag.name, reader->leaf);
        fail(reader, tag.line);
    } else if (depth == 0) {
        read_root(reader, &tag);
    } else if (reader->section == NULL) {
        read_top(reader, &tag);
    } else {
        read_item(reader, &tag);
    }
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    (void)name;
    (void)prefix;
    (void)uri;
    struct reader *reader = context;
    if (reader->status != STRATA_OK) {
        return;
    }
    reader->depth--;
    if (reader->leaf != NULL) {
        reader->leaf = NULL;
    } else {
        reader->section = NULL;
    }
}

static void on_text(void *context, const xmlChar *bytes, int length)
{
    struct reader *reader = context;
    if (reader->status != STRATA_OK) {
        return;
    }
    int line = reader->parser->input->line; /* where the text ends */
    int first = 0;
    while (first < length && strchr(" \t\r\n", bytes[first]) != NULL) {
        first++;
    }
    if (first == length) {
        return;
    }
    for (int i = first; i < length; i++) {
        line -= bytes[i] == '\n';
    }
    int shown = 0;
    while (shown < 40 && first + shown < length && strchr("\r\n", bytes[first + shown]) == NULL) {
        shown++;
    }
    strata_error_set(reader->error, STRATA_USAGE, "text '%.*s' is not expected, only elements",
                     shown, (const char *)bytes + first);
    fail(reader, line);
}

static void on_doctype(void *context, const xmlChar *name, const xmlChar *external_id,
                       const xmlChar *system_id)
{
    (void)name;
    (void)external_id;
    (void)system_id;
    struct reader *reader = context;
    if (reader->status != STRATA_OK) {
        return;
    }
    strata_error_set(reader->error, STRATA_USAGE, "a DOCTYPE is not accepted");
    fail(reader, reader->parser->input->line);
}

static void on_error(void *context, xmlErrorPtr found)
{
    struct reader *reader = context;
    if (reader->status != STRATA_OK || found->level < XML_ERR_ERROR) {
        return;
    }
    const char *message = found->message != NULL ? found->message : "malformed XML";
    strata_error_set(reader->error, STRATA_USAGE, "%.*s", (int)strcspn(message, "\n"), message);
    fail(reader, found->line);
}

enum strata_status strata_plan_parse_xml(struct strata_plan *plan, struct strata_error *error)
{
    size_t length = strlen(plan->text);
    struct reader reader = {.plan = plan, .error = error, .length = length, .line = 1};
    reader.parser = xmlCreateMemoryParserCtxt(plan->text, (int)length);
    if (reader.parser == NULL) {
        return strata_error_set(error, STRATA_INTERNAL, "%s: libxml2 cannot make a parser",
                                plan->source);
    }
    /* The text is known to be UTF-8, whatever its declaration says. Without XML_PARSE_NOENT the
     * parser hands over "&amp;" as "&#38;"; other entities than XML's own five cannot be declared,
     * as on_doctype ends the reading. */
    (void)xmlCtxtUseOptions(reader.parser,
                            XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_IGNORE_ENC);
    *reader.parser->sax = (xmlSAXHandler){.initialized = XML_SAX2_MAGIC,
                                          .startElementNs = on_start,
                                          .endElementNs = on_end,
                                          .characters = on_text,
                                          .ignorableWhitespace = on_text,
                                          .cdataBlock = on_text,
                                          .internalSubset = on_doctype,
                                          .serror = on_error};
    reader.parser->userData = &reader;
    (void)xmlParseDocument(reader.parser);
    bool well_formed = reader.parser->wellFormed == 1;
    xmlFreeParserCtxt(reader.parser);
    if (reader.status != STRATA_OK) {
        return reader.status;
    }
    if (!well_formed) {
        return strata_error_set(error, STRATA_USAGE, "%s: malformed XML", plan->source);
    }
    if (!reader.section_seen[0]) {
        return strata_error_set(error, STRATA_USAGE, "%s: <%s> is missing in <strata>",
                                plan->source, strata_sections[0].name);
    }
    return STRATA_OK;
}
