/** The volume contents of a pod that come from API objects: config maps, secrets, tokens, fields, claims. */
import type { BoundPod } from "../pod/containers.ts";
import type { ConfigMap, KeyToPath, Secret, Volume, VolumeProjection } from "@capstan/kinds/v1";
import type { Objects } from "../agent/objects.ts";
import type { Tokens } from "../agent/tokens.ts";
import { fieldOf, resourceOf, type Allocatable } from "../environment/downward.ts";
import { NodeError } from "../errors.ts";
import type { VolumeContent, VolumeFile, Volumes } from "../runtime/runtime.ts";
import { usedVolumes } from "./used.ts";

/** What contents are made from. */
export interface VolumeContext {
  readonly objects: Objects;
  readonly tokens: Tokens;
  readonly allocatable: Allocatable;
  /** The pod is running: a volume that cannot be updated stays as it is, and does not prevent the update of others. */
  readonly isRefresh?: boolean;
}

/** The contents of all volumes of a pod that have any; fails with the kubelet's message if one is unavailable. */
export async function volumesOf(pod: BoundPod, context: VolumeContext): Promise<Volumes> {
  const contents = new Map<string, VolumeContent>();
  const needed = context.isRefresh === true ? new Set() : usedVolumes(pod.spec);
  for (const volume of pod.spec.volumes ?? []) {
    try {
      const content = await contentOf(pod, volume, context);
      if (content !== undefined) contents.set(volume.name, content);
    } catch (cause) {
      if (!needed.has(volume.name)) continue;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new NodeError("FailedMount", `MountVolume.SetUp failed for volume "${volume.name}" : ${why}`, { cause });
    }
  }
  return contents;
}

async function contentOf(pod: BoundPod, volume: Volume, context: VolumeContext): Promise<VolumeContent | undefined> {
  const { configMap, secret, projected, downwardAPI, persistentVolumeClaim, ephemeral } = volume;
  const name = pod.metadata.name;
  if (persistentVolumeClaim !== undefined) return claimOf(pod, persistentVolumeClaim.claimName, context);
  if (ephemeral !== undefined) return claimOf(pod, `${name}-${volume.name}`, context);
  const mode = configMap?.defaultMode ?? secret?.defaultMode ?? projected?.defaultMode ?? downwardAPI?.defaultMode;
  const sources = sourcesOf({ configMap, secret, projected, downwardAPI });
  if (sources === undefined) return undefined;
  return { type: "files", files: await gather(sources, { pod, context, mode: mode ?? 0o644 }) };
}

