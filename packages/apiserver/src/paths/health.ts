/** /healthz, /livez and /readyz: the health of the server, check by check. */
import { quote } from "@capstan/model";
import type { Answer } from "../answer.ts";
import { toMetrics } from "./metrics.ts";
import { bareText, pageNotFound, plainText } from "./plain.ts";

/** The post-start hooks, in the order of kube-apiserver. */
const hooks = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "storage-object-count-tracker-hook",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "peer-endpoint-reconciler-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
  "storage-readiness",
  "start-legacy-token-tracking-controller",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "start-kubernetes-service-cidr-controller",
  "start-kube-aggregator-informers",
  "apiservice-status-local-available-controller",
  "apiservice-status-remote-available-controller",
  "apiservice-registration-controller",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
];
const lastHooks = ["apiservice-openapi-controller", "apiservice-openapiv3-controller"];
const hookChecks = [
  ...hooks.map((name) => `poststarthook/${name}`),
  "autoregister-completion",
  ...lastHooks.map((name) => `poststarthook/${name}`),
];

/** The checks of each endpoint. All of them pass as soon as the server responds. */
const living = ["ping", "log", "loopback-serving-certificate", "etcd", ...hookChecks];
const checks: Readonly<Record<string, readonly string[]>> = {
  healthz: living,
  livez: living,
  readyz: ["ping", "log", "etcd", "etcd-readiness", "informer-sync", ...hookChecks, "shutdown"],
};

/** All health paths. */
export function healthPaths(): string[] {
  return Object.entries(checks).flatMap(([endpoint, names]) => [
    `/${endpoint}`,
    ...names.map((name) => `/${endpoint}/${name}`),
  ]);
}

/** Serves a path that begins with one of the endpoints; `undefined` for any other. */
export function serveHealth(path: string, query: URLSearchParams): Answer | undefined {
  const [, endpoint = "", ...rest] = path.split("/");
  const names = Object.hasOwn(checks, endpoint) ? checks[endpoint] : undefined;
  if (names === undefined) return undefined;
  if (rest.length > 0) return names.includes(rest.join("/")) ? bareText("ok") : pageNotFound();
  return serveAll(endpoint, names, query);
}

function serveAll(endpoint: string, names: readonly string[], query: URLSearchParams): Answer {
  if (!query.has("verbose")) return plainText(200, "ok");
  const excluded = new Set(query.getAll("exclude"));
  const lines = names.map((name) => (excluded.delete(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`));
  if (excluded.size > 0) {
    const unmatched = [...excluded].map(quote).join(", ");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unmatched}`);
  }
  return plainText(200, `${lines.join("\n")}\n${endpoint} check passed\n`);
}

/** Serves /metrics/slis: the checks as Prometheus metrics. */
export function serveHealthMetrics(): Answer {
  const all = Object.entries(checks).flatMap(([endpoint, names]) => names.map((name) => ({ endpoint, name })));
  return toMetrics([
    "# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single healthcheck.",
    "# TYPE kubernetes_healthcheck gauge",
    ...all.map(({ endpoint, name }) => `kubernetes_healthcheck{name="${name}",type="${endpoint}"} 1`).sort(),
  ]);
}
