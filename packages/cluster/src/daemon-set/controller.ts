/** Keeps one pod of a DaemonSet on every eligible node. */
import { ControllerRevision, DaemonSet } from "@capstan/kinds/apps/v1";
import { Node, Pod } from "@capstan/kinds/v1";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { controllerOf, controllerReference } from "../ownership/owner.ts";
import { podIndexes } from "../pod/indexes.ts";
import { PodControl, slowStartBatch } from "../pod/pod-control.ts";
import { podFromTemplate } from "../pod/template.ts";
import type { NewPod } from "../pod/template.ts";
import { untilNextAvailable } from "../pod/state.ts";
import { REVISION_LABEL, RevisionHistory } from "../controller/revision-history.ts";
import type { ControllerContext } from "../controller/context.ts";
import { writeStatus } from "../controller/write-status.ts";
import { daemonTolerations, decide, statusOf } from "./decide.ts";

/** The maximum number of pods created in one reconcile. */
const BURST = 250;

/** The controller of DaemonSets. */
export function daemonSetController(context: ControllerContext): Controller {
  const podControl = new PodControl(context);
  const history = new RevisionHistory(context);
  const { client, clock } = context;
  return controller(
    DaemonSet,
    {
      name: "daemonset",
      reporter: "daemonset-controller",
      reads: [Pod, Node, ControllerRevision],
      predicate: anyChange,
      watches: [podControl.mutations.watch, history.mutations.watch],
      cache: { Pod: podIndexes },
    },
    async ({ object: set, find, signal, event }): Promise<ReconcileResult> => {
      const { selector, template = {}, revisionHistoryLimit = 10, minReadySeconds = 0 } = set.spec ?? {};
      const pods = await podControl.claimPods({ kind: DaemonSet, object: set, selector }, find);
      const parent = { kind: DaemonSet, object: set, selector, template, collisions: set.status?.collisionCount ?? 0 };
      const { revisions, update } = await history.sync({ ...parent, hashLabel: REVISION_LABEL }, find);
      const hash = update.metadata.labels?.[REVISION_LABEL] ?? "";
      const nodes = find(Node);
      const plan = decide({ set, nodes, pods, hash, now: clock.wall() });
      await slowStartBatch(Math.min(BURST, plan.create.length), async (index) => {
        const { metadata } = await podControl.create(newDaemonPod(set, plan.create[index] ?? "", hash), signal);
        event("Normal", "SuccessfulCreate", `Created pod: ${metadata.name}`);
      });
      for (const pod of plan.delete) {
        await podControl.delete(pod, signal);
        event("Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
      }
      const after = podControl.mutations.current(pods, (pod) => controllerOf(pod)?.uid === set.metadata.uid);
      const now = clock.wall();
      const status = statusOf({ set, nodes, pods: after, hash, now });
      await writeStatus(client, DaemonSet, { object: set, status, signal });
      const used = new Set(after.map(({ metadata }) => metadata.labels?.[REVISION_LABEL] ?? ""));
      const live = new Set(
        [...revisions.filter(({ metadata }) => used.has(metadata.labels?.[REVISION_LABEL] ?? "")), update].map(
          ({ metadata }) => metadata.name,
        ),
      );
      await history.truncate(revisions, revisionHistoryLimit, live);
      const wait = untilNextAvailable(after, minReadySeconds, now);
      return wait === undefined ? undefined : requeue(wait, { reason: "waiting for pods to become available" });
    },
  );
}

/** The pod for one node. A node affinity for the node's name tells the scheduler where to place it. */
function newDaemonPod(set: DaemonSet, node: string, hash: string): NewPod {
  const { name, namespace = "" } = set.metadata;
  const owner = controllerReference(DaemonSet, set);
  const { metadata, spec } = podFromTemplate(set.spec?.template ?? {}, { namespace, owner, name: { prefix: name } });
  const generation = set.metadata.annotations?.["deprecated.daemonset.template.generation"];
  const term = { matchFields: [{ key: "metadata.name", operator: "In" as const, values: [node] }] };
  const { affinity, tolerations = [] } = spec;
  const required = { nodeSelectorTerms: withNodeAffinity(affinity, term) };
  return {
    metadata: {
      ...metadata,
      labels: {
        ...metadata.labels,
        [REVISION_LABEL]: hash,
        ...(generation !== undefined && { "pod-template-generation": generation }),
      },
    },
    spec: {
      ...spec,
      affinity: {
        ...affinity,
        nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
      },
      tolerations: [...tolerations, ...daemonTolerations(spec)],
    },
  };
}

type NodeTerm = {
  readonly matchFields: readonly {
    readonly key: string;
    readonly operator: "In";
    readonly values: readonly string[];
  }[];
};

/** Adds the node to every term of the template's node affinity. */
function withNodeAffinity(affinity: NewPod["spec"]["affinity"], term: NodeTerm): readonly NodeTerm[] {
  const nodeTerms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return nodeTerms.length === 0 ? [term] : nodeTerms.map((one) => ({ ...one, matchFields: term.matchFields }));
}
