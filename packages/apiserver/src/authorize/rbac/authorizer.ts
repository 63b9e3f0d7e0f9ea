/** Role-based access control: a request is allowed if a rule that is bound to its user allows it. */
import type { Lookup } from "../../builtin/context.ts";
import { aggregateText } from "../../go-aggregate.ts";
import type { AccessAttributes, Authorizer, Decision } from "../authorizer.ts";
import { rulesFor } from "./bindings.ts";
import { ruleAllows } from "./policy-rule.ts";

export function rbacAuthorizer(lookup: Lookup): Authorizer {
  return { name: "rbac", authorize: (asked) => decide(asked, lookup) };
}

function decide(asked: AccessAttributes, lookup: Lookup): Decision {
  const problems: string[] = [];
  for (const bound of rulesFor(asked.user, asked.type === "resource" ? asked.namespace : "", lookup)) {
    if (bound.type === "missing") problems.push(bound.problem);
    else if (ruleAllows(bound.rule, asked)) return { verdict: "Allow", reason: `RBAC: allowed by ${bound.source}` };
  }
  return { verdict: "NoOpinion", reason: problems.length === 0 ? "" : `RBAC: ${aggregateText(problems)}` };
}
