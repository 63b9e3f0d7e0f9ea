/** Converts pods and claims of the API into what decisions see. */
import type { ObjectOf } from "@capstan/model";
import { parseQuantity, quantityToInteger } from "@capstan/model";
import type { Node, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { parseResult } from "../backup/agent/result.ts";
import type { Boot, ObservedPod, ObservedVolume, StartRole } from "../cluster/observation.ts";
import type { Keys } from "../pods/names.ts";

export type PodObject = ObjectOf<typeof Pod>;
type ClaimObject = ObjectOf<typeof PersistentVolumeClaim>;
type NodeObject = ObjectOf<typeof Node>;

/**
 * The exit code of the data container if a member that must have data has none.
 *
 * @example
 * const prepare = `test -d /data/db || exit ${NO_DATA_EXIT}`;
 */
export const NO_DATA_EXIT = 66;

/** What is read beside the pod itself. */
export interface PodSurroundings {
  readonly keys: Keys;
  /** The name of the server's container. */
  readonly container: string;
  readonly node: NodeObject | undefined;
}

/** A pod of a member. */
export function observePod(pod: PodObject, { keys, container, node }: PodSurroundings): ObservedPod {
  const { metadata, status } = pod;
  const server = status?.containerStatuses?.find(({ name }) => name === container);
  const annotations = metadata.annotations ?? {};
  const label = metadata.labels?.[keys.serves];
  const failure = failureOf(pod);
  const hasNoData = (status?.initContainerStatuses ?? []).some((one) => endOf(one)?.exitCode === NO_DATA_EXIT);
  return {
    member: metadata.name,
    uid: metadata.uid,
    run: server?.state?.running && server.containerID,
    state: stateOf(pod),
    isReady: conditionOf(status, "Ready") === "True",
    boot: bootOf(annotations[keys.boot]),
    startRole: roleOf(annotations[keys.startRole]),
    serves: label === "primary" || label === "replica" ? label : "none",
    templateHash: annotations[keys.template] ?? "",
    seed: annotations[keys.seed],
    ...(failure === undefined ? {} : { failure }),
    hasNoData,
    isNodeLost: conditionOf(node?.status, "Ready") === "Unknown",
  };
}

/** An unknown value counts as the careful one: fail without data. */
function bootOf(text: string | undefined): Boot {
  return text === "create" || text === "clone" ? text : "run";
}

function roleOf(text: string | undefined): StartRole {
  return text === "primary" ? "primary" : "replica";
}

function stateOf({ metadata, status }: PodObject): ObservedPod["state"] {
  if (metadata.deletionTimestamp !== undefined) return "stopping";
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return "ended";
  return status?.phase === "Running" ? "running" : "pending";
}

function conditionOf(
  status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] } | undefined,
  type: string,
): string | undefined {
  return status?.conditions?.find((condition) => condition.type === type)?.status;
}

const NORMAL_REASONS: ReadonlySet<string | undefined> = new Set([undefined, "ContainerCreating", "PodInitializing"]);

function failureOf({ status }: PodObject): string | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const stuck = all.find(({ state }) => !NORMAL_REASONS.has(state?.waiting?.reason));
  if (stuck !== undefined) return describeStuck(stuck);
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  return scheduled?.status === "False" ? scheduled.message : undefined;
}

type ContainerStatus = NonNullable<NonNullable<PodObject["status"]>["containerStatuses"]>[number];

function describeStuck(container: ContainerStatus): string {
  const { reason, message } = container.state?.waiting ?? {};
  const last = container.lastState?.terminated;
  const result = parseResult(last?.message);
  const words = result?.ok === false ? `${result.code}: ${result.message}` : last?.message;
  return [reason, message, words ?? (last && `exit code ${last.exitCode}`)].filter(Boolean).join(": ");
}

function endOf({ state, lastState }: ContainerStatus) {
  return state?.terminated ?? lastState?.terminated;
}

/** A volume of a member. */
export function observeVolume({ metadata, spec, status }: ClaimObject, keys: Keys): ObservedVolume {
  const isStopping = metadata.deletionTimestamp !== undefined;
  return {
    member: metadata.labels?.[keys.member] ?? "",
    state: isStopping
      ? "stopping"
      : status?.phase === "Lost"
        ? "lost"
        : status?.phase === "Bound"
          ? "bound"
          : "pending",
    capacity: toBytes(status?.capacity?.["storage"] ?? 0),
    requested: toBytes(spec?.resources?.requests?.["storage"] ?? 0),
  };
}

/** Bytes of a quantity. */
export function toBytes(amount: string | number): number {
  return Number(quantityToInteger(parseQuantity(String(amount))));
}
