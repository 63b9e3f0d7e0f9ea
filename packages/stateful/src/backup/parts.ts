/** Parts of pods that work with stores: containers, volumes and mounts, as pure functions of the specs. */
import { toMilliseconds } from "@capstan/runtime";
import { FILES, JOB_VARIABLE, PATHS } from "./agent/job.ts";
import type { StoreJob, StoreWork } from "./agent/job.ts";
import type { SecretKey, StoreAccess, StoreSpec } from "./resource.ts";

/** The argument that starts the operator's program as agent. */
export const AGENT_ARGUMENT = "backup-agent";

/** The container that returns the result. */
export const AGENT = "agent";

/**
 * A volume of a pod, and its mount path.
 *
 * @example
 * const scratch: Part = { volume: { name: "scratch", emptyDir: {} }, mountPath: "/scratch", readOnly: false };
 */
export interface Part {
  readonly volume: { readonly name: string; readonly [source: string]: unknown };
  readonly mountPath: string;
  readonly readOnly: boolean;
}

/**
 * The security context of a container without privileges.
 *
 * @example
 * const container = { name: "restore", image: "store", securityContext: CONTAINER_SECURITY };
 */
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

/**
 * How an agent opens the store of a spec.
 *
 * @example
 * const { isEncrypted } = storeWork({ store: { volume: { claim: "backups", path: "" } } });
 */
export function storeWork({ store, encryption, allowUnencrypted }: StoreAccess): StoreWork {
  const allowed = allowUnencrypted === undefined ? {} : { allowUnencrypted };
  return { store: toStoreJob(store), isEncrypted: encryption !== undefined, ...allowed };
}

/**
 * A store without its Secrets. The schema guarantees exactly one kind of store.
 *
 * @example
 * const job = toStoreJob({ volume: { claim: "backups", path: "" } });
 */
export function toStoreJob({ s3, volume }: StoreSpec): StoreJob {
  if (s3 === undefined) return { kind: "volume", path: volume?.path ?? "" };
  const { bucket, prefix, endpoint, region, pathStyle } = s3;
  return { kind: "s3", bucket, prefix, ...(endpoint === undefined ? {} : { endpoint }), region, pathStyle };
}

/**
 * Volumes that an agent needs for a store.
 *
 * @example
 * const parts = storeParts({ store: { volume: { claim: "backups", path: "" } } });
 */
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
  return [secretPart("store-credentials", s3.credentials, PATHS.credentials), ...ca, ...key];
}

/**
 * All keys of a Secret as files.
 *
 * @example
 * const certificates = secretPart("tls", "db-client", "/etc/tls");
 */
export function secretPart(name: string, secretName: string, mountPath: string): Part {
  return { volume: { name, secret: { secretName } }, mountPath, readOnly: true };
}

/**
 * An empty folder.
 *
 * @example
 * const scratch = folderPart("scratch", "/scratch");
 */
export function folderPart(name: string, mountPath: string): Part {
  return { volume: { name, emptyDir: {} }, mountPath, readOnly: false };
}

/**
 * A container that runs one job.
 *
 * @example
 * const container = agentContainer({ name: "agent", image: "store-operator", job: { do: "backup" }, parts: [] });
 */
export function agentContainer({ name, image, job, parts, variable = JOB_VARIABLE }: AgentOptions): AgentContainer {
  return {
    name,
    image,
    args: [AGENT_ARGUMENT],
    env: [{ name: variable, value: escapeReferences(JSON.stringify(job)) }],
    terminationMessagePath: PATHS.result,
    terminationMessagePolicy: "FallbackToLogsOnError",
    resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    securityContext: CONTAINER_SECURITY,
    volumeMounts: mountsOf(parts),
  };
}

/**
 * A container of an agent. The API server validates it.
 *
 * @example
 * const nameOf = ({ name }: AgentContainer) => name;
 */
export interface AgentContainer {
  readonly name: string;
  readonly args: readonly string[];
  readonly [field: string]: unknown;
}

interface AgentOptions {
  readonly name: string;
  readonly image: string;
  readonly job: object;
  readonly parts: readonly Part[];
  /** The variable with the job. */
  readonly variable?: string;
}

/**
 * What the pod of a job consists of.
 *
 * @example
 * const options: AgentPodOptions = { parts: [], containers: [], timeout: "10m", user: 65_532 };
 */
export interface AgentPodOptions {
  readonly parts: readonly Part[];
  readonly initContainers?: readonly object[];
  readonly containers: readonly object[];
  /** Such as `10m`. */
  readonly timeout: string;
  /** The user id of all containers, so that they can share files. */
  readonly user: number;
  readonly pullSecrets?: readonly { readonly name: string }[];
}

/**
 * The spec of a pod that runs one job and ends.
 *
 * @example
 * const spec = agentPodSpec({ parts: [], containers: [], timeout: "10m", user: 65_532 });
 */
export function agentPodSpec({ parts, initContainers = [], containers, ...options }: AgentPodOptions): object {
  const { timeout, user, pullSecrets = [] } = options;
  return {
    ...(pullSecrets.length > 0 ? { imagePullSecrets: pullSecrets } : {}),
    restartPolicy: "Never",
    activeDeadlineSeconds: Math.max(1, Math.round(toMilliseconds(timeout) / 1000)),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 5,
    securityContext: podSecurity(user),
    ...(initContainers.length > 0 ? { initContainers } : {}),
    containers,
    volumes: parts.map((part) => part.volume),
  };
}

/**
 * The mounts of parts in a container.
 *
 * @example
 * const volumeMounts = mountsOf([folderPart("scratch", "/scratch")]);
 */
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
