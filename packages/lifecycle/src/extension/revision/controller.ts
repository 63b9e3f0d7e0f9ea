/** Reconciles ClusterExtensionRevisions: rolls active ones out, and takes archived ones down. */
import { isApiError } from "@capstan/client";
import { setCondition } from "@capstan/model";
import type { Condition, KubeObject } from "@capstan/model";
import { requeue } from "@capstan/runtime";
import type { Controller, ReconcileResult } from "@capstan/runtime";
import { ClusterExtensionRevision } from "../../kinds/cluster-extension-revision.ts";
import { defineSync } from "../../manager/define.ts";
import type { Sync } from "../../manager/reader.ts";
import type { ManagerSetting } from "../../manager/setting.ts";
import { nowOf } from "../../manager/time.ts";
import { ExtensionError } from "../errors.ts";
import { bundleVersionAnnotation, ownerNameLabel } from "../labels.ts";
import { keyOf, rollOut, type RollOutResult, servedKind } from "./apply.ts";
import { unpackObject } from "./pack.ts";
import { hasSucceeded, revisionsOf } from "./states.ts";

type RevisionSync = Sync<ClusterExtensionRevision>;
type Draft = Omit<Condition, "lastTransitionTime">;

const COLLISION_RETRY = 10_000;
const CONFLICT_RETRY = 100;
const RETRY = 5_000;
/** How often objects are looked at whose changes do not trigger their revision. */
const LOOK = 2_000;
const LOOK_LATER = 60_000;
const MINUTE = 60_000;

/** The controller. */
export function revisionController(setting: ManagerSetting): Controller {
  return defineSync({
    name: "clusterextensionrevision",
    kind: ClusterExtensionRevision,
    sync: (sync) => reconcile(sync, setting),
  });
}

async function reconcile(sync: RevisionSync, setting: ManagerSetting): Promise<ReconcileResult> {
  const { object: revision } = sync;
  // Its objects have it as owner, so the garbage collector deletes them.
  if (revision.metadata.deletionTimestamp !== undefined) return undefined;
  if (revision.spec.lifecycleState === "Archived") return archive(revision, setting);
  try {
    const siblings = siblingsOf(sync);
    const result = await rollOut({ revision, siblings, reader: sync, setting });
    return await settle(sync, { result, siblings, setting });
  } catch (error) {
    return failed(revision, error, setting);
  }
}

/** The other active revisions of the extension. */
function siblingsOf(sync: RevisionSync): readonly ClusterExtensionRevision[] {
  const { metadata } = sync.object;
  const extension = metadata.labels?.[ownerNameLabel];
  if (extension === undefined) return [];
  return revisionsOf(sync, extension).filter(
    (each) =>
      each.metadata.uid !== metadata.uid &&
      each.spec.lifecycleState === "Active" &&
      each.metadata.deletionTimestamp === undefined,
  );
}

interface Settling {
  readonly result: RollOutResult;
  readonly siblings: readonly ClusterExtensionRevision[];
  readonly setting: ManagerSetting;
}

async function settle(sync: RevisionSync, { result, siblings, setting }: Settling): Promise<ReconcileResult> {
  const { object: revision } = sync;
  const version = revision.metadata.annotations?.[bundleVersionAnnotation] ?? "";
  const rolling = `Revision ${version} is rolling out.`;
  switch (result.type) {
    case "collision":
      await write(revision, retrying(revision, result.message, setting), setting);
      return requeue(COLLISION_RETRY, { reason: "an object belongs to something else" });
    case "superseded":
      // The newer revision archives this one when it has rolled out.
      return undefined;
    case "waiting": {
      const message = result.messages.join("\n");
      const unavailable: Draft = { type: "Available", status: "False", reason: "ProbeFailure", message };
      await write(revision, [unavailable, progressing(revision, "RollingOut", rolling, setting)], setting);
      const left = deadlineLeft(revision, setting);
      const look = result.isWatched ? Infinity : LOOK;
      const after = Math.min(look, left === undefined || left <= 0 ? Infinity : left + 100);
      return Number.isFinite(after) ? requeue(after, { reason: "looks at the objects again" }) : undefined;
    }
    case "complete": {
      await write(
        revision,
        [
          progressing(revision, "Succeeded", `Revision ${version} has rolled out.`, setting),
          {
            type: "Available",
            status: "True",
            reason: "ProbesSucceeded",
            message: "Objects are available and pass all probes.",
          },
          { type: "Succeeded", status: "True", reason: "Succeeded", message: "Revision succeeded rolling out." },
        ],
        setting,
      );
      // The success comes first: at every moment one revision is installed.
      for (const older of siblings.filter((each) => each.spec.revision < revision.spec.revision))
        await setLifecycle(older, setting);
      return result.isWatched ? undefined : requeue(LOOK_LATER, { reason: "looks for changes of the objects" });
    }
  }
}

async function setLifecycle(revision: ClusterExtensionRevision, { cluster }: ManagerSetting): Promise<void> {
  const live = await cluster.get(ClusterExtensionRevision, { namespace: "", name: revision.metadata.name });
  if (live === undefined || live.spec.lifecycleState === "Archived") return;
  const after = { ...live, spec: { ...live.spec, lifecycleState: "Archived" as const } };
  await cluster.change(ClusterExtensionRevision, { before: live, after });
}

