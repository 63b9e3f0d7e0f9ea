/** The revisions of an extension: which one is installed, and which ones roll out. */
import type { Condition } from "@capstan/model";
import { isConditionStatus } from "@capstan/model";
import { ClusterExtensionRevision } from "../../kinds/cluster-extension-revision.ts";
import type { Reader } from "../../manager/reader.ts";
import {
  bundleNameAnnotation,
  bundleReferenceAnnotation,
  bundleReleaseAnnotation,
  bundleVersionAnnotation,
  ownerNameLabel,
  packageNameAnnotation,
} from "../labels.ts";
import type { BundleMetadata } from "../../kinds/cluster-extension.ts";

/** What a revision says about its bundle. */
export interface RevisionFacts {
  readonly revision: ClusterExtensionRevision;
  readonly bundle: BundleMetadata;
  readonly packageName: string;
  readonly image: string;
  readonly conditions: readonly Condition[];
}

/** The revisions that are not archived. */
export interface RevisionStates {
  readonly installed: RevisionFacts | undefined;
  /** Oldest first. */
  readonly rollingOut: readonly RevisionFacts[];
}

/** The revisions of an extension, oldest first. */
export function revisionsOf({ find }: Pick<Reader, "find">, extension: string): readonly ClusterExtensionRevision[] {
  return find(ClusterExtensionRevision, { namespace: "*", labels: { [ownerNameLabel]: extension } }).toSorted(
    (a, b) => a.spec.revision - b.spec.revision,
  );
}

/** Whether a revision has rolled out once. */
export function hasSucceeded({ status }: ClusterExtensionRevision): boolean {
  return isConditionStatus(status?.conditions ?? [], "Succeeded", "True");
}

/** The states of revisions. The newest one that has succeeded is installed. */
export function statesOf(revisions: readonly ClusterExtensionRevision[]): RevisionStates {
  const active = revisions.filter(
    ({ spec, metadata }) => spec.lifecycleState === "Active" && metadata.deletionTimestamp === undefined,
  );
  const installed = active.findLast(hasSucceeded);
  return {
    installed: installed && factsOf(installed),
    rollingOut: active.filter((each) => !hasSucceeded(each)).map(factsOf),
  };
}

function factsOf(revision: ClusterExtensionRevision): RevisionFacts {
  const annotations = revision.metadata.annotations ?? {};
  const release = annotations[bundleReleaseAnnotation];
  return {
    revision,
    packageName: annotations[packageNameAnnotation] ?? "",
    image: annotations[bundleReferenceAnnotation] ?? "",
    conditions: revision.status?.conditions ?? [],
    bundle: {
      name: annotations[bundleNameAnnotation] ?? "",
      version: annotations[bundleVersionAnnotation] ?? "",
      ...(release === undefined ? {} : { release }),
    },
  };
}
