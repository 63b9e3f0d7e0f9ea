/** The headers that name the flow schema and the priority level of a request. Requests are not queued. */
import type { FlowSchema, PriorityLevelConfiguration } from "@capstan/kinds/flowcontrol.apiserver.k8s.io/v1";
import type { AnswerHeaders } from "../answer.ts";
import type { UserInfo } from "../authenticate/user.ts";
import type { RequestInfo } from "../route/request-info.ts";
import { goesOn } from "../route/timeout.ts";
import type { Entry } from "../store/entry.ts";
import type { Store } from "../store/store.ts";
import { matchesSchema } from "./match.ts";

const schemas = "flowschemas.flowcontrol.apiserver.k8s.io";
const levels = "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io";

/** Computes the headers for a request of a user. */
export type FlowHeaders = (user: UserInfo, info: RequestInfo) => AnswerHeaders;

/** Uses the flow schemas of a store; they are sorted again only after a change. */
export function flowHeadersOf(store: Store): FlowHeaders {
  let known: readonly Entry[] = [];
  let sorted: readonly FlowSchema[] = [];
  const inOrder = (): readonly FlowSchema[] => {
    const now = store.collection(schemas).withPrefix("");
    const isKnown = now.length === known.length && now.every((entry, at) => entry === known[at]);
    if (!isKnown) [known, sorted] = [now, toSorted(now)];
    return sorted;
  };
  return (user, info) => {
    if (passesBy(info)) return {};
    for (const schema of inOrder()) {
      const level = store.get(levels, schema.spec?.priorityLevelConfiguration.name ?? "")?.object;
      if (level === undefined || !matchesSchema(schema, user, info)) continue;
      return {
        "x-kubernetes-pf-flowschema-uid": schema.metadata?.uid ?? "",
        "x-kubernetes-pf-prioritylevel-uid": (level as PriorityLevelConfiguration).metadata?.uid ?? "",
      };
    }
    return {};
  };
}

/** Long-running requests other than watches are exempt from priority and fairness. */
function passesBy(info: RequestInfo): boolean {
  if (info.type === "path") return info.path.startsWith("/debug/pprof/");
  return goesOn(info) && info.verb !== "watch";
}

function toSorted(entries: readonly Entry[]): readonly FlowSchema[] {
  const precedence = ({ spec }: FlowSchema): number => spec?.matchingPrecedence ?? 0;
  // Entries are sorted by name, and the sort by precedence is stable.
  return entries.map(({ object }) => object as FlowSchema).toSorted((a, b) => precedence(a) - precedence(b));
}
