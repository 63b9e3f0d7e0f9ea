/** What Go leaves out when it writes JSON: zeros of fields that are `omitempty`, as nearly all fields of the built-in kinds are. */

/** The groups of the built-in kinds that have a dot in their name: what the server keeps as types of Go, not as what was sent. */
const groups = new Set(
  [
    "admissionregistration apiextensions apiregistration authentication authorization certificates coordination discovery events",
    "flowcontrol.apiserver internal.apiserver networking node rbac.authorization resource scheduling storage storagemigration",
  ].flatMap((names) => names.split(" ").map((name) => `${name}.k8s.io`)),
);

/** Whether the kinds of an API version are built in: custom ones have a dot in their group, and are kept as they were sent. */
export function isOfGo(apiVersion: string): boolean {
  const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));
  return !group.includes(".") || groups.has(group);
}

/** Whether `omitempty` leaves a value out, unless it stands behind a pointer. */
export function isZero(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return value === "" || value === 0 || value === false || value === null;
  }
  for (const _name in value) return false;
  return true;
}

/** A value without its empty lists, which are never behind a pointer: that they are there and that they are not is the same. */
export function withoutEmptyLists(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmptyLists);
  const kept = Object.entries(value).map(([name, field]) => [
    name,
    field === null ? undefined : withoutEmptyLists(field),
  ]);
  return Object.fromEntries(kept.filter(([, field]) => field !== undefined));
}
