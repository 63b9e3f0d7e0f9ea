/** Keeps the objects of a large revision in Secrets, because an object of the API server holds about 1.5 MiB. */
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { Secret } from "@capstan/kinds/v1";
import { toGoJson } from "@capstan/model";
import type { Cluster, NewObject } from "../../cluster/cluster.ts";
import type { Manifest } from "../../csv/permissions.ts";
import type { RevisionObject, RevisionPhase } from "../../kinds/cluster-extension-revision.ts";
import { ExtensionError } from "../errors.ts";
import { ownerNameLabel, revisionNameLabel } from "../labels.ts";

/** Smaller revisions hold their objects themselves. */
const INLINE = 512 * 1024;
const MOST = 900 * 1024;
const LONGEST = 10 * 1024 * 1024;

/** Phases with references, and the Secrets that they refer to. */
export interface Packed {
  readonly phases: readonly RevisionPhase[];
  readonly secrets: readonly NewObject<Secret>[];
}

interface PackFacts {
  readonly revision: string;
  readonly extension: string;
  readonly namespace: string;
}

/** Packs the phases if they are too large for one object. */
export function packPhases(phases: readonly RevisionPhase[], facts: PackFacts): Packed {
  if (Buffer.byteLength(JSON.stringify(phases)) <= INLINE) return { phases, secrets: [] };
  const secrets: NewObject<Secret>[] = [];
  const keys = new Map<RevisionObject, string>();
  const places = new Map<string, string>();
  let data: { [key: string]: string } = {};
  let size = 0;
  const close = (): void => {
    if (size === 0) return;
    const secret = toSecret(data, facts);
    for (const key of Object.keys(data)) places.set(key, secret.metadata.name ?? "");
    secrets.push(secret);
    data = {};
    size = 0;
  };
  for (const each of phases.flatMap(({ objects }) => objects)) {
    const bytes = toBytes(each);
    const key = createHash("sha256").update(bytes).digest("base64url");
    keys.set(each, key);
    if (places.has(key) || key in data) continue;
    if (size > 0 && size + bytes.length > MOST) close();
    data[key] = bytes.toString("base64");
    size += bytes.length;
  }
  close();
  const refer = (each: RevisionObject): RevisionObject => {
    const key = keys.get(each) ?? "";
    const { object: _, ...rest } = each;
    return { ...rest, ref: { name: places.get(key) ?? "", namespace: facts.namespace, key } };
  };
  return { phases: phases.map((phase) => ({ ...phase, objects: phase.objects.map(refer) })), secrets };
}

function toBytes({ object }: RevisionObject): Buffer {
  const plain = Buffer.from(toGoJson(object ?? {}));
  const bytes = plain.length > MOST ? gzipSync(plain, { level: 9 }) : plain;
  if (bytes.length <= MOST) return bytes;
  throw new ExtensionError(
    "InvalidBundle",
    `object ${object?.kind} ${object?.metadata.name} exceeds maximum Secret data size (${bytes.length} bytes > ${MOST} bytes) even after compression`,
  );
}

function toSecret(data: { readonly [key: string]: string }, facts: PackFacts): NewObject<Secret> {
  const hash = createHash("sha256");
  for (const [key, value] of Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(key).update(Buffer.from(value, "base64"));
  const name = `${facts.revision}-${hash.digest("hex").slice(0, 16)}`;
  const labels = { [revisionNameLabel]: facts.revision, [ownerNameLabel]: facts.extension };
  const metadata = { name, namespace: facts.namespace, labels };
  return { metadata, immutable: true, type: "olm.operatorframework.io/object-data", data };
}

/** The object of an entry, from the revision or from its Secret. */
export async function unpackObject({ object, ref }: RevisionObject, cluster: Cluster): Promise<Manifest> {
  if (object !== undefined) return object;
  if (ref === undefined) throw new ExtensionError("Apply", "object has neither object nor ref");
  const { namespace, name, key } = ref;
  const secret = await cluster.get(Secret, { namespace, name });
  if (secret === undefined)
    throw new ExtensionError("Apply", `getting Secret ${namespace}/${name}: secrets "${name}" not found`);
  if (secret.immutable !== true)
    throw new ExtensionError(
      "Blocked",
      `the following secrets are not immutable (referenced secrets must have immutable set to true): ${namespace}/${name}`,
    );
  const value = secret.data?.[key];
  if (value === undefined) throw new ExtensionError("Apply", `key "${key}" not found in Secret ${namespace}/${name}`);
  const bytes = Buffer.from(value, "base64");
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = (isZipped ? gunzipSync(bytes, { maxOutputLength: LONGEST }) : bytes).toString("utf8");
  return JSON.parse(text) as Manifest;
}
