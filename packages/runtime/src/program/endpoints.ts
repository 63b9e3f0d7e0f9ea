/** The HTTP endpoints of an operator: health, readiness, metrics, and the explanation of reconciles. */
import type { RunningOperator } from "../manager/operator.ts";

/** The relevant parts of a request. */
export interface EndpointRequest {
  readonly method: string;
  /** With the query, if there is one. */
  readonly path: string;
  /** Whether it comes from this machine or pod, as requests through `kubectl port-forward` do. */
  readonly isLocal: boolean;
  /** The `host` header; every browser sends one. */
  readonly host?: string | undefined;
  /** The `authorization` header. */
  readonly authorization: string | undefined;
}

/** A response. */
export interface EndpointResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Authorizes a request for a path. */
export type Guard = (request: EndpointRequest) => Promise<"allowed" | "unknown" | "forbidden">;

/**
 * Serves the probes of the kubelet, and the explanations. Explanations are served to local requests only, because they name objects and
 * need no token.
 */
export function healthEndpoint(operator: RunningOperator): (request: EndpointRequest) => Promise<EndpointResponse> {
  return async ({ path, isLocal, host }) => {
    const [, room = "", ...rest] = pathnameOf(path).split("/");
    const isRebound = isLocal && host !== undefined && !isLoopbackName(host);
    switch (room) {
      case "healthz":
      case "livez":
        return text(200, "ok");
      case "readyz":
        return isRebound ? text(403, FOREIGN_HOST) : readiness(operator);
      case "explain":
        if (isRebound) return text(403, FOREIGN_HOST);
        return isLocal ? explanationOf(operator, rest) : text(403, ONLY_FROM_HERE);
      default:
        return text(404, "There is /healthz, /readyz and /explain/<controller>/<namespace>/<name> here.");
    }
  };
}

function explanationOf(operator: RunningOperator, path: readonly string[]): EndpointResponse {
  let names: string[];
  try {
    names = path.map(decodeURIComponent);
  } catch {
    return text(400, "The path is not written as in a URL: % stands before two digits of a hexadecimal number.");
  }
  return explanation(operator, names);
}

const ONLY_FROM_HERE = "Explanations are given only to who asks from within the pod: use kubectl port-forward.";

const FOREIGN_HOST =
  "The Host header names another machine, as it does for a web page that uses DNS rebinding: ask localhost or 127.0.0.1.";

/**
 * Whether a `host` header names the loopback address. A web page can point any other name to it (DNS rebinding) and would then read the
 * response.
 */
function isLoopbackName(host: string): boolean {
  const name = host.replace(/:\d*$/u, "").toLowerCase().replace(/\.$/u, "");
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(name);
}

/** The path of a request without its query. */
export function pathnameOf(path: string): string {
  return path.split("?", 1)[0] ?? "";
}

/** Ready means that reconciles run because every watch has a complete list; the response lists each watch. */
function readiness(operator: RunningOperator): EndpointResponse {
  const lines = operator.health.map(({ kind, namespace, isSynced, lastError }) => {
    const where = namespace === undefined ? kind : `${kind} in ${namespace}`;
    return `[${isSynced ? "+" : "-"}] ${where}${lastError === undefined ? "" : `: ${lastError}`}`;
  });
  // A failing user function does not make the operator unready: it is only listed.
  const userFailures = operator.userFailures.map(
    (one) => `[!] ${one.controller}: the ${one.what} failed for ${one.object}: ${one.message}`,
  );
  const isReady = operator.health.every(({ isAwaited }) => !isAwaited);
  return text(isReady ? 200 : 503, [...lines, ...userFailures].join("\n"));
}

function explanation(operator: RunningOperator, [controller = "", ...key]: readonly string[]): EndpointResponse {
  const object = key.join("/");
  const reconciles = operator.explain(controller, object);
  if (reconciles.length === 0) return text(404, whyUnknown(operator, controller, object));
  return { status: 200, type: "application/json", body: JSON.stringify({ controller, object, reconciles }) };
}

function whyUnknown({ controllers }: RunningOperator, controller: string, object: string): string {
  const names = controllers.map(({ definition }) => definition.name);
  const running = controllers[names.indexOf(controller)];
  if (running === undefined) return `There is no controller ${controller}: the operator has ${names.join(", ")}.`;
  // The caller need not know whether objects of a kind have a namespace.
  const { kind, scope } = running.definition.kind;
  const key = scope === "Cluster" ? object.slice(object.lastIndexOf("/") + 1) : object;
  if (running.has(key) === false) return `There is no ${kind} ${key} that this operator watches.`;
  return `Nothing is known about ${controller} ${key}: it was not looked at lately.`;
}

/** Serves the metrics to authorized requests. */
export function metricsEndpoint(
  operator: RunningOperator,
  guard: Guard,
): (request: EndpointRequest) => Promise<EndpointResponse> {
  return async (request) => {
    if (pathnameOf(request.path) !== "/metrics") return text(404, "There is /metrics here.");
    switch (await guard(request)) {
      case "unknown":
        return text(401, "Send the token of a service account as a bearer token.");
      case "forbidden":
        return text(403, "The token may not get the non-resource URL /metrics: grant it with a ClusterRole.");
      case "allowed":
        return { status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: operator.registry.text() };
    }
  };
}

function text(status: number, body: string): EndpointResponse {
  return { status, type: "text/plain; charset=utf-8", body: `${body}\n` };
}
