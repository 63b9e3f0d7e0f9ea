/** Which representation of an object is requested: all of it or only its metadata. */
import type { Kind, KubeObject, Scope, StoredMeta } from "@capstan/model";
import type { AnyKind } from "./target.ts";

/**
 * An object of which only the metadata was asked for.
 *
 * @example
 * const labelsOf = ({ metadata }: PartialObjectMetadata) => metadata.labels ?? {};
 */
export interface PartialObjectMetadata extends KubeObject {
  readonly metadata: StoredMeta;
}

const partial = Symbol("metadata only");

/**
 * The same kind, of which the server sends only the metadata: `client.list(metadataOnly(Pod), ...)`.
 *
 * @example
 * const client = createClient(await loadConfig(processHost()));
 * for await (const { metadata } of client.list(metadataOnly(Secret), { namespace: "default" })) console.log(metadata.name);
 */
export function metadataOnly<S extends Scope>(
  kind: Kind<KubeObject, unknown, S>,
): Kind<PartialObjectMetadata, never, S> {
  const { group, version, kind: name, plural, scope } = kind;
  const marked = { group, version, kind: name, plural, scope, [partial]: true };
  return marked;
}

const one = { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" };
const many = { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" };

/** The Accept header for the representation; watches send single objects. */
export function acceptOf(kind: AnyKind, amount: "one" | "many"): Readonly<Record<string, string>> | undefined {
  if (!(partial in kind)) return undefined;
  return amount === "one" ? one : many;
}
