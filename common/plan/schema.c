/* The option tables as a RELAX NG schema in XML syntax, for editors and for checking files without
 * Strata.
 *
 * Always holds: a file that the reader accepts and that declares its UTF-8 is valid under the
 * schema. The converse cannot hold: limits of sizes, times and lists, and what must hold between
 * elements, only the reader checks. */
#include "common/plan/option.h"

#include <inttypes.h>
#include <string.h>

/* One value as a regular expression of XML Schema. */
static void write_pattern(const struct strata_option *option, struct strata_text *out)
{
    switch (option->type) {
    case STRATA_OPTION_SIZE:
        strata_text_append(out, "[0-9]+(\\.[0-9]{1,6})?(k|K|M|G|T|[KMGT]iB|[kMGT]B)?");
        break;
    case STRATA_OPTION_COUNT:
        strata_text_append(out, "[0-9]+");
        break;
    case STRATA_OPTION_DURATION:
        strata_text_append(out, "0|[0-9]+(\\.[0-9]{1,6})?(ms|s|m|h)");
        break;
    case STRATA_OPTION_FRACTION:
        strata_text_append(out, "[0-9]+(\\.[0-9]+)?%?");
        break;
    case STRATA_OPTION_DECIMAL:
        strata_text_append(out, "[0-9]+(\\.[0-9]+)?");
        break;
    case STRATA_OPTION_CLOCK:
        strata_text_append(out, "([01][0-9]|2[0-3]):[0-5][0-9]");
        break;
    case STRATA_OPTION_CHOICE:
        for (const char *byte = option->choices; *byte != '\0'; byte++) {
            strata_text_append_bytes(out, *byte == ' ' ? "|" : byte, 1);
        }
        break;
    case STRATA_OPTION_TEXT:
        strata_text_append(out, option->list ? "[^\\s,]+" : ".+");
        break;
    }
}

static void write_escaped(const char *prose, struct strata_text *out)
{
    for (; *prose != '\0'; prose++) {
        switch (*prose) {
        case '<':
            strata_text_append(out, "&lt;");
            break;
        case '&':
            strata_text_append(out, "&amp;");
            break;
        default:
            strata_text_append_bytes(out, prose, 1);
        }
    }
}

static void write_documentation(const char *indent, const char *prose, struct strata_text *out)
{
    strata_text_format(out, "%s<a:documentation>", indent);
    write_escaped(prose, out);
    strata_text_append(out, "</a:documentation>\n");
}

static void write_choices(const struct strata_option *option, struct strata_text *out)
{
    strata_text_append(out, "          <choice>\n");
    for (const char *next = option->choices; *next != '\0';) {
        size_t length = strcspn(next, " ");
        strata_text_format(out, "            <value type=\"string\">%.*s</value>\n", (int)length,
                           next);
        next += length;
        next += strspn(next, " ");
    }
    strata_text_append(out, "          </choice>\n");
}

static void write_data(const struct strata_option *option, struct strata_text *out)
{
    if (option->type == STRATA_OPTION_CHOICE && !option->list) {
        write_choices(option, out);
        return;
    }
    bool number = option->type == STRATA_OPTION_COUNT && !option->list;
    strata_text_format(out, "          <data type=\"%s\">\n", number ? "integer" : "string");
    strata_text_append(out, "            <param name=\"pattern\">");
    if (option->list) {
        strata_text_append(out, "[\\s,]*(");
        write_pattern(option, out);
        strata_text_append(out, ")([\\s,]+(");
        write_pattern(option, out);
        strata_text_append(out, "))*[\\s,]*");
    } else {
        write_pattern(option, out);
    }
    strata_text_append(out, "</param>\n");
    if (number) {
        strata_text_format(out, "            <param name=\"minInclusive\">%" PRIu64 "</param>\n",
                           option->minimum);
    }
    if (number && option->maximum > 0) {
        strata_text_format(out, "            <param name=\"maxInclusive\">%" PRIu64 "</param>\n",
                           option->maximum);
    }
    strata_text_append(out, "          </data>\n");
}

static void write_attribute(const struct strata_option *option, struct strata_text *out)
{
    strata_text_append(out, option->required ? "      <group>\n" : "      <optional>\n");
    strata_text_format(out, "        <attribute name=\"%s\">\n", option->name);
    write_documentation("          ", option->help, out);
    write_data(option, out);
    strata_text_append(out, "        </attribute>\n");
    strata_text_append(out, option->required ? "      </group>\n" : "      </optional>\n");
}

/* Names of definitions: elements of two layers may have the same name. */
static void write_name(const struct strata_element_type *type, struct strata_text *out)
{
    if (type->role == STRATA_ROLE_WORKLOAD) {
        strata_text_format(out, "%s.%s", strata_layer_name(type->layer), type->name);
    } else {
        strata_text_append(out, type->name);
    }
}

static void write_element(const struct strata_element_type *type, struct strata_text *out)
{
    strata_text_append(out, "  <define name=\"");
    write_name(type, out);
    strata_text_format(out, "\">\n    <element name=\"%s\">\n", type->name);
    write_documentation("      ", type->help, out);
    for (size_t i = 0; i < type->option_count; i++) {
        write_attribute(&type->options[i], out);
    }
    strata_text_append(out, "    </element>\n  </define>\n");
}

static void write_section(const struct strata_section *section, struct strata_text *out)
{
    bool required = section->role == STRATA_ROLE_BACKEND;
    strata_text_append(out, required ? "        <group>\n" : "        <optional>\n");
    strata_text_format(out, "          <element name=\"%s\">\n", section->name);
    write_documentation("            ", section->help, out);
    strata_text_append(out, "            <zeroOrMore>\n              <choice>\n");
    for (size_t i = 0; i < strata_element_type_count; i++) {
        if (strata_section_holds(section, strata_element_types[i])) {
            strata_text_append(out, "                <ref name=\"");
            write_name(strata_element_types[i], out);
            strata_text_append(out, "\"/>\n");
        }
    }
    strata_text_append(out, "              </choice>\n            </zeroOrMore>\n"
                            "          </element>\n");
    strata_text_append(out, required ? "        </group>\n" : "        </optional>\n");
}

void strata_option_write_schema(struct strata_text *out)
{
    strata_text_append(out,
                       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<!-- Written by `make docs` from common/plan/elements.c. -->\n"
                       "<grammar xmlns=\"http://relaxng.org/ns/structure/1.0\"\n"
                       "         xmlns:a=\"http://relaxng.org/ns/compatibility/annotations/1.0\"\n"
                       "         datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\">\n"
                       "  <start>\n    <element name=\"strata\">\n"
                       "      <attribute name=\"version\"><value type=\"string\">1</value>"
                       "</attribute>\n"
                       "      <interleave>\n"
                       "        <optional><ref name=\"campaign\"/></optional>\n");
    for (size_t i = 0; i < STRATA_SECTIONS; i++) {
        write_section(&strata_sections[i], out);
    }
    strata_text_append(out, "        <zeroOrMore><ref name=\"ladder\"/></zeroOrMore>\n"
                            "      </interleave>\n    </element>\n  </start>\n");
    for (size_t i = 0; i < strata_element_type_count; i++) {
        write_element(strata_element_types[i], out);
    }
    strata_text_append(out, "</grammar>\n");
}
