/** Kills the manager after a number of its writes, in the life of an operator: install, upgrade, rollback, uninstall. */
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { startCluster } from "@capstan/cluster";
import { ConfigMap, Namespace } from "@capstan/kinds/v1";
import {
  CatalogSource,
  type Cluster,
  ClusterServiceVersion,
  createCatalogStore,
  installBase,
  lifecycleManager,
  OperatorGroup,
  rollBackSubscription,
  Subscription,
} from "@capstan/lifecycle";
import { isDeepEqual } from "@capstan/model";
import { apiOf, type RunningOperator, silentLog, systemClock } from "@capstan/runtime";
import { crd, csv } from "./olm/content.ts";
import { look, placeOf } from "./olm/driver.ts";
import type { AnyObject, Names, Snapshot } from "./olm/scenario.ts";
import { settingOf } from "./world.ts";

const LIMIT = 60_000;
const LOOK = 900;

/** A cluster on which lives are lived, one after the other. */
export interface Lives extends AsyncDisposable {
  /**
   * Lives a life in which the manager is killed after so many writes, and started again. Returns the objects after each stage. With
   * expected ones, each stage lasts until they are there; without, until nothing changes.
   */
  readonly live: (name: string, killAfter: number, expected?: readonly Snapshot[]) => Promise<Life>;
}

/** What a life left behind. */
export interface Life {
  readonly stages: readonly Snapshot[];
  /** The writes of the manager. */
  readonly writes: number;
}

