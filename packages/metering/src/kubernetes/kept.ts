/** What a journal keeps of an object: all that a book can name, without secrets and bookkeeping. */

type Fields = { readonly [name: string]: unknown };

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** The object of a line. Items of lists have no apiVersion and kind, so these are parameters. */
export function keptOf(
  object: Fields,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): Fields {
  const { metadata, ...rest } = object;
  const fields = kind === "Secret" && apiVersion === "v1" ? withoutKeys(rest, ["data", "stringData"]) : rest;
  return { ...fields, apiVersion, kind, metadata: isFields(metadata) ? keptMetadata(metadata) : {} };
}

function keptMetadata(metadata: Fields): Fields {
  const { annotations } = metadata;
  const kept = withoutKeys(metadata, ["managedFields"]);
  return isFields(annotations) ? { ...kept, annotations: withoutKeys(annotations, [lastApplied]) } : kept;
}

function withoutKeys(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
