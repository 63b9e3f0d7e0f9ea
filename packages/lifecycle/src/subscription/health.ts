/** The condition of a Subscription about the catalogs that its namespace may use. */
import type { CatalogSource } from "../kinds/catalog-source.ts";
import type { CatalogHealth, Subscription, SubscriptionCondition } from "../kinds/subscription.ts";
import { conditionOf, withCondition } from "./conditions.ts";
import type { Draft } from "./conditions.ts";

const TYPE = "CatalogSourcesUnhealthy";

/** The catalogs of a namespace, in OLM's order. */
export interface KnownCatalogs {
  readonly catalogs: readonly CatalogSource[];
  readonly now: string;
}

/** Whether the registry of a catalog is in order. */
function isHealthy({ status, spec }: CatalogSource): boolean {
  if (status?.reason === "SpecInvalidError") return false;
  const isAddress = spec.sourceType === "grpc" && (spec.image ?? "") === "";
  return isAddress || status?.registryService !== undefined;
}

/** The status with the health of every catalog; the same status if nothing changed. */
export function withHealth(status: Draft, { spec }: Subscription, { catalogs, now }: KnownCatalogs): Draft {
  const sorted = [...catalogs].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const health = sorted.map((catalog) => toHealth(catalog, now));
  const target = health.find(
    ({ catalogSourceRef: { name, namespace } }) => name === spec.source && namespace === spec.sourceNamespace,
  );
  const known = status.catalogHealth ?? [];
  const change = changeOf(known, health);
  const condition = conditionFor({ status, spec, health, target, change });
  const old = conditionOf(status, TYPE);
  const isSame =
    old?.status === condition.status && old.reason === condition.reason && old.message === condition.message;
  if (isSame && (change === undefined || change === "none")) return status;
  const next = withCondition(status, { ...condition, lastTransitionTime: now }, now);
  return { ...next, catalogHealth: health, lastUpdated: now };
}

function sortKey({ metadata }: CatalogSource): string {
  return `${metadata.namespace ?? ""}${metadata.name}`;
}

function toHealth(catalog: CatalogSource, now: string): CatalogHealth {
  const { name, namespace = "", uid, resourceVersion } = catalog.metadata;
  return {
    catalogSourceRef: {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "CatalogSource",
      name,
      namespace,
      uid,
      resourceVersion,
    },
    lastUpdated: now,
    healthy: isHealthy(catalog),
  };
}

/** How the catalogs differ from the known ones. */
type HealthChange = "CatalogSourcesAdded" | "CatalogSourcesDeleted" | "CatalogSourcesUpdated" | "none" | undefined;

function changeOf(known: readonly CatalogHealth[], now: readonly CatalogHealth[]): HealthChange {
  if (now.length > known.length) return "CatalogSourcesAdded";
  if (now.length < known.length) return "CatalogSourcesDeleted";
  if (now.length === 0) return "none";
  const isKnown = (each: CatalogHealth): boolean =>
    known.some(
      ({ catalogSourceRef, healthy }) => catalogSourceRef.uid === each.catalogSourceRef.uid && healthy === each.healthy,
    );
  return now.every(isKnown) ? undefined : "CatalogSourcesUpdated";
}

interface Judged {
  readonly status: Draft;
  readonly spec: Subscription["spec"];
  readonly health: readonly CatalogHealth[];
  readonly target: CatalogHealth | undefined;
  readonly change: HealthChange;
}

function conditionFor({ status, spec, health, target, change }: Judged): SubscriptionCondition {
  const isWell = target !== undefined && health.every(({ healthy }) => healthy);
  const base: SubscriptionCondition = isWell
    ? {
        type: TYPE,
        status: "False",
        reason: "AllCatalogSourcesHealthy",
        message: "all available catalogsources are healthy",
      }
    : { type: TYPE, status: "True", reason: "UnhealthyCatalogSourceFound", message: problemOf(spec, target, status) };
  switch (change) {
    case "none": {
      const message = "dependency resolution requires at least one catalogsource";
      return { ...base, reason: "NoCatalogSourcesFound", message };
    }
    case "CatalogSourcesAdded":
    case "CatalogSourcesDeleted":
    case "CatalogSourcesUpdated":
      return { ...base, reason: change };
    case undefined:
      return base;
    default:
      return change satisfies never;
  }
}

function problemOf(
  { source, sourceNamespace }: Subscription["spec"],
  target: CatalogHealth | undefined,
  status: Draft,
): string {
  const place = `targeted catalogsource ${sourceNamespace}/${source}`;
  if (target === undefined) return `${place} missing`;
  if (!target.healthy) return `${place} unhealthy`;
  return conditionOf(status, TYPE)?.message ?? "";
}
