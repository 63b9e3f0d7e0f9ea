/**
 * The client Service leads to members that vote and have data. A learner is ready before it votes, and rejects the requests of clients, so
 * readiness alone does not suffice: pods of voters carry a label.
 */
import type { ObjectOf } from "capstan";
import { Pod, Service } from "capstan/kinds/v1";
import type { ClusterObservation } from "../observe/index.ts";
import {
  BOOT_ANNOTATION,
  bootstrapAnnotationKeys,
  clientLabels,
  clientService,
  clientServiceName,
  initialCheckAnnotation,
  SERVES_LABEL,
} from "../pods/index.ts";
import type { ActionContext } from "./reconcile-context.ts";

type Seen = Pick<ClusterObservation, "membership">;

/** Whether a member is a voter that started. */
export function isServing({ membership }: Seen, name: string): boolean {
  return membership.members.some(({ member, isLearner, isStarted }) => member === name && isStarted && !isLearner);
}

/** The label of a member's pod. */
export function servesLabels(seen: Seen, member: string): { readonly [label: string]: string } {
  return isServing(seen, member) ? clientLabels : {};
}

/** Labels the pods of voters, then applies the Service. */
export async function serveClients(context: ActionContext): Promise<void> {
  const { apply, get, seen } = context;
  const { name, object } = seen;
  const pods = seen.pods.flatMap(({ member }) => get(Pod, member) ?? []);
  if (seen.membership.by === "quorum") for (const pod of pods) await labelPod(context, pod);
  // A Service of an earlier version selects all members: it changes when each voter has its label, so that clients always reach some.
  const service = get(Service, clientServiceName(name));
  const isNarrow = service?.spec?.selector?.[SERVES_LABEL] !== undefined;
  const votersOnly = isNarrow || pods.every((pod) => !isServing(seen, pod.metadata.name) || isLabelled(pod));
  await apply(Service, clientServiceName(name), clientService(name, { ...object.spec.clientService, votersOnly }));
}

function isLabelled({ metadata }: ObjectOf<typeof Pod>): boolean {
  return metadata.labels?.[SERVES_LABEL] === clientLabels[SERVES_LABEL];
}

/** Server-side apply removes what is left out, so the annotations about the bootstrap are applied again as they are. */
async function labelPod({ apply, seen }: ActionContext, pod: ObjectOf<typeof Pod>): Promise<void> {
  const { name, deletionTimestamp, annotations = {} } = pod.metadata;
  if (deletionTimestamp !== undefined || isServing(seen, name) === isLabelled(pod)) return;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => BOOT_KEYS.has(key)));
  await apply(Pod, name, { metadata: { labels: servesLabels(seen, name), annotations: kept } });
}

const BOOT_KEYS: ReadonlySet<string> = new Set([
  BOOT_ANNOTATION,
  initialCheckAnnotation,
  ...Object.values(bootstrapAnnotationKeys),
]);