async function failed(
  revision: ClusterExtensionRevision,
  error: unknown,
  setting: ManagerSetting,
): Promise<ReconcileResult> {
  if (isApiError(error, "Conflict")) return requeue(CONFLICT_RETRY, { reason: "an object has changed in between" });
  if (!(error instanceof ExtensionError) && !isApiError(error)) throw error;
  const { message } = error;
  if (error instanceof ExtensionError && error.code === "Blocked") {
    await write(revision, [{ type: "Progressing", status: "False", reason: "Blocked", message }], setting);
    return undefined;
  }
  await write(revision, retrying(revision, message, setting), setting);
  return requeue(RETRY, { reason: message });
}

function retrying(revision: ClusterExtensionRevision, message: string, setting: ManagerSetting): readonly Draft[] {
  const isKnown = revision.status?.conditions?.some(({ type }) => type === "Available") === true;
  const unknown: Draft = { type: "Available", status: "Unknown", reason: "Reconciling", message };
  return [progressing(revision, "Retrying", message, setting), ...(isKnown ? [unknown] : [])];
}

function progressing(
  revision: ClusterExtensionRevision,
  reason: "RollingOut" | "Retrying" | "Succeeded",
  message: string,
  setting: ManagerSetting,
): Draft {
  const left = deadlineLeft(revision, setting);
  if (reason === "Succeeded" || left === undefined || left > 0)
    return { type: "Progressing", status: "True", reason, message };
  const { progressDeadlineMinutes: minutes = 0 } = revision.spec;
  const text = `Revision has not rolled out for ${minutes} minute(s). Last status: ${message}`;
  return { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: text };
}

/** Milliseconds until the deadline; undefined without one. */
function deadlineLeft(revision: ClusterExtensionRevision, { clock }: ManagerSetting): number | undefined {
  const { progressDeadlineMinutes: minutes = 0 } = revision.spec;
  if (minutes <= 0 || hasSucceeded(revision)) return undefined;
  return Date.parse(revision.metadata.creationTimestamp) + minutes * MINUTE - clock.wall();
}

/** Deletes the objects that no other revision has taken over, in the opposite order of the roll-out. */
async function archive(revision: ClusterExtensionRevision, setting: ManagerSetting): Promise<ReconcileResult> {
  const known = revision.status?.conditions ?? [];
  if (known.some(({ type, reason }) => type === "Progressing" && reason === "Archived")) return undefined;
  try {
    let left = 0;
    for (const phase of (revision.spec.phases ?? []).toReversed())
      for (const entry of phase.objects) left += (await takeDown(entry, { revision, setting })) ? 0 : 1;
    if (left > 0) {
      const message = "removing revision resources that are not owned by another revision";
      await write(revision, retrying(revision, message, setting), setting);
      return requeue(LOOK, { reason: message });
    }
  } catch (error) {
    return failed(revision, error, setting);
  }
  const message = "revision is archived";
  const drafts: readonly Draft[] = [
    { type: "Progressing", status: "False", reason: "Archived", message },
    { type: "Available", status: "Unknown", reason: "Archived", message },
  ];
  await write(revision, drafts, setting);
  return undefined;
}

type Entry = NonNullable<ClusterExtensionRevision["spec"]["phases"]>[number]["objects"][number];

/** Whether the object is gone or belongs to another revision. */
async function takeDown(
  entry: Entry,
  { revision, setting }: { readonly revision: ClusterExtensionRevision; readonly setting: ManagerSetting },
): Promise<boolean> {
  const { cluster } = setting;
  const manifest = await unpackObject(entry, cluster);
  const kind = await servedKind(manifest, setting);
  const key = keyOf(manifest, kind);
  const live = await cluster.get<KubeObject>(kind, key);
  const { uid } = revision.metadata;
  const own = live?.metadata.ownerReferences?.find((each) => each.uid === uid);
  if (live === undefined || own === undefined) return true;
  if (own.controller !== true) {
    const ownerReferences = live.metadata.ownerReferences?.filter((each) => each.uid !== uid) ?? [];
    await cluster.change(kind, { before: live, after: { ...live, metadata: { ...live.metadata, ownerReferences } } });
    return true;
  }
  if (live.metadata.deletionTimestamp === undefined)
    await cluster.remove(kind, { ...key, ...(live.metadata.uid === undefined ? {} : { uid: live.metadata.uid }) });
  return (await cluster.get(kind, key)) === undefined;
}

async function write(
  revision: ClusterExtensionRevision,
  drafts: readonly Draft[],
  { cluster, clock }: ManagerSetting,
): Promise<void> {
  const observedGeneration = revision.metadata.generation ?? 0;
  const known = revision.status?.conditions ?? [];
  const conditions = drafts.reduce(
    (all, draft) => setCondition(all, { ...draft, observedGeneration }, nowOf(clock)),
    known,
  );
  if (conditions === known) return;
  const after = { ...revision, status: { ...revision.status, conditions } };
  await cluster.changeStatus(ClusterExtensionRevision, { before: revision, after });
}
