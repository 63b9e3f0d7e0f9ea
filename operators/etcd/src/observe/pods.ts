/** Converts pods and claims of the API to the types of the contract. */
import type { ObjectOf } from "capstan";
import type { Node, PersistentVolumeClaim, Pod } from "capstan/kinds/v1";
import { observeMemberPod, observeMemberVolume } from "capstan/stateful/quorum";
import type { MemberPodContext } from "capstan/stateful/quorum";
import type { Boot, ObservedPod, ObservedVolume } from "../contract.ts";
import {
  bootstrapAnnotationKeys,
  BOOT_ANNOTATION,
  initialCheckAnnotation,
  MEMBER_LABEL,
  templateHashAnnotation,
  referencedFlags,
  TLS_VOLUMES,
  VERSION_LABEL,
} from "../pods/index.ts";
import type { PodTemplateInput } from "../pods/index.ts";

export type PodObject = ObjectOf<typeof Pod>;
export type ClaimObject = ObjectOf<typeof PersistentVolumeClaim>;
export type NodeObject = ObjectOf<typeof Node>;

const bootModes: readonly Boot[] = ["seed", "seed-backup", "join", "live", "survive"];

export interface PodContext extends Omit<MemberPodContext, "container"> {
  /** The Secrets with certificates that members should mount. */
  readonly mounts?: PodTemplateInput["mounts"];
}

export function observePod(pod: PodObject, { mounts, ...context }: PodContext): ObservedPod {
  return {
    ...annotationsOf(pod),
    ...(hasOthers(pod, mounts) ? { templateHash: otherSecretsHash } : {}),
    ...snapshotsOf(pod),
    initialCheck: initialCheckOf(pod),
    ...observeMemberPod(pod, { container: "etcd", ...context }),
  };
}

/** The flag of the running pod, whatever the spec says now. */
function snapshotsOf({ spec }: PodObject): Pick<ObservedPod, "snapshotCount"> {
  const { args = [] } = spec?.containers.find(({ name }) => name === "etcd") ?? {};
  const flag = args.find((one) => one.startsWith(SNAPSHOT_FLAG))?.slice(SNAPSHOT_FLAG.length);
  return flag === undefined || !/^\d+$/u.test(flag) ? {} : { snapshotCount: Number(flag) };
}

const SNAPSHOT_FLAG = "--snapshot-count=";

/** Not a hash: a pod that mounts other Secrets is recreated, whatever its template hash. */
const otherSecretsHash = "other Secrets";

/** The Secrets with certificates that a pod mounts. */
export function mountsOf({ spec }: PodObject): { readonly [Part in "server" | "peer"]: string | undefined } {
  const secretOf = (volume: string): string | undefined =>
    spec?.volumes?.find(({ name }) => name === volume)?.secret?.secretName;
  return { server: secretOf(TLS_VOLUMES.server), peer: secretOf(TLS_VOLUMES.peer) };
}

function hasOthers(pod: PodObject, desired: PodTemplateInput["mounts"]): boolean {
  const { server, peer } = mountsOf(pod);
  return desired !== undefined && (server !== desired.server || peer !== desired.peer);
}

/** The annotations from the creation of the pod. */
function annotationsOf({
  metadata,
}: PodObject): Pick<ObservedPod, "member" | "boot" | "hasBootstrapFlags" | "templateHash" | "version"> {
  const { labels = {}, annotations = {} } = metadata;
  const boot = bootModes.find((one) => one === annotations[BOOT_ANNOTATION]) ?? "live";
  // Pods of earlier operators have it in their flags, which cannot be changed.
  const isTold = annotations[bootstrapAnnotationKeys["initial-cluster"]] !== undefined;
  return {
    member: labels[MEMBER_LABEL] ?? "",
    boot,
    hasBootstrapFlags: isTold && (boot === "seed" || boot === "join"),
    templateHash: annotations[templateHashAnnotation] ?? "",
    version: labels[VERSION_LABEL] ?? "",
  };
}

/** Pods of earlier operators have it in their flags, which cannot be changed. */
function initialCheckOf({ metadata, spec }: PodObject): ObservedPod["initialCheck"] {
  const { args = [] } = spec?.containers.find(({ name }) => name === "etcd") ?? {};
  if (!args.some((flag) => flag.includes(referencedFlags.initialCheck))) return "fixed";
  return metadata.annotations?.[initialCheckAnnotation] === "false" ? "off" : "on";
}

export function observeVolume(claim: ClaimObject): ObservedVolume {
  return observeMemberVolume(claim, MEMBER_LABEL);
}
