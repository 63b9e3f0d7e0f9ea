/** Applies the objects of a revision phase by phase. The next phase starts when all objects of one are ready. */
import { isApiError } from "@capstan/client";
import { apiVersionOf, fromLabelSelectorObject, matchesLabels } from "@capstan/model";
import type { Kind, KubeObject, OwnerReference, StoredObject } from "@capstan/model";
import type { NewObject } from "../../cluster/cluster.ts";
import type { Manifest } from "../../csv/permissions.ts";
import { ClusterExtensionRevision } from "../../kinds/cluster-extension-revision.ts";
import type { ProgressionProbe, RevisionPhase } from "../../kinds/cluster-extension-revision.ts";
import { readKinds } from "../../manager/kinds.ts";
import type { Reader } from "../../manager/reader.ts";
import type { ManagerSetting } from "../../manager/setting.ts";
import { decideTakeover, effectiveProtection } from "../collision.ts";
import { ExtensionError } from "../errors.ts";
import { ownerNameLabel, releasedAnnotation } from "../labels.ts";
import { unreadyReasons } from "../probes.ts";
import { unpackObject } from "./pack.ts";

/** A revision with what surrounds it. */
export interface RollOut {
  readonly revision: ClusterExtensionRevision;
  /** The other active revisions of its extension. */
  readonly siblings: readonly ClusterExtensionRevision[];
  readonly reader: Pick<Reader, "get">;
  readonly setting: ManagerSetting;
}

/** How far a revision is. */
export type RollOutResult =
  | { readonly type: "complete"; readonly isWatched: boolean }
  /** A newer revision has taken objects over. */
  | { readonly type: "superseded" }
  | { readonly type: "collision"; readonly message: string }
  | { readonly type: "waiting"; readonly messages: readonly string[]; readonly isWatched: boolean };

/** Applies what is due. */
export async function rollOut(rolling: RollOut): Promise<RollOutResult> {
  const { phases = [] } = rolling.revision.spec;
  let isWatched = true;
  let isSuperseded = false;
  for (const [at, phase] of phases.entries()) {
    const applied = await applyPhase(phase, rolling);
    isWatched &&= applied.every((each) => each.isWatched);
    isSuperseded ||= applied.some(({ live, collision }) => live === undefined && collision === undefined);
    const collisions = applied.flatMap(({ collision }) => collision ?? []);
    if (collisions.length > 0)
      return {
        type: "collision",
        message: `revision object collisions in phase ${at}\n${collisions.join("\n\n")}`,
      };
    const messages = applied.flatMap(({ live }) => (live === undefined ? [] : problemsOf(live, rolling.revision)));
    // One message for each phase, as in the original: the others repeat it.
    if (messages.length > 0 && !isSuperseded) return { type: "waiting", messages: messages.slice(0, 1), isWatched };
  }
  if (isSuperseded) return { type: "superseded" };
  return { type: "complete", isWatched };
}

interface Applied {
  /** The object as the server has it; none if a newer revision has taken it over. */
  readonly live?: KubeObject;
  readonly collision?: string;
  /** Whether a change of the object triggers the revision. */
  readonly isWatched: boolean;
}

async function applyPhase(phase: RevisionPhase, rolling: RollOut): Promise<readonly Applied[]> {
  const { revision, setting } = rolling;
  const applied: Applied[] = [];
  for (const entry of phase.objects) {
    const manifest = await unpackObject(entry, setting.cluster);
    const protection = effectiveProtection(
      entry.collisionProtection,
      phase.collisionProtection,
      revision.spec.collisionProtection,
    );
    applied.push(await applyObject(manifest, protection, rolling));
  }
  return applied;
}

