/** Events of events.k8s.io: the same object with other field names. */
import type { Event } from "@capstan/kinds/v1";
import { cloneJson, type KubeObject } from "@capstan/model";
import type { AnyDraft, Draft } from "../draft.ts";
import type { VersionRules } from "../rules.ts";

/** The other version of the kind. */
export const eventsGroup = "events.k8s.io/v1";

/** Field names of events.k8s.io and of the core group. */
const renamed: readonly (readonly [there: string, here: string])[] = [
  ["regarding", "involvedObject"],
  ["note", "message"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
  ["reportingController", "reportingComponent"],
];

const fieldLabels: { readonly [label: string]: string } = {
  reason: "reason",
  "regarding.kind": "involvedObject.kind",
  "regarding.namespace": "involvedObject.namespace",
  "regarding.name": "involvedObject.name",
  "regarding.uid": "involvedObject.uid",
  "regarding.apiVersion": "involvedObject.apiVersion",
  "regarding.resourceVersion": "involvedObject.resourceVersion",
  "regarding.fieldPath": "involvedObject.fieldPath",
  reportingController: "reportingComponent",
  type: "type",
  "metadata.namespace": "metadata.namespace",
  "metadata.name": "metadata.name",
};

/** Drafts keep the apiVersion of the request, so that rules know which group was used; the store sets its own. */
export const eventVersions: { readonly [version: string]: VersionRules<Event> } = {
  [eventsGroup]: {
    fieldLabels,
    toHub: (draft) => rename(draft, (pair) => pair) as Draft<Event>,
    fromHub: (draft) =>
      Object.assign(
        rename(draft as AnyDraft, ([there, here]) => [here, there]),
        { apiVersion: eventsGroup },
      ),
  },
};

/** Converts an event of events.k8s.io to the field names of the core group. */
export function toCoreEvent(event: KubeObject): Event {
  return rename(cloneJson(event), (pair) => pair) as unknown as Event;
}

type Pair = readonly [from: string, to: string];

function rename(draft: AnyDraft, direction: (pair: Pair) => Pair): AnyDraft {
  const fields = draft as unknown as Record<string, unknown>;
  for (const [from, to] of renamed.map(direction)) {
    if (!(from in fields)) continue;
    fields[to] = fields[from];
    delete fields[from];
  }
  return draft;
}
