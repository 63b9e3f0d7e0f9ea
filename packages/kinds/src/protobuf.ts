/** The protobuf messages of the built-in kinds: numbers, names and types of fields, and Go's encoding rules. */
import type { GroupVersionKind } from "@capstan/model";
import facts from "./generated/facts/protobuf.json" with { type: "json" };

/** A field: its number, its name in JSON, its type (a scalar, or the full name of a message) and its flags. */
export type ProtobufField = readonly [number: number, name: string, type: string, flags: number];

/**
 * The flags of a field, as bits. A plain value is always written, a pointer when it is present; `omitEmpty` and `omitZero` are the rules
 * of Go's JSON; the fields of an inline field are part of the JSON of the surrounding message.
 */
export const protobufFlags = {
  pointer: 1,
  omitEmpty: 2,
  omitZero: 4,
  repeated: 8,
  map: 16,
  inline: 32,
} as const;

interface ProtobufTable {
  readonly packages: { readonly [groupVersion: string]: string };
  readonly messages: { readonly [name: string]: readonly ProtobufField[] };
}

const { packages, messages } = facts as unknown as ProtobufTable;
const metaPackage = "k8s.io.apimachinery.pkg.apis.meta.v1";

/** The fields of a message in the order of the Go struct. */
export function protobufMessage(name: string): readonly ProtobufField[] | undefined {
  return Object.hasOwn(messages, name) ? messages[name] : undefined;
}

/** The full name of the message of a kind; the kinds of every group include those of meta: Status, DeleteOptions, WatchEvent. */
export function protobufMessageOf({ group, version, kind }: GroupVersionKind): string | undefined {
  // Discovery of the core group has no version.
  const pkg = group === "" && version === "" ? metaPackage : packages[group === "" ? version : `${group}/${version}`];
  if (pkg === undefined) return undefined;
  return [`${pkg}.${kind}`, `${metaPackage}.${kind}`].find((name) => protobufMessage(name) !== undefined);
}
