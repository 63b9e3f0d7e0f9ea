/** Whether the pods of an operator are gone only for a moment, as when a node restarts: then its APIService comes back by itself. */
import { Deployment } from "@capstan/kinds/apps/v1";
import { Pod } from "@capstan/kinds/v1";
import { fromLabelSelectorObject, matchesLabels } from "@capstan/model";
import type { ClusterServiceVersion } from "../kinds/csv.ts";
import type { Reader } from "../manager/reader.ts";

/** How old a pod may be for its absence to be a moment's. */
const LIMIT = 5 * 60_000;

const STARTING: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);
const BROKEN: ReadonlySet<string> = new Set([
  "ImagePullBackOff",
  "ErrImagePull",
  "CrashLoopBackOff",
  "CreateContainerConfigError",
  "InvalidImageName",
]);

/** What the judgement needs. */
export interface Disruption {
  readonly reader: Reader;
  readonly now: number;
}

/** Whether a Deployment of the operator lacks replicas, and one of its young pods is ending or starting. */
export function isDisrupted(csv: ClusterServiceVersion, { reader, now }: Disruption): boolean {
  const { namespace = "" } = csv.metadata;
  return (csv.spec.install.spec?.deployments ?? []).some(({ name }) => {
    const deployment = reader.get(Deployment, { namespace, name });
    if (deployment === undefined || !lacksReplicas(deployment)) return false;
    const selector = fromLabelSelectorObject(deployment.spec?.selector);
    return reader
      .find(Pod, { namespace })
      .filter(({ metadata }) => matchesLabels(selector, metadata.labels))
      .some((pod) => now - Date.parse(pod.metadata.creationTimestamp) <= LIMIT && isInTransit(pod));
  });
}

function lacksReplicas({ status }: Deployment): boolean {
  return (status?.unavailableReplicas ?? 0) > 0 || (status?.updatedReplicas ?? 0) < (status?.replicas ?? 0);
}

function isInTransit({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined) return true;
  const containers = reasons(status?.containerStatuses);
  if (status?.phase !== "Pending") return containers.some((reason) => STARTING.has(reason));
  const isUnschedulable = status.conditions?.some(
    (each) => each.type === "PodScheduled" && each.status === "False" && each.reason === "Unschedulable",
  );
  const all = [...containers, ...reasons(status.initContainerStatuses)];
  if (isUnschedulable === true || all.some((reason) => BROKEN.has(reason))) return false;
  const isUnknown = (status.containerStatuses ?? []).length + (status.initContainerStatuses ?? []).length === 0;
  return isUnknown || all.some((reason) => STARTING.has(reason));
}

type Statuses = NonNullable<Pod["status"]>["containerStatuses"];

/** Why containers wait. */
function reasons(statuses: Statuses): readonly string[] {
  return (statuses ?? []).flatMap(({ state }) => state?.waiting?.reason ?? []);
}
