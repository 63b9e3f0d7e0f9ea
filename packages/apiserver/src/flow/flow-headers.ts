/** The headers that tell which flow schema a request belongs to, and which priority level; nothing ever waits for another here. */
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

/** What the answer to a request of a user carries. */
export type FlowHeaders = (user: UserInfo, info: RequestInfo) => AnswerHeaders;

/** Looks into the flow schemas of a store; they are sorted anew only when one of them has changed. */
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

/** Only watches are put in order at their beginning; whatever else goes on passes by. */
function passesBy(info: RequestInfo): boolean {
  if (info.type === "path") return info.path.startsWith("/debug/pprof/");
  return goesOn(info) && info.verb !== "watch";
}

function toSorted(entries: readonly Entry[]): readonly FlowSchema[] {
  const precedence = ({ spec }: FlowSchema): number => spec?.matchingPrecedence ?? 0;
  // Entries come by name, and those of one precedence stay so.
  return entries.map(({ object }) => object as FlowSchema).toSorted((a, b) => precedence(a) - precedence(b));
}