/** All missing objects are reported at once. */
async function gather(
  sources: readonly VolumeProjection[],
  projecting: Projecting,
): Promise<ReadonlyMap<string, VolumeFile>> {
  const files = new Map<string, VolumeFile>();
  const failures = new Set<string>();
  for (const source of sources) {
    try {
      for (const [path, file] of await filesOf(source, projecting)) files.set(path, file);
    } catch (thrown) {
      failures.add(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }
  if (failures.size === 0) return files;
  const [first = "", ...others] = failures;
  throw new NodeError("FailedMount", others.length === 0 ? first : `[${[...failures].join(", ")}]`);
}

/** Config map, secret and downward API volumes are projections with one source. */
function sourcesOf({
  configMap,
  secret,
  projected,
  downwardAPI,
}: { readonly [key in "configMap" | "secret" | "downwardAPI" | "projected"]: Volume[key] | undefined }):
  | readonly VolumeProjection[]
  | undefined {
  if (configMap !== undefined) return [{ configMap }];
  if (secret !== undefined) {
    const { secretName, ...rest } = secret;
    return [{ secret: secretName === undefined ? rest : { ...rest, name: secretName } }];
  }
  if (downwardAPI !== undefined) return [{ downwardAPI }];
  return projected?.sources;
}

interface Projecting {
  readonly pod: BoundPod;
  readonly context: VolumeContext;
  readonly mode: number;
}

type Files = Iterable<readonly [string, VolumeFile]>;

async function filesOf(source: VolumeProjection, projecting: Projecting): Promise<Files> {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  const { pod, context, mode } = projecting;
  const namespace = pod.metadata.namespace ?? "";
  if (configMap !== undefined) {
    const { name = "" } = configMap;
    const found = await context.objects.configMap(namespace, name);
    return pick(bytesOfConfigMap(found), {
      ...configMap,
      what: `configmap "${name}"`,
      exists: found !== undefined,
      mode,
    });
  }
  if (secret !== undefined) {
    const { name = "" } = secret;
    const found = await context.objects.secret(namespace, name);
    return pick(bytesOfSecret(found), { ...secret, what: `secret "${name}"`, exists: found !== undefined, mode });
  }
  if (serviceAccountToken !== undefined) {
    const token = await context.tokens.tokenFor(pod, serviceAccountToken);
    // A container with another user must be able to read its token.
    const tokenMode = pod.spec.securityContext?.fsGroup === undefined ? mode : 0o640;
    return [[serviceAccountToken.path, { bytes: Buffer.from(token), mode: tokenMode }]];
  }
  return downwardAPI === undefined ? [] : downwardFiles(downwardAPI.items ?? [], projecting);
}

function downwardFiles(
  items: NonNullable<NonNullable<Volume["downwardAPI"]>["items"]>,
  { pod, context, mode }: Projecting,
): Files {
  return items.map((item) => {
    const container = pod.spec.containers.find(({ name }) => name === item.resourceFieldRef?.containerName);
    const text =
      item.fieldRef !== undefined
        ? fieldOf(pod, item.fieldRef.fieldPath)
        : item.resourceFieldRef !== undefined && container !== undefined
          ? resourceOf(container, item.resourceFieldRef, context.allocatable)
          : "";
    return [item.path, { bytes: Buffer.from(text), mode: item.mode ?? mode }];
  });
}

type Bytes = ReadonlyMap<string, Uint8Array>;

function bytesOfConfigMap(found: ConfigMap | undefined): Bytes {
  const text = Object.entries(found?.data ?? {}).map(([key, value]): [string, Uint8Array] => [key, Buffer.from(value)]);
  return new Map([...text, ...decoded(found?.binaryData)]);
}

function bytesOfSecret(found: Secret | undefined): Bytes {
  return new Map(decoded(found?.data));
}

function decoded(data: { readonly [key: string]: string } = {}): [string, Uint8Array][] {
  return Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64")]);
}

interface Picking {
  readonly what: string;
  readonly exists: boolean;
  readonly mode: number;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

function pick(bytes: Bytes, { what, exists, mode, items, optional }: Picking): Files {
  if (!exists && optional !== true) throw new NodeError("FailedMount", `${what} not found`);
  if (items === undefined || items.length === 0) return [...bytes].map(([key, value]) => [key, { bytes: value, mode }]);
  return items.flatMap((item): [string, VolumeFile][] => {
    const value = bytes.get(item.key);
    if (value !== undefined) return [[item.path, { bytes: value, mode: item.mode ?? mode }]];
    if (optional === true) return [];
    throw new NodeError(
      "FailedMount",
      what.startsWith("secret")
        ? `references non-existent secret key: ${item.key}`
        : `configmap references non-existent config key: ${item.key}`,
    );
  });
}

async function claimOf(pod: BoundPod, claimName: string, { objects }: VolumeContext): Promise<VolumeContent> {
  const claim = await objects.claim(pod.metadata.namespace ?? "", claimName);
  if (claim === undefined) throw new NodeError("FailedMount", `persistentvolumeclaim "${claimName}" not found`);
  const bound = claim.spec?.volumeName;
  if (bound === undefined || bound === "" || claim.status?.phase !== "Bound")
    throw new NodeError("FailedMount", `persistentvolumeclaim "${claimName}" is not bound to a volume`);
  const volume = await objects.volume(bound);
  return { type: "claim", volume: bound, path: volume?.spec?.hostPath?.path ?? volume?.spec?.local?.path };
}
