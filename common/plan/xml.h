/* Inside the plan module: the reader of XML. */
#ifndef STRATA_PLAN_XML_H
#define STRATA_PLAN_XML_H

#include "common/plan/plan.h"

/* Add the elements of plan->text, which is UTF-8 and comes from plan->source. Errors: STRATA_USAGE,
 * "source:line: …"; what was read until then stays in the plan. */
enum strata_status strata_plan_parse_xml(struct strata_plan *plan, struct strata_error *error);

#endif
