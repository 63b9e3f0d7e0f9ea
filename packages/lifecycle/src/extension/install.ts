/** Brings the revisions of an extension to the resolved bundle: makes a new one if the objects differ, and goes back if it fails. */
import type { Manifest } from "../csv/permissions.ts";
import type { ClusterExtension } from "../kinds/cluster-extension.ts";
import type { ClusterExtensionRevision } from "../kinds/cluster-extension-revision.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import type { ReadObjects } from "./bundles.ts";
import { certManager } from "./render/certificate.ts";
import { toRegistryBundle } from "./render/bundle.ts";
import { renderBundle } from "./render/render.ts";
import type { ExtensionResolution } from "./resolve-extension.ts";
import {
  bundleNameAnnotation,
  bundleReferenceAnnotation,
  bundleReleaseAnnotation,
  bundleVersionAnnotation,
  packageNameAnnotation,
  phasesDigestAnnotation,
} from "./labels.ts";
import { createRevision, preflight } from "./revision/create.ts";
import { phasesDigest, revisionPhases } from "./revision/phases.ts";
import { rollBackFailed } from "./revision/rollback.ts";
import type { RevisionStates } from "./revision/states.ts";

type Resolved = Extract<ExtensionResolution, { type: "resolved" }>;

/** An extension and the bundle that it should run. */
export interface Install {
  readonly extension: ClusterExtension;
  readonly resolved: Resolved;
  readonly revisions: readonly ClusterExtensionRevision[];
  readonly states: RevisionStates;
  readonly read: ReadObjects;
  readonly setting: ManagerSetting;
}

/** Why an extension stays where it is. */
export interface Blocked {
  readonly message: string;
  readonly reason?: "ProgressDeadlineExceeded";
}

/** Makes the revision of the bundle if there is none. Says why it does not, if the bundle has failed before. */
export async function installBundle(install: Install): Promise<Blocked | undefined> {
  const { extension, resolved, revisions, states, setting } = install;
  const { bundle } = resolved;
  const objects = await objectsOf(install);
  // The image of what is installed already is gone, and the cluster has everything.
  if (objects === undefined) return undefined;
  const certificates = await certificatesFor(extension, setting);
  const { namespace, config } = extension.spec;
  const rendered = renderBundle({
    bundle: toRegistryBundle(bundle.package, objects),
    namespace,
    inline: config?.inline,
    certificates,
  });
  const facts = { extension: extension.metadata.name, packageName: bundle.package, version: bundle.version };
  const phases = revisionPhases(rendered, facts);
  const digest = phasesDigest(phases);
  const latest = revisions.at(-1);
  const verdict = await rollBackFailed({ extension, revisions, states, digest, setting });
  if (verdict !== undefined) return verdict;
  const isCurrent =
    latest?.spec.lifecycleState === "Active" && latest.metadata.annotations?.[phasesDigestAnnotation] === digest;
  if (isCurrent) return undefined;
  await preflight(extension, phases, setting);
  const properties = propertiesOf(objects);
  const annotations = {
    [bundleNameAnnotation]: bundle.name,
    [packageNameAnnotation]: bundle.package,
    [bundleVersionAnnotation]: bundle.version,
    [bundleReferenceAnnotation]: bundle.image,
    ...(bundle.release === undefined ? {} : { [bundleReleaseAnnotation]: bundle.release }),
    ...(properties === undefined ? {} : { "olm.properties": properties }),
  };
  const collisionProtection = "Prevent";
  await createRevision({ extension, phases, annotations, collisionProtection, revisions }, setting);
  return undefined;
}

function propertiesOf(objects: readonly Manifest[]): string | undefined {
  return objects.find(({ kind }) => kind === "ClusterServiceVersion")?.metadata.annotations?.["olm.properties"];
}

/** The objects of the bundle; undefined if it is installed already and its image cannot be read any more. */
async function objectsOf({ resolved, states, read }: Install): Promise<readonly Manifest[] | undefined> {
  const { bundle } = resolved;
  const current = states.installed?.bundle;
  try {
    return await read(bundle.image);
  } catch (error) {
    if (current?.name === bundle.name && current.version === bundle.version) return undefined;
    throw error;
  }
}

/** The certificates of webhooks come from cert-manager. */
async function certificatesFor(
  { spec }: ClusterExtension,
  { discovery }: ManagerSetting,
): Promise<ReturnType<typeof certManager> | undefined> {
  const kind = await discovery.kind("cert-manager.io", "v1", "Certificate");
  return kind === undefined ? undefined : certManager(spec.namespace);
}
