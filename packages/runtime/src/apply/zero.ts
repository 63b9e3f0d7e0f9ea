/** Values that Go omits from JSON: zeros of `omitempty` fields, as nearly all fields of the built-in kinds are. */

/** API groups of built-in kinds that have a dot in their name. The server stores their objects as Go types, not as sent. */
const groups = new Set(
  [
    "admissionregistration apiextensions apiregistration authentication authorization certificates coordination discovery events",
    "flowcontrol.apiserver internal.apiserver networking node rbac.authorization resource scheduling storage storagemigration",
  ].flatMap((names) => names.split(" ").map((name) => `${name}.k8s.io`)),
);

/** Whether the kinds of an API version are built in. Custom resources have a dot in their group and are stored as sent. */
export function isOfGo(apiVersion: string): boolean {
  const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));
  return !group.includes(".") || groups.has(group);
}

/** Whether `omitempty` omits a value, unless the field is a pointer. */
export function isZero(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return value === "" || value === 0 || value === false || value === null;
  }
  for (const _name in value) return false;
  return true;
}

/** Fields that are maps and not structs: their values are user data and are written even if they are empty. */
const maps = new Set(
  "annotations labels limits matchLabels nodeSelector options parameters requests volumeAttributes".split(" "),
);

/** String fields of atomic structs: of selectors, references, rules and ports. None is a pointer where it matters. */
const texts = new Set(
  "apiGroup apiVersion cidr containerName effect fieldPath host key name namespace operator path secretName uid value".split(
    " ",
  ),
);

/**
 * The JSON that Go would write of an atomic value in a field of that name: without empty lists, which are never pointers, and without the
 * strings and maps that are known not to be pointers. False and 0 mostly are pointers.
 */
export function asWritten(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => asWritten(item, ""));
  // A Service's selector is a map, other selectors are structs without strings: either way its strings are data.
  const isMap = maps.has(name) || name === "selector";
  const kept: { [field: string]: unknown } = {};
  for (const [field, inner] of Object.entries(value)) {
    if (inner === null || (inner === "" && !isMap && texts.has(field)) || (maps.has(field) && isZero(inner))) continue;
    const written = asWritten(inner, field);
    if (written !== undefined) kept[field] = written;
  }
  return kept;
}

/** Fields in which a current server replaces a zero by a default, because the zero cannot be distinguished from an absent field. */
const replaced: readonly (readonly [where: RegExp, by: string | number])[] = [
  [/^type$/u, "Opaque"],
  [/^spec\.type$/u, "ClusterIP"],
  [/^spec\.sessionAffinity$/u, "None"],
  [/^spec\.podManagementPolicy$/u, "OrderedReady"],
  [/^spec\.(?:strategy|updateStrategy)\.type$/u, "RollingUpdate"],
  [/^spec\.concurrencyPolicy$/u, "Allow"],
  [/^spec\.persistentVolumeReclaimPolicy$/u, "Retain"],
  [/\bspec\.dnsPolicy$/u, "ClusterFirst"],
  [/\bspec\.restartPolicy$/u, "Always"],
  [/\bspec\.schedulerName$/u, "default-scheduler"],
  [/\.terminationMessagePath$/u, "/dev/termination-log"],
  [/\.terminationMessagePolicy$/u, "File"],
  [/\.httpGet\.path$/u, "/"],
  [/\.httpGet\.scheme$/u, "HTTP"],
  [/Probe\.timeoutSeconds$/u, 1],
  [/Probe\.periodSeconds$/u, 10],
  [/Probe\.successThreshold$/u, 1],
  [/Probe\.failureThreshold$/u, 3],
];

/** Whether the live value is the server's default for a zero, whatever was sent before: sending the zero would change nothing. */
export function isDefaultOf(path: string, zero: unknown, found: unknown): boolean {
  return isZero(zero) && replaced.some(([where, by]) => by === found && where.test(path));
}

/** Lists with separate owners for their items: of an empty one nothing is ours, and items of other managers stay. */
const sharedLists =
  /(?:^|\.)metadata\.(?:finalizers|ownerReferences)$|\bspec\.(?:initContainers|volumes|hostAliases|resourceClaims)$|\.(?:env|volumeMounts|volumeDevices)$/u;

/** Whether a list is one to which every manager may add items. */
export function isSharedList(path: string): boolean {
  return sharedLists.test(path);
}
