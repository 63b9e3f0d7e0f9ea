/** The scenario of OpenAPI documents of aggregated servers: added, unreachable, removed. It runs against any API server. */

/** Sends a request to the API server. */
export type Ask = (method: string, path: string, body?: object) => Promise<{ status: number; text: string }>;

/** The addresses of the aggregated servers. */
export interface Places {
  readonly host: string;
  readonly newPort: number;
  readonly oldPort: number;
}

const services = "/api/v1/namespaces/default/services";
const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";

function service(name: string, host: string): object {
  return { metadata: { name }, spec: { type: "ExternalName", externalName: host } };
}

function apiService(group: string, name: string, priority: number, port: number): object {
  return {
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: "v1",
      service: { namespace: "default", name, port },
      groupPriorityMinimum: priority,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
    },
  };
}

/** Plays the scenario; `until` repeats a request until the expected response. */
export async function tell(ask: Ask, places: Places, until: Until): Promise<{ [moment: string]: unknown }> {
  const before = await look(ask);
  for (const name of ["new", "old"]) await expect(ask("POST", services, service(name, places.host)), 201);
  await expect(ask("POST", apiServices, apiService("things.dev", "new", 2000, places.newPort)), 201);
  await expect(ask("POST", apiServices, apiService("others.dev", "new", 1000, places.newPort)), 201);
  await expect(ask("POST", apiServices, apiService("old.dev", "old", 500, places.oldPort)), 201);
  const groups = ["things.dev", "others.dev", "old.dev"];
  await until(async () => {
    const { index, paths } = await look(ask);
    const isIn = (group: string): boolean =>
      `apis/${group}/v1` in index && Object.keys(paths).some((path) => path.startsWith(`/apis/${group}/v1/`));
    return groups.every(isIn);
  });
  const present = { ...newIn(await look(ask), before), pages: await pages(ask) };

  await expect(ask("DELETE", `${services}/new`), 200);
  await until(async () => (await ask("GET", `${apiServices}/v1.things.dev`)).text.includes("ServiceNotFound"));
  const silent = { ...namesOf(newIn(await look(ask), before)), pages: await pages(ask) };

  for (const group of groups) await expect(ask("DELETE", `${apiServices}/v1.${group}`), 200);
  await until(async () => Object.keys(newIn(await look(ask), before).paths).length === 0);
  await until(async () => Object.keys(newIn(await look(ask), before).index).length === 0);
  const gone = { ...namesOf(newIn(await look(ask), before)), pages: await pages(ask) };
  await expect(ask("DELETE", `${services}/old`), 200);
  return { present, silent, gone };
}

/** Repeats a check until it is true. */
export type Until = (isSo: () => Promise<boolean>) => Promise<void>;

interface Seen {
  readonly index: { readonly [path: string]: unknown };
  readonly paths: { readonly [path: string]: unknown };
  readonly definitions: { readonly [name: string]: unknown };
  readonly parameters: { readonly [name: string]: unknown };
}

async function look(ask: Ask): Promise<Seen> {
  // The hash of a generated document depends on the formatting of each server.
  const told = (await ask("GET", "/openapi/v3")).text.replaceAll(/hash=[0-9A-F]{128}/g, "hash={hash}");
  const { paths: index } = JSON.parse(told) as { paths: Seen["index"] };
  const { paths, definitions, parameters } = JSON.parse((await ask("GET", "/openapi/v2")).text) as Omit<Seen, "index">;
  return { index, paths, definitions, parameters };
}

function newIn(seen: Seen, before: Seen): Seen {
  const parts = ["index", "paths", "definitions", "parameters"] as const;
  const added = parts.map((part) => [
    part,
    Object.fromEntries(Object.entries(seen[part]).filter(([name]) => !(name in before[part]))),
  ]);
  return Object.fromEntries(added) as Seen;
}

function namesOf(seen: Seen): { [part: string]: readonly string[] } {
  return Object.fromEntries(Object.entries(seen).map(([part, value]) => [part, Object.keys(value as object)]));
}

async function pages(ask: Ask): Promise<{ [path: string]: unknown }> {
  const found: { [path: string]: unknown } = {};
  for (const path of ["apis/things.dev/v1", "apis/old.dev/v1", "apis/nobody.dev/v1"]) {
    const { status, text } = await ask("GET", `/openapi/v3/${path}`);
    found[path] = { status, body: status === 200 ? (JSON.parse(text) as unknown) : text };
  }
  return found;
}

async function expect(answer: ReturnType<Ask>, status: number): Promise<void> {
  const { status: found, text } = await answer;
  if (found !== status) throw new Error(`expected ${status}, got ${found}: ${text}`);
}
