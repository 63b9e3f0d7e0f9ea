/** What an operator answers over HTTP: is it well, is it ready, its numbers, and why it did what it did. */
import type { RunningOperator } from "./operator.ts";

/** A request, as far as it matters here. */
export interface DoorRequest {
  readonly method: string;
  /** With the query, if there is one. */
  readonly path: string;
  /** Whether it comes from this machine or pod, as what `kubectl port-forward` carries does. */
  readonly isLocal: boolean;
  /** The `host` header; every browser sends one. */
  readonly host?: string | undefined;
  /** The `authorization` header. */
  readonly authorization: string | undefined;
}

/** An answer. */
export interface DoorAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Says whether somebody may read a path. */
export type Guard = (request: DoorRequest) => Promise<"allowed" | "unknown" | "forbidden">;

/** Answers to the probes of a kubelet, and to people who ask why: only from here, because objects are named and nobody is asked for a token. */
export function healthDoor(operator: RunningOperator): (request: DoorRequest) => Promise<DoorAnswer> {
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

function explanationOf(operator: RunningOperator, path: readonly string[]): DoorAnswer {
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

/** Whether a `host` header names this machine to itself. A web page can make any other name lead here, and would then read the answer. */
function isLoopbackName(host: string): boolean {
  const name = host.replace(/:\d*$/u, "").toLowerCase().replace(/\.$/u, "");
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(name);
}

/** The path of a request without its query. */
export function pathnameOf(path: string): string {
  return path.split("?", 1)[0] ?? "";
}

/** Ready means that work goes on, because every watch has a complete list; each is named, so that one can see which has not. */
function readiness(operator: RunningOperator): DoorAnswer {
  const lines = operator.health.map(({ kind, namespace, isSynced, lastError }) => {
    const where = namespace === undefined ? kind : `${kind} in ${namespace}`;
    return `[${isSynced ? "+" : "-"}] ${where}${lastError === undefined ? "" : `: ${lastError}`}`;
  });
  // A mistake in one function is no reason to take an operator out of service: it is told.
  const troubles = operator.troubles.map(
    (one) => `[!] ${one.controller}: the ${one.what} failed for ${one.object}: ${one.message}`,
  );
  const isReady = operator.health.every(({ isAwaited }) => !isAwaited);
  return text(isReady ? 200 : 503, [...lines, ...troubles].join("\n"));
}

function explanation(operator: RunningOperator, [controller = "", ...key]: readonly string[]): DoorAnswer {
  const object = key.join("/");
  const reconciles = operator.explain(controller, object);
  if (reconciles.length === 0) return text(404, whyUnknown(operator, controller, object));
  return { status: 200, type: "application/json", body: JSON.stringify({ controller, object, reconciles }) };
}

function whyUnknown({ controllers }: RunningOperator, controller: string, object: string): string {
  const names = controllers.map(({ definition }) => definition.name);
  const running = controllers[names.indexOf(controller)];
  if (running === undefined) return `There is no controller ${controller}: the operator has ${names.join(", ")}.`;
  // Whoever asks need not know whether objects of a kind have a namespace.
  const { kind, scope } = running.definition.kind;
  const key = scope === "Cluster" ? object.slice(object.lastIndexOf("/") + 1) : object;
  if (running.has(key) === false) return `There is no ${kind} ${key} that this operator watches.`;
  return `Nothing is known about ${controller} ${key}: it was not looked at lately.`;
}

/** The metrics, for those whom the guard lets in. */
export function metricsDoor(operator: RunningOperator, guard: Guard): (request: DoorRequest) => Promise<DoorAnswer> {
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

function text(status: number, body: string): DoorAnswer {
  return { status, type: "text/plain; charset=utf-8", body: `${body}\n` };
}
