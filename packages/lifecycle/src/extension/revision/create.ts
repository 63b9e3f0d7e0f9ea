/** Makes the next revision of an extension, after the checks that protect stored objects. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { Secret } from "@capstan/kinds/v1";
import { apiVersionOf } from "@capstan/model";
import type { OwnerReference } from "@capstan/model";
import { ClusterExtension } from "../../kinds/cluster-extension.ts";
import {
  ClusterExtensionRevision,
  type ProgressionProbe,
  type RevisionPhase,
} from "../../kinds/cluster-extension-revision.ts";
import type { ManagerSetting } from "../../manager/setting.ts";
import { checkCrdUpgrade, formatCrdFindings } from "../../preflight/crd-upgrade.ts";
import type { CollisionProtection } from "../collision.ts";
import { ExtensionError } from "../errors.ts";
import { ownerKindLabel, ownerNameLabel, phasesDigestAnnotation } from "../labels.ts";
import { defaultProbes } from "../probes.ts";
import { packPhases } from "./pack.ts";
import { phasesDigest } from "./phases.ts";

/** So many archived revisions stay. */
const KEPT = 5;

/** What the revision consists of. */
export interface NextRevision {
  readonly extension: ClusterExtension;
  readonly phases: readonly RevisionPhase[];
  readonly annotations: { readonly [key: string]: string };
  readonly collisionProtection: CollisionProtection;
  /** The revisions of the extension, oldest first. */
  readonly revisions: readonly ClusterExtensionRevision[];
}

/** Creates the revision with the next number. Another reconcile may have created it already. */
export async function createRevision(next: NextRevision, setting: ManagerSetting): Promise<string> {
  const { extension, revisions, phases, collisionProtection } = next;
  const { cluster, namespace } = setting;
  await collectOld(revisions, setting);
  const revision = (revisions.at(-1)?.spec.revision ?? 0) + 1;
  const name = `${extension.metadata.name}-${revision}`;
  const packed = packPhases(phases, { revision: name, extension: extension.metadata.name, namespace });
  for (const secret of packed.secrets) await cluster.ensure(Secret, secret);
  const minutes = extension.spec.progressDeadlineMinutes;
  const { uid } = extension.metadata;
  const owner: OwnerReference = {
    apiVersion: apiVersionOf(ClusterExtension),
    kind: "ClusterExtension",
    name: extension.metadata.name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  await cluster.ensure(ClusterExtensionRevision, {
    metadata: {
      name,
      labels: { [ownerKindLabel]: "ClusterExtension", [ownerNameLabel]: extension.metadata.name },
      annotations: { ...next.annotations, [phasesDigestAnnotation]: phasesDigest(phases) },
      ownerReferences: [owner],
    },
    spec: {
      lifecycleState: "Active",
      revision,
      collisionProtection,
      phases: packed.phases,
      progressionProbes,
      ...(minutes === undefined ? {} : { progressDeadlineMinutes: minutes }),
    },
  });
  if (packed.secrets.length > 0)
    await ownSecrets(
      name,
      packed.secrets.map(({ metadata }) => metadata.name ?? ""),
      setting,
    );
  return name;
}

const progressionProbes: readonly ProgressionProbe[] = defaultProbes.map(({ group, kind, assertions }) => ({
  selector: { type: "GroupKind", groupKind: { group, kind } },
  assertions,
}));

/** The Secrets of a revision go with it. */
async function ownSecrets(
  name: string,
  secrets: readonly string[],
  { cluster, namespace }: ManagerSetting,
): Promise<void> {
  const revision = await cluster.get(ClusterExtensionRevision, { namespace: "", name });
  if (revision === undefined) return;
  const { uid } = revision.metadata;
  const apiVersion = apiVersionOf(ClusterExtensionRevision);
  const kind = "ClusterExtensionRevision";
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
  for (const secret of secrets) {
    const before = await cluster.get(Secret, { namespace, name: secret });
    if (before === undefined) continue;
    await cluster.change(Secret, { before, after: { ...before, metadata: { ...before.metadata, ownerReferences } } });
  }
}

async function collectOld(revisions: readonly ClusterExtensionRevision[], { cluster }: ManagerSetting): Promise<void> {
  const old = revisions.slice(0, Math.max(revisions.length - KEPT, 0));
  for (const { metadata, spec } of old)
    if (spec.lifecycleState === "Archived")
      await cluster.remove(ClusterExtensionRevision, { namespace: "", name: metadata.name });
}

/** Throws if a CRD of the phases would break what is stored, unless the extension switches the check off. */
export async function preflight(
  { spec }: ClusterExtension,
  phases: readonly RevisionPhase[],
  { cluster }: ManagerSetting,
): Promise<void> {
  if (spec.install?.preflight?.crdUpgradeSafety?.enforcement === "None") return;
  const problems: string[] = [];
  for (const { object } of phases.flatMap(({ objects }) => objects)) {
    if (object?.kind !== "CustomResourceDefinition") continue;
    const name = object.metadata.name ?? "";
    const old = await cluster.get(CustomResourceDefinition, { namespace: "", name });
    if (old === undefined) continue;
    // The manifest of a CRD has the shape of its kind.
    const findings = checkCrdUpgrade(old, object as unknown as CustomResourceDefinition);
    const text = formatCrdFindings(name, findings);
    if (text !== "") problems.push(text);
  }
  if (problems.length > 0) throw new ExtensionError("Preflight", problems.join("\n"));
}
