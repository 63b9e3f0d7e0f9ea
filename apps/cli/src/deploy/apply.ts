/** Applies the parts of an operator, one after the other, and reports what happens to each. */
import { type Client, isApiError } from "@capstan/client";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { parseApiVersion, type StoredObject } from "@capstan/model";
import { apiOf } from "@capstan/runtime";
import type { Manifest } from "@capstan/scaffold";
import { CliError } from "../errors.ts";
import { until } from "../lifecycle/wait.ts";
import type { PartKind } from "./parts.ts";

/** What happens to an object. */
export type Action = "create" | "change" | "unchanged" | "keep";

/** One line of the report. */
export interface Applied {
  readonly action: Action;
  readonly kind: string;
  readonly name: string;
  /** Why an existing object is kept. */
  readonly why?: string;
}

/** The cluster, and whether anything is written. */
export interface Applying {
  readonly client: Client;
  readonly dryRun: boolean;
  readonly report: (applied: Applied) => void;
}

/** Applies objects in order. New kinds are served when it returns. */
export async function applyParts(objects: readonly Manifest[], applying: Applying): Promise<void> {
  for (const object of objects) applying.report(await applyPart(object, applying));
}

/** Kinds that exist already belong to a running operator or to other users: they are not changed. */
const keptKinds: { readonly [kind: string]: string } = {
  Namespace: "it exists",
  CustomResourceDefinition: "it exists: the operator upgrades its CRDs when it starts",
};

async function applyPart(object: Manifest, { client, dryRun }: Applying): Promise<Applied> {
  const { group, version } = parseApiVersion(object.apiVersion);
  const kind = await client.resourceFor({ group, version, kind: object.kind });
  const { namespace = "", name = "" } = object.metadata;
  const row = { kind: object.kind, name: namespace === "" ? name : `${namespace}/${name}` };
  const api = apiOf(client);
  const found = await find(client, kind, { namespace, name });
  const kept = keptKinds[object.kind];
  if (found !== undefined && kept !== undefined) return { ...row, action: "keep", why: kept };
  try {
    const stored = await api.apply(kind, object, { manager: "capstan-deploy", force: true, dryRun });
    if (object.kind === CustomResourceDefinition.kind && !dryRun) await untilServed(client, name);
    return { ...row, action: found === undefined ? "create" : isSame(found, stored) ? "unchanged" : "change" };
  } catch (error) {
    // The namespace of a first dry run does not exist, so its objects cannot be checked.
    if (dryRun && found === undefined && namespace !== "" && isApiError(error, "NotFound"))
      return { ...row, action: "create" };
    throw error;
  }
}

/** An object, or undefined. */
export async function find(
  client: Client,
  kind: PartKind,
  key: { readonly namespace: string; readonly name: string },
): Promise<StoredObject | undefined> {
  try {
    return await apiOf(client).get(kind, key);
  } catch (error) {
    if (isApiError(error, "NotFound")) return undefined;
    throw error;
  }
}

/** Apart from the bookkeeping of writes. */
function isSame(before: StoredObject, after: StoredObject): boolean {
  return textOf(before) === textOf(after);
}

function textOf({ metadata, ...rest }: StoredObject): string {
  const { managedFields: _managers, resourceVersion: _version, generation: _generation, ...kept } = metadata;
  return JSON.stringify(sorted({ ...rest, status: undefined, metadata: kept }));
}

/** With keys in one order, because a server may return them in another one. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]));
}

interface Definition extends StoredObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function untilServed(client: Client, name: string): Promise<void> {
  const isServed = (crd: StoredObject | undefined): boolean =>
    (crd as Definition | undefined)?.status?.conditions?.some(
      ({ type, status }) => type === "Established" && status === "True",
    ) === true;
  const look = async (): Promise<StoredObject | undefined> =>
    find(client, CustomResourceDefinition, { namespace: "", name });
  if (isServed(await until(look, { holds: isServed, seconds: 60 }))) return;
  throw new CliError("Failed", `the API server does not serve ${name} after 60 s: see kubectl describe crd ${name}`);
}
