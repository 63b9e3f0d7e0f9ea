/** Parts of backup pods: containers, volumes and mounts, as pure functions of the specs. */
import type { ObjectOf } from "capstan";
import type { EtcdBackup } from "../kinds/index.ts";
import { FILES, JOB_VARIABLE, PATHS } from "./agent/job.ts";
import type { Job, StoreJob } from "./agent/job.ts";

/** The store of a spec. */
export type StoreSpec = ObjectOf<typeof EtcdBackup>["spec"]["store"];
export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** A volume of a pod, and its mount path in the agent. */
export interface Part {
  readonly volume: { readonly name: string; readonly [source: string]: unknown };
  readonly mountPath: string;
  readonly readOnly: boolean;
}

/** The argument that starts the operator's program as agent. */
export const AGENT_ARGUMENT = "backup-agent";

/** User id `nonroot` of distroless images. */
const USER = 65_532;

/** Pod security context without privileges. */
export const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  fsGroup: USER,
  seccompProfile: { type: "RuntimeDefault" },
} as const;

/** The container's part of it. */
export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
} as const;

/** The schema guarantees exactly one kind of store. */
export function toStoreJob({ s3, volume }: StoreSpec): StoreJob {
  if (s3 === undefined) return { kind: "volume", path: volume?.path ?? "" };
  const { bucket, prefix, endpoint, region, pathStyle } = s3;
  return { kind: "s3", bucket, prefix, ...(endpoint === undefined ? {} : { endpoint }), region, pathStyle };
}

/** Volumes that an agent needs for a store. */
export function storeParts({ s3, volume }: StoreSpec, encryption: SecretKey | undefined): Part[] {
  const key = encryption
    ? [secretFile("encryption", encryption, { file: FILES.key, mountPath: PATHS.encryption })]
    : [];
  if (s3 === undefined) {
    const claim = { claimName: volume?.claim ?? "" };
    return [
      { volume: { name: "store", persistentVolumeClaim: claim }, mountPath: PATHS.volume, readOnly: false },
      ...key,
    ];
  }
  const ca = s3.ca ? [secretFile("store-ca", s3.ca, { file: FILES.storeCa, mountPath: PATHS.storeCa })] : [];
  const credentials = secretFolder("store-credentials", s3.credentials, PATHS.credentials);
  return [credentials, ...ca, ...key];
}

/** Mounts all keys of a Secret as files. */
export function secretFolder(name: string, secretName: string, mountPath: string): Part {
  return { volume: { name, secret: { secretName } }, mountPath, readOnly: true };
}

/** Temporary space for a snapshot. */
export function scratchPart(mountPath: string = PATHS.scratch): Part {
  return { volume: { name: "scratch", emptyDir: {} }, mountPath, readOnly: false };
}

/** A container that runs one job. */
export function agentContainer(options: {
  readonly name: string;
  readonly image: string;
  readonly job: Job;
  readonly parts: readonly Part[];
}) {
  const { name, image, job, parts } = options;
  return {
    name,
    image,
    args: [AGENT_ARGUMENT],
    env: [{ name: JOB_VARIABLE, value: escapeReferences(JSON.stringify(job)) }],
    terminationMessagePath: PATHS.result,
    terminationMessagePolicy: "FallbackToLogsOnError",
    resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    securityContext: CONTAINER_SECURITY,
    volumeMounts: mountsOf(parts),
  };
}

export function mountsOf(parts: readonly Part[]) {
  return parts.map(({ volume, mountPath, readOnly }) => ({ name: volume.name, mountPath, readOnly }));
}

function secretFile(name: string, secret: SecretKey, { file, mountPath }: { file: string; mountPath: string }): Part {
  const items = [{ key: secret.key, path: file }];
  return { volume: { name, secret: { secretName: secret.name, items } }, mountPath, readOnly: true };
}

/** Kubernetes would replace `$(NAME)` in values; `$$` stands for a dollar. */
function escapeReferences(text: string): string {
  return text.replaceAll("$", "$$$$");
}