async function applyObject(
  manifest: Manifest,
  protection: ReturnType<typeof effectiveProtection>,
  { revision, siblings, reader, setting }: RollOut,
): Promise<Applied> {
  const kind = await servedKind(manifest, setting);
  const key = keyOf(manifest, kind);
  const cached = readKinds.find(({ group, plural }) => group === kind.group && plural === kind.plural);
  // The read triggers this revision when the object changes.
  if (cached !== undefined) reader.get(cached as Kind<StoredObject>, key);
  const isWatched = cached !== undefined;
  const existing = await setting.cluster.get<KubeObject>(kind, key);
  const controller = existing?.metadata.ownerReferences?.find((each) => each.controller === true);
  const newer = siblings.find(({ metadata }) => metadata.uid === controller?.uid);
  if (newer !== undefined && newer.spec.revision > revision.spec.revision) return { isWatched };
  const owners = [revision, ...siblings].map(({ metadata }) => metadata.uid);
  const releasedBy = existing?.metadata.annotations?.[releasedAnnotation];
  const isReleased = releasedBy !== undefined && releasedBy === revision.metadata.labels?.[ownerNameLabel];
  const allowed = isReleased && protection === "Prevent" ? "IfNoController" : protection;
  const verdict = decideTakeover({ existing, owners, protection: allowed });
  if (verdict.type === "collision") return { collision: verdict.message, isWatched };
  const live = await apply(kind, owned(manifest, { revision, existing, verdict: verdict.type }), setting);
  return { live, isWatched };
}

/** An object that is adopted keeps its other owners; only one of them may be the controller. */
function owned(
  manifest: Manifest,
  {
    revision,
    existing,
    verdict,
  }: {
    readonly revision: ClusterExtensionRevision;
    readonly existing: KubeObject | undefined;
    readonly verdict: "create" | "update" | "adopt";
  },
): NewObject<KubeObject> {
  const { name, uid } = revision.metadata;
  const own: OwnerReference = {
    apiVersion: apiVersionOf(ClusterExtensionRevision),
    kind: "ClusterExtensionRevision",
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const others = verdict === "adopt" ? (existing?.metadata.ownerReferences ?? []) : [];
  const kept = others.filter((each) => each.uid !== uid).map((each) => ({ ...each, controller: false }));
  const { [ownerNameLabel]: extension = "" } = revision.metadata.labels ?? {};
  const labels = { ...manifest.metadata.labels, [ownerNameLabel]: extension };
  const { resourceVersion } = existing?.metadata ?? {};
  // Another revision may take the object over at the same time; the write then fails, and the verdict is made again.
  const seen = resourceVersion === undefined ? {} : { resourceVersion };
  return { ...manifest, metadata: { ...manifest.metadata, ...seen, labels, ownerReferences: [...kept, own] } };
}

async function apply(kind: Kind, object: NewObject<KubeObject>, { cluster }: ManagerSetting): Promise<KubeObject> {
  try {
    return await cluster.apply<KubeObject>(kind, object);
  } catch (error) {
    if (!isApiError(error)) throw error;
    if (error.code === "Conflict") throw error;
    const place = [object.metadata.namespace, object.metadata.name].filter(Boolean).join("/");
    throw new ExtensionError("Apply", `applying ${kind.kind} ${place}: ${error.message}`);
  }
}

/** The kind of a manifest, with the scope that the server gives it. */
export async function servedKind({ apiVersion, kind }: Manifest, { discovery }: ManagerSetting): Promise<Kind> {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const found = await discovery.kind(group, version, kind);
  if (found !== undefined) return found;
  throw new ExtensionError("Apply", `no matches for kind "${kind}" in version "${apiVersion}"`);
}

/** The key of a manifest. */
export function keyOf({ metadata }: Manifest, { scope }: Kind): { readonly namespace: string; readonly name: string } {
  return { namespace: scope === "Cluster" ? "" : (metadata.namespace ?? ""), name: metadata.name ?? "" };
}

function problemsOf(live: KubeObject, { spec }: ClusterExtensionRevision): readonly string[] {
  const reasons = probesFor(live, spec.progressionProbes ?? []);
  if (reasons.length === 0) return [];
  const [version = "", group = ""] = live.apiVersion.split("/").reverse();
  const { namespace = "", name = "" } = live.metadata;
  return [
    `Object ${live.kind}.${[group, version].filter(Boolean).join("/")} ${namespace}/${name}: ${reasons.join(" and ")}`,
  ];
}

function probesFor(live: KubeObject, probes: readonly ProgressionProbe[]): readonly string[] {
  const [group = ""] = live.apiVersion.includes("/") ? live.apiVersion.split("/") : [];
  return probes.flatMap(({ selector, assertions }) => {
    const isMeant =
      selector.type === "GroupKind"
        ? selector.groupKind.group === group && selector.groupKind.kind === live.kind
        : matchesLabels(fromLabelSelectorObject(selector.label), live.metadata.labels);
    return isMeant ? unreadyReasons(live, [{ group, kind: live.kind, assertions }]) : [];
  });
}
