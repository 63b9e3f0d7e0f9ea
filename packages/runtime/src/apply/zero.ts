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

/** Fields that are maps and no structs: their values are somebody's data, and an empty one is not written. */
const maps = new Set(
  "annotations labels limits matchLabels nodeSelector options parameters requests volumeAttributes".split(" "),
);

/** Plain texts of the structs that are owned as a whole: of selectors, references, rules and ports. None stands behind a pointer that matters. */
const texts = new Set(
  "apiGroup apiVersion cidr containerName effect fieldPath host key name namespace operator path secretName uid value".split(
    " ",
  ),
);

/**
 * What Go would write of a value that is owned as a whole, in a field of that name: without empty lists, which are never behind a
 * pointer, and without the texts and maps of which it is known that they are not. False and 0 mostly are.
 */
export function asWritten(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => asWritten(item, ""));
  // A Service's selector is a map, those of others are structs without texts: either way its texts are data.
  const isMap = maps.has(name) || name === "selector";
  const kept: { [field: string]: unknown } = {};
  for (const [field, inner] of Object.entries(value)) {
    if (inner === null || (inner === "" && !isMap && texts.has(field)) || (maps.has(field) && isZero(inner))) continue;
    const written = asWritten(inner, field);
    if (written !== undefined) kept[field] = written;
  }
  return kept;
}

/** Where a server of today puts something in the place of a zero that cannot be told from nothing. */
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

/** Whether what is there is what the server makes of a zero, whoever sent what before: to send the zero would change nothing. */
export function isDefaultOf(path: string, zero: unknown, found: unknown): boolean {
  return isZero(zero) && replaced.some(([where, by]) => by === found && where.test(path));
}

/** Lists whose items have owners each: of an empty one nothing is ours, and what others put into it stays. */
const sharedLists =
  /(?:^|\.)metadata\.(?:finalizers|ownerReferences)$|\bspec\.(?:initContainers|volumes|hostAliases|resourceClaims)$|\.(?:env|volumeMounts|volumeDevices)$/u;

/** Whether a list is one into which everybody may put something of their own. */
export function isSharedList(path: string): boolean {
  return sharedLists.test(path);
}
