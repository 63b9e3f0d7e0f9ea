/** /healthz, /livez and /readyz: whether the server works, check by check. */
import { quote } from "@capstan/model";
import type { Answer } from "../answer.ts";
import { pageNotFound, plainText } from "./plain.ts";

/** The checks of each endpoint. What they check is true as soon as the server answers at all. */
const common = [
  "ping",
  "log",
  "etcd",
  "poststarthook/start-apiextensions-controllers",
  "poststarthook/crd-informer-synced",
  "poststarthook/start-system-namespaces-controller",
  "poststarthook/rbac/bootstrap-roles",
  "poststarthook/scheduling/bootstrap-system-priority-classes",
  "poststarthook/bootstrap-controller",
  "poststarthook/apiservice-registration-controller",
];
const checks: Readonly<Record<string, readonly string[]>> = {
  healthz: common,
  livez: common,
  readyz: [...common, "informer-sync", "shutdown"],
};

/** The paths that there are. */
export function healthPaths(): string[] {
  return Object.entries(checks).flatMap(([endpoint, names]) => [
    `/${endpoint}`,
    ...names.map((name) => `/${endpoint}/${name}`),
  ]);
}

/** Answers for a path that begins with one of the endpoints; `undefined` for any other. */
export function serveHealth(path: string, query: URLSearchParams): Answer | undefined {
  const [, endpoint = "", ...rest] = path.split("/");
  const names = Object.hasOwn(checks, endpoint) ? checks[endpoint] : undefined;
  if (names === undefined) return undefined;
  const check = rest.join("/");
  if (check !== "") return names.includes(check) ? plainText(200, "ok") : pageNotFound();
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