/** Starts a cluster. */
export async function startLives(): Promise<Lives> {
  const embedded = await startCluster({ heartbeat: false });
  const plain = settingOf(embedded).cluster;
  await installBase({ cluster: plain, clock: systemClock, namespace: "olm" });
  return {
    live: async (name, killAfter, expected) => {
      let writes = 0;
      let running: RunningOperator | undefined;
      let restarted: Promise<void> = Promise.resolve();
      const start = (): void => {
        const setting = settingOf(embedded);
        // A process has its own memory, and nothing of it survives.
        const process = { isDead: false };
        const cluster = killable(setting.cluster, process, () => {
          writes++;
          if (writes !== killAfter) return;
          process.isDead = true;
          const killed = running;
          restarted = Promise.resolve(killed?.stop(0)).then(start);
        });
        const catalogs = createCatalogStore(setting.catalogs.read);
        const manager = lifecycleManager({ ...setting, cluster, catalogs });
        running = manager.start({ api: apiOf(embedded.client), log: silentLog, namespace: "olm" });
      };
      start();
      const id = `${name}-x`;
      const names: Names = { id, ns: `${id}-ns`, group: `${name}.example.com` };
      const place = placeOf(embedded.client);
      const stages: Snapshot[] = [];
      const seen = async (): Promise<Snapshot> => {
        const text = JSON.stringify(await look(place, name));
        const plain = text
          .replaceAll(name, "life")
          .replaceAll(/[0-9A-Za-z]{30,}|[0-9a-f]{13,16}(?=["-])/gu, "HASH")
          .replaceAll(/ReplicaSet \\"foo-[a-z0-9]+/gu, "ReplicaSet foo");
        return JSON.parse(plain, (key, value: unknown) => (isOfMoment(key) ? undefined : value)) as Snapshot;
      };
      try {
        for (const stage of life(names, plain)) {
          await stage.begin();
          stages.push(await settle(seen, stage, expected?.[stages.length]));
        }
      } finally {
        await restarted;
        await running?.stop(0);
      }
      return { stages, writes };
    },
    [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose](),
  };
}

/** What was true at some moment: which rules were checked when, and which versions existed. */
function isOfMoment(key: string): boolean {
  return key === "requirementStatus" || key.startsWith("operatorframework.io/installed-alongside-");
}

/** A cluster that a killed process can reach no more. */
function killable(cluster: Cluster, process: { readonly isDead: boolean }, wrote: () => void): Cluster {
  const writing = new Set(["create", "ensure", "change", "changeStatus", "apply", "remove"]);
  return new Proxy(cluster, {
    get: (target, name) => {
      const run = Reflect.get(target, name) as (...args: readonly unknown[]) => Promise<unknown>;
      return async (...args: readonly unknown[]) => {
        if (process.isDead) throw new Error("the process was killed");
        const result = await run(...args);
        if (writing.has(String(name)) && !process.isDead) wrote();
        if (process.isDead) throw new Error("the process was killed");
        return result;
      };
    },
  });
}

interface Stage {
  readonly what: string;
  readonly begin: () => Promise<unknown>;
  readonly holds: (snapshot: Snapshot) => boolean;
}

/** The stages of a life. */
function life(names: Names, cluster: Cluster): readonly Stage[] {
  const { ns: namespace, id } = names;
  const first = csv(names, { version: "1.0.0" });
  const second = csv(names, { version: "2.0.0", replaces: "foo.v1.0.0" });
  const publish = (csvs: readonly AnyObject[], head: string): Promise<unknown> => {
    const packages = JSON.stringify([{ packageName: "foo", channels: [{ name: "stable", currentCSV: head }] }]);
    const data = {
      clusterServiceVersions: JSON.stringify(csvs),
      customResourceDefinitions: JSON.stringify([crd(names)]),
      packages,
    };
    return cluster.apply(ConfigMap, { metadata: { name: `${id}-cat`, namespace: "olm" }, data }, "test");
  };
  const succeeded =
    (version: string, gone: string) =>
    (snapshot: Snapshot): boolean =>
      phaseOf(snapshot, `${namespace}/foo.v${version}`) === "Succeeded" &&
      phaseOf(snapshot, `${namespace}/foo.v${gone}`) === undefined;
  return [
    {
      what: "installed",
      begin: async () => {
        await cluster.create(Namespace, { metadata: { name: namespace } });
        await publish([first], "foo.v1.0.0");
        const spec = { sourceType: "configmap", configMap: `${id}-cat` };
        await cluster.create(CatalogSource, { metadata: { name: `${id}-cat`, namespace: "olm" }, spec });
        const metadata = { name: "group", namespace };
        await cluster.create(OperatorGroup, { metadata, spec: { targetNamespaces: [namespace] } });
        const wanted = { name: "foo", channel: "stable", source: `${id}-cat`, sourceNamespace: "olm" };
        await cluster.create(Subscription, { metadata: { name: "sub", namespace }, spec: wanted });
      },
      holds: succeeded("1.0.0", "2.0.0"),
    },
    {
      what: "upgraded",
      begin: () => publish([first, second], "foo.v2.0.0"),
      holds: succeeded("2.0.0", "1.0.0"),
    },
    {
      what: "rolled back",
      begin: async () => {
        assert.equal((await rollBackSubscription({ namespace, name: "sub" }, cluster)).type, "started");
      },
      holds: (snapshot) =>
        succeeded("1.0.0", "2.0.0")(snapshot) && JSON.stringify(snapshot).includes('"reason":"RolledBack"'),
    },
    {
      what: "uninstalled",
      begin: async () => {
        await cluster.remove(Subscription, { namespace, name: "sub" });
        await cluster.remove(ClusterServiceVersion, { namespace, name: "foo.v1.0.0" });
        // The next life has its own catalog.
        await cluster.remove(CatalogSource, { namespace: "olm", name: `${id}-cat` });
        await cluster.remove(ConfigMap, { namespace: "olm", name: `${id}-cat` });
      },
      holds: (snapshot) => phaseOf(snapshot, `${namespace}/foo.v1.0.0`) === undefined,
    },
  ];
}

function phaseOf(snapshot: Snapshot, place: string): string | undefined {
  const key = Object.keys(snapshot).find(
    (each) => each.startsWith("ClusterServiceVersion ") && each.endsWith(place.slice(place.indexOf("-x-ns"))),
  );
  const found = key === undefined ? undefined : (snapshot[key] as { readonly status?: { readonly phase?: string } });
  return found === undefined ? undefined : (found.status?.phase ?? "");
}

/** Looks until the expected objects are there, or until the stage holds and nothing changes any more. */
async function settle(seen: () => Promise<Snapshot>, stage: Stage, expected?: Snapshot): Promise<Snapshot> {
  const end = performance.now() + LIMIT;
  let last = await seen();
  for (let since = performance.now(); ;) {
    if (expected !== undefined && isDeepEqual(last, expected)) return last;
    if (performance.now() > end) {
      assert.deepEqual(last, expected, `${stage.what}: not within ${LIMIT} ms`);
      assert.fail(`${stage.what}: not within ${LIMIT} ms`);
    }
    await pause(LOOK);
    const next = await seen();
    if (!isDeepEqual(next, last)) since = performance.now();
    last = next;
    if (expected === undefined && stage.holds(last) && performance.now() - since > 3_000) return last;
  }
}
