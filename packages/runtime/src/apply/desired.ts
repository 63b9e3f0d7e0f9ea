/** Checks children that users pass in: mistakes that the compiler would reject also fail at run time, with a readable error. */
import type { ObjectMeta } from "@capstan/model";
import type { AnyKind } from "../api.ts";
import { RuntimeError } from "../errors.ts";
import { plainJson } from "../report/plain-json.ts";

/** The desired state of a child: everything but the names that the runtime fills in. */
export interface Desired {
  readonly metadata?: ObjectMeta | undefined;
  readonly [field: string]: unknown;
}

/** The name of a child, or its `generateName` prefix. */
export type ChildName = string | { readonly prefix: string };

/** A child as users refer to it. */
export type ChildReference =
  | string
  | { readonly name: string; readonly namespace?: string | undefined }
  | { readonly prefix: string; readonly namespace?: string | undefined };

export function nameIn(reference: ChildReference): ChildName {
  return typeof reference === "object" && reference !== null && "name" in reference ? reference.name : reference;
}

/** The desired state of a child, with the namespace of its reference. */
export function placed(kind: AnyKind, reference: ChildReference, desired: Desired): Desired {
  const namespace = typeof reference === "object" && reference !== null ? reference.namespace : undefined;
  if (namespace === undefined || typeof desired !== "object" || desired === null) return desired;
  const { metadata } = desired;
  if (metadata?.namespace === undefined || metadata.namespace === namespace)
    return { ...desired, metadata: { ...metadata, namespace } };
  throw new RuntimeError(
    "OtherName",
    `Cannot write ${childText(kind, nameIn(reference))} into two namespaces: the call says "${namespace}", its metadata "${metadata.namespace}". Leave the namespace out of the metadata.`,
    { object: childText(kind, nameIn(reference)) },
  );
}

/** Metadata that only the server sets. A spread of an object that was read would send stale values of these fields. */
const SERVERS = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "managedFields",
] as const;

/** Throws if the kind, the name or the child is invalid. */
export function mustBeChild(kind: AnyKind, name: ChildName, desired: Desired): void {
  if (!isObject(kind) || typeof kind.kind !== "string")
    refuse("a child", `its kind is ${textOf(kind)}`, "Hand in a kind");
  const isName = isText(typeof name === "object" && name !== null ? name.prefix : name);
  if (!isName) refuse(`a child of kind ${kind.kind}`, `its name is ${textOf(name)}`, "Give it a name");
  const what = childText(kind, name);
  if (!isObject(desired)) refuse(what, `what it shall be is ${textOf(desired)}`, "Hand in an object");
  const { metadata = {} } = desired;
  if (!isObject(metadata)) refuse(what, `its metadata is ${textOf(metadata)}`, "Hand in an object, or leave it out");
  const given = SERVERS.find((field) => (metadata[field] ?? undefined) !== undefined);
  if (given === undefined) return mustBeNamed(kind, name, metadata);
  refuse(
    what,
    `its metadata has \`${given}\`, which is the server's to say`,
    "Leave it out; take over only what you want",
  );
}

/** A child in error messages, whatever was passed in. */
export function childText(kind: AnyKind | undefined, name: ChildName | undefined): string {
  return `${kind?.kind} ${typeof name === "object" ? `${name.prefix}...` : name}`;
}

/** A name in the metadata would be dropped: if it differs from the given one, the user means another object. */
function mustBeNamed(kind: AnyKind, name: ChildName, { name: own }: ObjectMeta): void {
  if (own === undefined || own === name) return;
  const called = typeof name === "string" ? `"${name}"` : `{ prefix: "${name.prefix}" }`;
  throw new RuntimeError(
    "OtherName",
    `Cannot write ${kind.kind} under two names: the call says ${called}, its metadata "${own}". Leave the name out of the metadata.`,
    { object: `${kind.kind} ${own}` },
  );
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function textOf(value: unknown): string {
  return value === undefined ? "undefined" : plainJson(value);
}

function refuse(object: string, problem: string, cure: string): never {
  throw new RuntimeError("BadChild", `Cannot write ${object}: ${problem}. ${cure}.`, { object });
}
