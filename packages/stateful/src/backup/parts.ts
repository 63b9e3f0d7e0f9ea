/** Parts of pods that work with stores: containers, volumes and mounts, as pure functions of the specs. */
import { AGENT_ARGUMENT } from "./agent/main.ts";
import { FILES, JOB_VARIABLE, PATHS } from "./agent/job.ts";
import type { Job, StoreJob, StoreWork } from "./agent/job.ts";
import type { SecretKey, StoreAccess, StoreSpec } from "./resource.ts";

/** A volume of a pod, and its mount path. */
export interface Part {
  readonly volume: { readonly name: string; readonly [source: string]: unknown };
  readonly mountPath: string;
  readonly readOnly: boolean;
}

/** A container without privileges. */
export const CONTAINER_SECURITY: object = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** A pod of one user, so that its containers can share files. */
export function podSecurity(user: number): object {
  return {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    fsGroup: user,
    fsGroupChangePolicy: "OnRootMismatch",
    seccompProfile: { type: "RuntimeDefault" },
  };
}

/** How an agent opens the store of a spec. */
export function storeWork({ store, encryption, allowUnencrypted }: StoreAccess): StoreWork {
  const allowed = allowUnencrypted === undefined ? {} : { allowUnencrypted };
  return { store: toStoreJob(store), isEncrypted: encryption !== undefined, ...allowed };
}

/** The schema guarantees exactly one kind of store. */
function toStoreJob({ s3, volume }: StoreSpec): StoreJob {
  if (s3 === undefined) return { kind: "volume", path: volume?.path ?? "" };
  const { bucket, prefix, endpoint, region, pathStyle } = s3;
  return { kind: "s3", bucket, prefix, ...(endpoint === undefined ? {} : { endpoint }), region, pathStyle };
}

/** Volumes that an agent needs for a store. */
export function storeParts({ store: { s3, volume }, encryption }: StoreAccess): Part[] {
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
  const credentials: Part = {
    volume: { name: "store-credentials", secret: { secretName: s3.credentials } },
    mountPath: PATHS.credentials,
    readOnly: true,
  };
  return [credentials, ...ca, ...key];
}

/** An empty folder. */
export function folderPart(name: string, mountPath: string): Part {
  return { volume: { name, emptyDir: {} }, mountPath, readOnly: false };
}

/** A container that runs one job. */
export function agentContainer({ name, image, job, parts }: AgentOptions): object {
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

interface AgentOptions {
  readonly name: string;
  readonly image: string;
  readonly job: Job;
  readonly parts: readonly Part[];
}

export function mountsOf(parts: readonly Part[]): readonly object[] {
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
