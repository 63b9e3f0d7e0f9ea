/** The phases of a revision: the objects of a bundle, reduced to what is applied, with the labels of their extension. */
import { createHash } from "node:crypto";
import { toCanonicalJson } from "@capstan/model";
import type { Manifest } from "../../csv/permissions.ts";
import type { RevisionPhase } from "../../kinds/cluster-extension-revision.ts";
import { bundleVersionAnnotation, ownerKindLabel, ownerNameLabel, packageNameAnnotation } from "../labels.ts";
import { toPhases } from "../phases.ts";

/** What the objects are labelled with. */
export interface PhaseFacts {
  readonly extension: string;
  readonly packageName: string;
  readonly version: string;
}

/** A phase of the API holds no more objects. */
const MOST = 50;

/** The phases for the objects of a bundle. */
export function revisionPhases(objects: readonly Manifest[], facts: PhaseFacts): readonly RevisionPhase[] {
  return toPhases(objects.map((object) => sanitized(object, facts))).flatMap(({ name, objects: members }) =>
    pieces(members).map((part, at) => ({
      name: at === 0 ? name : `${name}-${at + 1}`,
      objects: part.map((object) => ({ object })),
    })),
  );
}

function pieces<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / MOST) }, (_, at) => items.slice(at * MOST, (at + 1) * MOST));
}

/** Without a status, and with no other metadata than name, namespace, labels and annotations. */
function sanitized({ status: _status, metadata, ...content }: Manifest, facts: PhaseFacts): Manifest {
  const { name, namespace, labels, annotations: own } = metadata;
  const { "kubectl.kubernetes.io/last-applied-configuration": _applied, ...annotations } = own ?? {};
  return {
    ...content,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...labels, [ownerKindLabel]: "ClusterExtension", [ownerNameLabel]: facts.extension },
      annotations: {
        ...annotations,
        [bundleVersionAnnotation]: facts.version,
        [packageNameAnnotation]: facts.packageName,
      },
    },
  } as Manifest;
}

/** The digest of phases, by which a change is found. */
export function phasesDigest(phases: readonly RevisionPhase[]): string {
  return `sha256:${createHash("sha256").update(toCanonicalJson(phases)).digest("hex")}`;
}
