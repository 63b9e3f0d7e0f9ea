/** An object without the fields in which the server counts, keeps times, or allocates, and with lists without an order in one order. */

interface Tree {
  readonly [name: string]: unknown;
}

/** Fields of the metadata. */
const METADATA: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "generation",
  "managedFields",
  "deletionTimestamp",
]);

/** Fields of a status, at any depth: a crash may put off the reconcile that writes them until after the next change. */
const STATUS: ReadonlySet<string> = new Set(["observedGeneration", "lastTransitionTime"]);

/** Fields of a Service that the server allocates, at any depth of the spec. */
const SERVICE: ReadonlySet<string> = new Set(["clusterIP", "clusterIPs", "nodePort", "healthCheckNodePort"]);

/** Removes what differs between any two runs from an object, or from all objects inside a value. */
export function placeless(value: unknown, kind: string): unknown {
  if (Array.isArray(value)) return value.map((item) => placeless(item, kind));
  if (!isTree(value)) return value;
  if (isTree(value["metadata"]) && "uid" in value["metadata"]) return placelessObject(value, kind);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, placeless(item, kind)]));
}

function placelessObject(object: Tree, kind: string): Tree {
  const { metadata, status, spec, ...rest } = object;
  return {
    ...rest,
    metadata: isTree(metadata) ? sorted(without(metadata, METADATA)) : metadata,
    spec: kind === "Service" ? withoutAtAnyDepth(spec, SERVICE) : spec,
    status: withoutAtAnyDepth(status, STATUS),
  };
}

function without(tree: Tree, names: ReadonlySet<string>): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([name]) => !names.has(name)));
}

/** Finalizers and owner references have no order. */
function sorted(metadata: Tree): Tree {
  const { finalizers, ownerReferences, ...rest } = metadata;
  return { ...rest, finalizers: sortedList(finalizers), ownerReferences: sortedList(ownerReferences) };
}

function sortedList(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  return list.toSorted((a, b) => (JSON.stringify(nameOf(a)) < JSON.stringify(nameOf(b)) ? -1 : 1));
}

function nameOf(item: unknown): unknown {
  return isTree(item) ? [item["kind"], item["name"]] : item;
}

function withoutAtAnyDepth(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return inOrderOfTypes(value.map((item) => withoutAtAnyDepth(item, names)));
  if (!isTree(value)) return value;
  const entries = Object.entries(value).filter(([name]) => !names.has(name));
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutAtAnyDepth(item, names)]));
}

/** Conditions are a map with their type as the key. */
function inOrderOfTypes(list: readonly unknown[]): readonly unknown[] {
  const isCondition = (item: unknown): boolean => isTree(item) && "type" in item && "status" in item;
  if (!list.every(isCondition)) return list;
  return list.toSorted((a, b) => (typeIn(a) < typeIn(b) ? -1 : 1));
}

function typeIn(item: unknown): string {
  return isTree(item) ? String(item["type"]) : "";
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
