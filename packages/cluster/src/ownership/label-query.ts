/** Label selectors as cache queries. */
import type { LabelSelectorObject } from "@capstan/model";
import type { FindQuery } from "@capstan/runtime";

type LabelQuery = { [label: string]: NonNullable<NonNullable<FindQuery["labels"]>[string]> };

/**
 * A query that finds at least all objects that the selector matches. A query has one requirement per label, so the results must still be
 * matched.
 */
export function labelQuery(selector: LabelSelectorObject | undefined): LabelQuery {
  const tests: LabelQuery = {};
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    const test = expressionQuery(operator, values);
    if (test !== undefined) tests[key] = test;
  }
  return Object.assign(tests, selector?.matchLabels);
}

function expressionQuery(operator: string, values: readonly string[]): LabelQuery[string] | undefined {
  switch (operator) {
    case "In":
      return { in: values };
    case "NotIn":
      return { notIn: values };
    case "Exists":
      return { exists: true };
    case "DoesNotExist":
      return { exists: false };
    default:
      return undefined;
  }
}
