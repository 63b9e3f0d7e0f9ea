/** Runs scenarios against a manager on an embedded cluster: the steps, the catalogs, and snapshots after each pause. */
import { setTimeout as pause } from "node:timers/promises";
import { configOf, type RegistryServer, startRegistryServer, toCatalog } from "@capstan/bundle";
import { type Client, isApiError } from "@capstan/client";
import type { Json, Kind } from "@capstan/model";
import { apiOf } from "@capstan/runtime";
import { comparedKinds, toSnapshot } from "./normalise.ts";
import type { AnyObject, Answer, Scenario, Snapshot, Step, Target } from "./scenario.ts";

/** The cluster of a run, whose kinds are looked up by name. */
export interface Place {
  readonly kind: (apiVersion: string, kind: string) => Promise<Kind>;
  readonly api: ReturnType<typeof apiOf>;
}

/** The place behind a client. */
export function placeOf(client: Client): Place {
  return {
    api: apiOf(client),
    kind: (apiVersion, kind) => {
      const [version = "", group = ""] = apiVersion.split("/").toReversed();
      return client.resourceFor({ group, version, kind });
    },
  };
}

/** Decides when a pause ends. */
export type Settle = (look: () => Promise<Snapshot>, at: number) => Promise<Snapshot>;

/** Runs a scenario and returns a snapshot for each pause. */
export async function runScenario(place: Place, { name, steps }: Scenario, settle: Settle): Promise<Answer> {
  await using catalogs = openCatalogs();
  const snapshots: Snapshot[] = [];
  const made: Target[] = [];
  try {
    for (const step of steps) {
      if (step.do === "settle") {
        snapshots.push(await settle(() => look(place, name), snapshots.length));
      } else {
        if (step.do === "apply") made.push(toTarget(step.object));
        await perform(step, place, catalogs);
      }
    }
    return snapshots;
  } finally {
    await cleanUp(place, made.toReversed());
  }
}

function toTarget({ apiVersion, kind, metadata: { name, namespace } }: AnyObject): Target {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** The objects of a scenario as they are now. */
export async function look(place: Place, id: string): Promise<Snapshot> {
  const lists = await Promise.all(comparedKinds.map(([apiVersion, kind]) => listAll(place, { apiVersion, kind })));
  return toSnapshot(lists.flat(), id);
}

interface Listed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
}

async function listAll(
  { api, kind: find }: Place,
  { apiVersion, kind, namespace }: Listed,
): Promise<readonly AnyObject[]> {
  const { items } = await api.list(await find(apiVersion, kind), namespace === undefined ? {} : { namespace });
  return (items as readonly unknown[] as readonly AnyObject[]).map((item) => ({ ...item, apiVersion, kind }));
}

interface Catalogs extends AsyncDisposable {
  readonly serve: (name: string, blobs: readonly Json[]) => Promise<void>;
  readonly end: (name: string) => Promise<void>;
  readonly addressOf: (name: string) => string;
}

/** Servers of catalogs. A new content starts the server again at its port, because clients look again when the connection breaks. */
function openCatalogs(): Catalogs {
  const servers = new Map<string, RegistryServer>();
  const addresses = new Map<string, string>();
  const end = async (name: string): Promise<void> => {
    await servers.get(name)?.[Symbol.asyncDispose]();
    servers.delete(name);
  };
  return {
    serve: async (name, blobs) => {
      const catalog = toCatalog(configOf(blobs));
      const port = Number(addresses.get(name)?.split(":")[1] ?? 0);
      await end(name);
      const server = await startRegistryServer({ catalog: () => catalog, host: "127.0.0.1", port });
      servers.set(name, server);
      addresses.set(name, server.address);
    },
    end,
    addressOf: (name) => addresses.get(name) ?? "127.0.0.1:1",
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...servers.keys()].map(end));
    },
  };
}

async function perform(
  step: Exclude<Step, { readonly do: "settle" }>,
  place: Place,
  catalogs: Catalogs,
): Promise<void> {
  const { api } = place;
  switch (step.do) {
    case "apply": {
      const text = JSON.stringify(step.object).replaceAll(/\$ADDRESS\(([^)]+)\)/gu, (_all, name: string) =>
        catalogs.addressOf(name),
      );
      const object = JSON.parse(text) as AnyObject;
      const kind = await place.kind(object.apiVersion, object.kind);
      await api.apply(kind, object as never, { manager: "user", force: true });
      return;
    }
    case "patch": {
      const { apiVersion, kind, name, namespace = "" } = step.of;
      const options = step.subresource === undefined ? {} : { subresource: step.subresource };
      const found = await place.kind(apiVersion, kind);
      await api.patch(found, { namespace, name }, step.patch, { type: "merge", manager: "user", ...options });
      return;
    }
    case "delete":
      return removeAny(place, step.of);
    case "serve":
      return catalogs.serve(step.catalog, step.blobs);
    case "vanish":
      return catalogs.end(step.catalog);
    case "approve":
      return approve(place, step.namespace);
    case "delete-plans":
      for (const { metadata } of await listAll(place, { ...PLAN, namespace: step.namespace })) {
        await removeAny(place, { ...PLAN, namespace: step.namespace, name: metadata.name });
      }
      return;
    default:
      return step satisfies never;
  }
}

const PLAN = { apiVersion: "operators.coreos.com/v1alpha1", kind: "InstallPlan" };

async function approve(place: Place, namespace: string): Promise<void> {
  const kind = await place.kind(PLAN.apiVersion, PLAN.kind);
  for (const { metadata, spec } of await listAll(place, { ...PLAN, namespace })) {
    if ((spec as { readonly approved?: boolean }).approved === true) continue;
    const change = { spec: { approved: true } };
    await place.api.patch(kind, { namespace, name: metadata.name }, change, { type: "merge", manager: "user" });
  }
}

async function removeAny(place: Place, { apiVersion, kind, name, namespace = "" }: Target): Promise<void> {
  try {
    await place.api.delete(await place.kind(apiVersion, kind), { namespace, name }, {});
  } catch (error) {
    if (!isApiError(error, "NotFound")) throw error;
  }
}

/** Removes what a scenario leaves behind, so that the next one starts with an empty cluster. */
async function cleanUp(place: Place, made: readonly Target[]): Promise<void> {
  for (const each of made.filter(({ kind }) => kind === "Subscription" || kind === "CatalogSource")) {
    await removeAny(place, each);
  }
  const namespaces = new Set(made.filter(({ kind }) => kind === "Namespace").map(({ name }) => name));
  const csvs = { apiVersion: "operators.coreos.com/v1alpha1", kind: "ClusterServiceVersion" };
  for (const namespace of namespaces) {
    for (const { metadata } of await listAll(place, { ...csvs, namespace })) {
      await removeAny(place, { ...csvs, namespace, name: metadata.name });
    }
  }
  // A manager that ended cannot clean up: the run ends without it.
  const gone = async (): Promise<boolean> => {
    const counts = [...namespaces].map(async (namespace) => (await listAll(place, { ...csvs, namespace })).length);
    return (await Promise.all(counts)).every((count) => count === 0);
  };
  for (let tries = 0; tries < 100 && !(await gone()); tries++) await pause(100);
  for (const each of made.filter(({ kind }) => kind !== "Subscription" && kind !== "CatalogSource")) {
    await removeAny(place, each);
  }
}
