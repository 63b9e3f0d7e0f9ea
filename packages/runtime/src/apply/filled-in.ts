/**
 * Defaults that the server fills into atomic values where nothing was sent. Managed fields do not descend into atomic values, so they do
 * not show which fields are ours: a field that is not sent and has its default is what another apply would produce.
 */
import { isEqual } from "./equal.ts";
import { isSameQuantity } from "./quantity.ts";

/** By path, with `[]` for items. */
const defaults: readonly (readonly [where: RegExp, filled: unknown])[] = [
  [/^spec\.volumeClaimTemplates\[\]\.apiVersion$/u, "v1"],
  [/^spec\.volumeClaimTemplates\[\]\.kind$/u, "PersistentVolumeClaim"],
  [/^spec\.volumeClaimTemplates\[\]\.spec\.volumeMode$/u, "Filesystem"],
  [/^spec\.volumeClaimTemplates\[\]\.status$/u, { phase: "Pending" }],
  [/^spec\.(?:ingress|egress)\[\]\.ports\[\]\.protocol$/u, "TCP"],
  [/^ports\[\]\.protocol$/u, "TCP"],
  [/^(?:subjects\[\]|roleRef)\.apiGroup$/u, "rbac.authorization.k8s.io"],
  [/\.serviceAccountToken\.expirationSeconds$/u, 3600],
  [/\.fieldRef\.apiVersion$/u, "v1"],
  [/\.resourceFieldRef\.divisor$/u, "0"],
  [/\.onPodConditions\[\]\.status$/u, "True"],
  [/(?:\.rules|[rR]esourceRules)\[\]\.scope$/u, "*"],
];

/** The live value at a path, without defaults for fields that were not sent, and with quantities spelled as they were sent. */
export function withoutFilledIn(live: unknown, sent: unknown, path: string): unknown {
  return strip(live, sent, path.replaceAll(/\[[^[\]]*\]/gu, "[]"));
}

function strip(live: unknown, sent: unknown, path: string): unknown {
  if (typeof live === "string") return isSameQuantity(path, sent, live) ? sent : live;
  if (typeof live !== "object" || live === null || typeof sent !== "object" || sent === null) return live;
  if (Array.isArray(live))
    return Array.isArray(sent) ? live.map((item, at) => strip(item, sent[at], `${path}[]`)) : live;
  const kept: { [field: string]: unknown } = {};
  for (const [field, value] of Object.entries(live)) {
    const inner = `${path}.${field}`;
    const wanted: unknown = (sent as { readonly [field: string]: unknown })[field];
    if (wanted === undefined && isFilledIn(inner, value)) continue;
    kept[field] = strip(value, wanted, inner);
  }
  return kept;
}

function isFilledIn(path: string, value: unknown): boolean {
  return defaults.some(([where, filled]) => where.test(path) && isEqual(filled, value));
}
