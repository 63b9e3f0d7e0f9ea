/** The flow of a request: its flow schema, its priority level, and its user or namespace, as in priority and fairness. */
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

/** Requests with the same level and key share a queue. */
export interface Flow {
  readonly schemaUid: string;
  readonly levelUid: string;
  /** The name of the priority level. */
  readonly level: string;
  /** The user or namespace, as the flow schema distinguishes; empty if it does not. */
  readonly key: string;
  /** The part of the server's time that the priority level gets when all levels are busy, compared with other levels. */
  readonly weight: number;
  /** The kind of work: requests with the same flow and work cost about the same. */
  readonly work: string;
  /** What a request is expected to cost before one of its kind was measured, in milliseconds; absent for cheap ones. */
  readonly guess?: number | undefined;
  /** `undefined` for an exempt level. */
  readonly limits: FlowLimits | undefined;
}

/** The limits of a priority level. */
export interface FlowLimits {
  /** The maximum number of requests in flight. */
  readonly seats: number;
  /** The same for one flow: the others always have seats left. */
  readonly seatsPerFlow: number;
  /** The maximum number of waiting requests of a flow. */
  readonly queueLength: number;
}

/** Finds the flow of a request; `undefined` for requests that priority and fairness does not cover. */
export type FlowOf = (user: UserInfo, info: RequestInfo) => Flow | undefined;

/** Uses the flow schemas and priority levels of a store; they are read again only after a change. */
export function flowsOf(store: Store): FlowOf {
  const inOrder = kept(store, schemas, toSorted);
  const byName = kept(store, levels, toLevels);
  return (user, info) => {
    if (passesBy(info)) return undefined;
    for (const schema of inOrder()) {
      const level = byName().get(schema.spec?.priorityLevelConfiguration.name ?? "");
      if (level === undefined || !matchesSchema(schema, user, info)) continue;
      const key = keyOf(schema, user, info);
      return { schemaUid: schema.metadata?.uid ?? "", key, work: workOf(info), guess: guessOf(info), ...level };
    }
    return undefined;
  };
}

/** The headers that name the flow schema and the priority level of a request. */
export function flowHeaders(flow: Flow | undefined): AnswerHeaders {
  if (flow === undefined) return {};
  return {
    "x-kubernetes-pf-flowschema-uid": flow.schemaUid,
    "x-kubernetes-pf-prioritylevel-uid": flow.levelUid,
  };
}

/** What is computed from the objects of a resource; computed again only after a change. */
function kept<Value>(store: Store, resource: string, compute: (entries: readonly Entry[]) => Value): () => Value {
  let known: readonly Entry[] = [];
  let value = compute(known);
  return () => {
    const now = store.collection(resource).withPrefix("");
    const isKnown = now.length === known.length && now.every((entry, at) => entry === known[at]);
    if (!isKnown) [known, value] = [now, compute(now)];
    return value;
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

function keyOf({ spec }: FlowSchema, { name }: UserInfo, info: RequestInfo): string {
  switch (spec?.distinguisherMethod?.type) {
    case "ByUser":
      return name;
    case "ByNamespace":
      return info.type === "resource" ? info.namespace : "";
    default:
      return "";
  }
}

function workOf(info: RequestInfo): string {
  return info.type === "resource" ? `${info.verb} ${info.resource}/${info.subresource}` : info.verb;
}

/** Requests for whole collections are expensive until they have proved to be cheap: a crowd may begin with them. */
function guessOf({ verb }: RequestInfo): number | undefined {
  return verb === "list" || verb === "watch" || verb === "deletecollection" ? 5 : undefined;
}

/** The requests in flight of all levels together, the sum of the two limits of kube-apiserver. */
const allSeats = 600;
/** The defaults of kube-apiserver for fields that are absent. */
const [defaultShares, defaultHandSize, defaultQueueLength] = [30, 8, 50];

type Level = Pick<Flow, "levelUid" | "level" | "weight" | "limits">;

function toLevels(entries: readonly Entry[]): ReadonlyMap<string, Level> {
  const all = entries.map(({ object }) => object as PriorityLevelConfiguration);
  const shares = all.reduce((sum, level) => sum + sharesOf(level), 0);
  return new Map(
    all.map((level) => {
      const name = level.metadata?.name ?? "";
      const levelUid = level.metadata?.uid ?? "";
      // An exempt level goes first: it has as much as all others together.
      const weight = (sharesOf(level) || shares) / defaultShares;
      return [name, { level: name, levelUid, weight, limits: limitsOf(level, shares) }];
    }),
  );
}

function sharesOf({ spec }: PriorityLevelConfiguration): number {
  return spec?.type === "Limited" ? (spec.limited?.nominalConcurrencyShares ?? defaultShares) : 0;
}

function limitsOf(level: PriorityLevelConfiguration, shares: number): FlowLimits | undefined {
  const { type, limited } = level.spec ?? {};
  if (type !== "Limited") return undefined;
  const seats = Math.ceil((allSeats * sharesOf(level)) / shares);
  const { handSize = defaultHandSize, queueLengthLimit = defaultQueueLength } = limited?.limitResponse?.queuing ?? {};
  const queueLength = limited?.limitResponse?.type === "Reject" ? 0 : handSize * queueLengthLimit;
  return { seats, seatsPerFlow: Math.ceil(seats / 2), queueLength };
}
