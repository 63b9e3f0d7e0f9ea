/** Tests of the kinds in a cluster: the embedded API server, a clock that the test sets, and a real store. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startApiServer } from "@capstan/apiserver";
import { type Client, createClient, inProcess, isApiError } from "@capstan/client";
import { CustomResourceDefinition as Crd } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { ConfigMap, Event, Namespace, Secret } from "@capstan/kinds/v1";
import type { Kind, ObjectOf } from "@capstan/model";
import { apiOf } from "@capstan/runtime";
import {
  InvoiceResource,
  MeterResource,
  type MeteringTools,
  PriceListResource,
  UsageReportResource,
  bookOf,
  meteringOperator,
} from "../src/controllers/index.ts";
import { type Invoice, closeInvoices, importUsage, openFolderStore, readInvoices } from "../src/index.ts";

const meter = { metadata: { name: "calls" }, spec: { type: "event", unit: "call" } };
const prices = {
  metadata: { name: "prices" },
  spec: { currency: "EUR", prices: [{ meter: "calls", amount: "0.5", per: "call" }] },
};
const book = bookOf([meter], [prices]);

async function invoicesIn(folder: string): Promise<readonly Invoice[]> {
  await using store = await openFolderStore(folder);
  return await readInvoices(store);
}

interface Scene extends AsyncDisposable {
  readonly world: World;
  readonly folder: string;
  now: number;
  /** Imports a call of a namespace at each time. */
  calls(namespace: string, ...times: readonly string[]): Promise<void>;
}

interface Key {
  readonly name: string;
  readonly namespace?: string;
}

/** The cluster of a test. */
class World {
  readonly #client: Client;
  #pokes = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async apply(kind: Kind, key: Key, body: object): Promise<void> {
    const own: { readonly metadata?: object } = body;
    const object = { ...body, metadata: { ...own.metadata, ...key } };
    await this.#client.apply(kind, object, { fieldManager: "user", force: true });
  }

  async get<K extends Kind>(kind: K, key: Key): Promise<ObjectOf<K> | undefined> {
    return this.#client.get(kind, key as never).catch((error: unknown) => {
      if (isApiError(error, "NotFound")) return undefined;
      throw error;
    }) as Promise<ObjectOf<K> | undefined>;
  }

  async events(): Promise<readonly string[]> {
    return (await Array.fromAsync(this.#client.list(Event, { namespace: "metering" }))).map(
      ({ reason = "" }) => reason,
    );
  }

  async delete(kind: Kind, key: Key): Promise<void> {
    await this.#client.delete(kind, key as never);
  }

  /** Changes an annotation until something holds: the clock of a test stands still, so nothing is due by itself. */
  async until<T>(poked: { readonly kind: Kind; readonly key: Key }, holds: () => Promise<T | undefined>): Promise<T> {
    const end = Date.now() + 60_000;
    const { kind, key } = poked;
    for (;;) {
      const annotations = { "example.com/poke": String(++this.#pokes) };
      await this.#client.patch(kind, key as never, { merge: { metadata: { annotations } } });
      for (let look = 0; look < 20; look++) {
        const found = await holds();
        if (found !== undefined) return found;
        assert.ok(Date.now() < end, `waited in vain for ${key.name}: ${JSON.stringify(await this.get(kind, key))}`);
        await delay(25);
      }
    }
  }
}

async function start(t: TestContext, now: string): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), "metering-kinds-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const server = await startApiServer();
  const client = createClient(inProcess(server.fetch));
  const world = new World(client);
  const scene: Scene = {
    world,
    folder,
    now: Date.parse(now),
    calls: async (namespace, ...times) => {
      await using store = await openFolderStore(folder, { lock: { pid: process.pid } });
      async function* inputs() {
        for (const at of times)
          yield { where: "test", value: { id: `${namespace}/${at}`, meter: "calls", at, amount: "1", namespace } };
      }
      // Data may be there before the clock of the controllers shows its time.
      const options = { store, book, now: Date.UTC(2030, 0, 1), source: "usage", batch: 100 };
      assert.equal((await importUsage(inputs(), options)).rejected, 0);
    },
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
  const tools: MeteringTools = {
    openStore: () => openFolderStore(folder),
    invoices: () => invoicesIn(folder),
    now: () => scene.now,
    adminNamespaces: ["metering"],
    format: (report) => JSON.stringify(report),
  };
  const api = apiOf(client);
  for (const kind of [MeterResource, PriceListResource, UsageReportResource, InvoiceResource])
    await client.apply(Crd, kind.toCrd() as never, { fieldManager: "user", force: true });
  await scene.calls("before", "2026-01-01T00:00:00Z");
  for (const name of ["metering", "acme-1"])
    await world.apply(Namespace, { name }, { metadata: { labels: { "capstan.dev/tenant": "acme" } } });
  await served(() => world.apply(MeterResource, { name: "calls" }, { spec: meter.spec }));
  await served(() => world.apply(PriceListResource, { name: "prices" }, { spec: prices.spec }));
  const running = meteringOperator(tools).start({ api });
  return scene;
}

/** The paths of a new kind are there a moment after it. */
async function served(use: () => Promise<void>): Promise<void> {
  for (let round = 0; ; round++)
    try {
      return await use();
    } catch (error) {
      if (round > 600) throw error;
      await delay(50);
    }
}

const report = (name: string, namespace = "metering") => ({ kind: UsageReportResource, key: { name, namespace } });

async function conditionsOf(world: World, name: string, namespace = "metering"): Promise<{ [type: string]: string }> {
  const { status } = (await world.get(UsageReportResource, { name, namespace })) ?? {};
  const conditions = status?.conditions ?? [];
  return Object.fromEntries(conditions.map(({ type, status: state, reason }) => [type, `${state} ${reason}`]));
}

/** Waits until a report has a condition. */
function reaches(world: World, name: string, condition: string, namespace = "metering"): Promise<true> {
  return world.until(report(name, namespace), async () =>
    Object.entries(await conditionsOf(world, name, namespace)).some(([type, state]) => `${type} ${state}` === condition)
      ? true
      : undefined,
  );
}

async function resultOf(world: World, name: string, namespace = "metering") {
  const { data } = (await world.get(ConfigMap, { name, namespace })) ?? {};
  const found: unknown = JSON.parse(data?.["report.json"] ?? "null");
  return found as { total: { cost: string }; rows: { dimensions: { namespace?: string } }[]; timeZone: string } | null;
}

test("a schedule in a time zone catches up missed months and keeps the last results", async (t) => {
  await using scene = await start(t, "2026-02-27T12:00:00Z");
  const { world } = scene;
  const spec = { from: "2026-02-01", timeZone: "Europe/Berlin", schedule: { cron: "0 0 1 * *" }, by: ["namespace"] };
  await world.apply(UsageReportResource, report("bill").key, { spec: { ...spec, keep: 2 } });
  await reaches(world, "bill", "Complete False PeriodNotOver");
  // Three periods end while nothing looks. 23:30 UTC on the last of March is April in Berlin.
  // The data comes first: a period that ended a day ago is reported with what is there.
  await scene.calls("a", "2026-02-10T00:00:00Z", "2026-03-15T00:00:00Z", "2026-03-31T23:30:00Z");
  await scene.calls("a", "2026-05-01T00:00:00Z");
  scene.now = Date.parse("2026-05-01T12:00:00Z");
  await reaches(world, "bill", "Complete True UpToDate");
  const { status } = (await world.get(UsageReportResource, report("bill").key)) ?? {};
  assert.equal(status?.lastPeriodEnd, "2026-04-30T22:00:00.000Z");
  assert.equal(status.nextPeriodEnd, "2026-05-31T22:00:00.000Z");
  assert.deepEqual(
    status.results?.map(({ name, from, cost }) => ({ name, from, cost })),
    [
      { name: "bill-20260331t220000z", from: "2026-02-28T23:00:00.000Z", cost: "0.500000" },
      { name: "bill-20260430t220000z", from: "2026-03-31T22:00:00.000Z", cost: "0.500000" },
    ],
  );
  const oldest = { name: "bill-20260228t230000z", namespace: "metering" };
  await world.until(report("bill"), async () =>
    (await world.get(ConfigMap, oldest)) === undefined ? true : undefined,
  );
  assert.equal((await resultOf(world, "bill-20260430t220000z"))?.timeZone, "Europe/Berlin");
});

test("a report waits for its data, then is made of what is there", async (t) => {
  await using scene = await start(t, "2026-03-02T00:30:00Z");
  const { world } = scene;
  await scene.calls("a", "2026-03-01T10:00:00Z");
  const spec = { period: "2026-03-01", by: ["namespace"] };
  await world.apply(UsageReportResource, report("day").key, { spec });
  await world.apply(UsageReportResource, report("strict").key, { spec: { ...spec, requireComplete: true } });
  await reaches(world, "day", "Complete False WaitingForCoverage");
  scene.now += 86_400_000;
  await reaches(world, "day", "Complete True Finished");
  await reaches(world, "strict", "Complete False WaitingForCoverage");
  const day = await world.get(UsageReportResource, report("day").key);
  assert.equal(day?.status?.results?.[0]?.complete, false);
  await world.until(report("day"), async () =>
    (await world.events()).includes("NotCompletelyObserved") ? true : undefined,
  );
  await scene.calls("a", "2026-03-02T00:00:00Z");
  await reaches(world, "strict", "Complete True Finished");
});

test("a report shows the tenant of its namespace only, and a Secret holds it as well", async (t) => {
  await using scene = await start(t, "2026-03-02T01:00:00Z");
  const { world } = scene;
  await scene.calls("acme", "2026-03-01T10:00:00Z", "2026-03-02T00:00:00Z");
  await scene.calls("globex", "2026-03-01T11:00:00Z");
  const spec = { period: "2026-03-01", by: ["namespace"] };
  for (const namespace of ["metering", "acme-1"]) {
    await world.apply(UsageReportResource, report("day", namespace).key, { spec });
    await reaches(world, "day", "Complete True Finished", namespace);
  }
  const namespaces = async (namespace: string) =>
    (await resultOf(world, "day", namespace))?.rows.map(({ dimensions }) => dimensions.namespace);
  assert.deepEqual(await namespaces("metering"), ["acme", "globex"]);
  assert.deepEqual(await namespaces("acme-1"), ["acme"]);
  await world.apply(UsageReportResource, report("foreign", "acme-1").key, { spec: { ...spec, tenant: "globex" } });
  await reaches(world, "foreign", "Failed True BadInput", "acme-1");
  const secret = { ...spec, output: { kind: "Secret", name: "kept" } };
  await world.apply(UsageReportResource, report("secret").key, { spec: secret });
  await reaches(world, "secret", "Complete True Finished");
  const { data } = (await world.get(Secret, { name: "kept", namespace: "metering" })) ?? {};
  assert.match(Buffer.from(data?.["report.json"] ?? "", "base64").toString(), /"globex"/);
});

test("a mistake in a meter or price list is said, and reports wait until it is gone", async (t) => {
  await using scene = await start(t, "2026-03-02T01:00:00Z");
  const { world } = scene;
  await scene.calls("a", "2026-03-01T10:00:00Z", "2026-03-02T00:00:00Z");
  const objects = { apiVersion: "v1", kind: "Pod", value: "object.(" };
  await world.apply(MeterResource, { name: "broken" }, { spec: { type: "level", unit: "x", objects } });
  await world.apply(PriceListResource, { name: "more" }, { spec: { currency: "USD" } });
  await world.apply(UsageReportResource, report("day").key, { spec: { period: "2026-03-01" } });
  await reaches(world, "day", "Failed True BadBook");
  const acceptance = async (kind: typeof MeterResource | typeof PriceListResource, name: string) =>
    world.until({ kind, key: { name } }, async () => {
      const conditions = (await world.get(kind, { name }))?.status?.conditions ?? [];
      return conditions.find(({ type }) => type === "Accepted");
    });
  assert.equal((await acceptance(MeterResource, "broken")).status, "False");
  assert.equal((await acceptance(MeterResource, "calls")).status, "True");
  assert.match((await acceptance(PriceListResource, "more")).message, /more and prices differ in currency/);
  await world.delete(PriceListResource, { name: "more" });
  await reaches(world, "day", "Complete True Finished");
  assert.equal((await conditionsOf(world, "day"))["Failed"], "False NoFailure");
  assert.equal((await resultOf(world, "day"))?.total.cost, "0.500000");
});

test("closed invoices are objects that cannot be changed and come back", async (t) => {
  await using scene = await start(t, "2026-04-02T00:00:00Z");
  const { world, folder, now } = scene;
  await scene.calls("acme", "2026-03-01T10:00:00Z");
  {
    await using store = await openFolderStore(folder, { lock: { pid: process.pid } });
    for (const period of ["2026-01", "2026-02", "2026-03"])
      await closeInvoices(store, book, { period, now, force: true });
  }
  const key = { name: "2026-03.acme" };
  const prompt = { kind: PriceListResource, key: { name: "prices" } };
  const mirrored = await world.until(prompt, () => world.get(InvoiceResource, key));
  const stored = (await invoicesIn(folder)).find(({ id }) => id === "2026-03/acme");
  assert.equal(mirrored.spec.total, "0.50");
  assert.equal(mirrored.spec.hash, stored?.hash);
  await assert.rejects(
    world.apply(InvoiceResource, key, { spec: { ...mirrored.spec, total: "0.00" } }),
    /cannot be changed/,
  );
  await world.delete(InvoiceResource, key);
  assert.equal((await world.until(prompt, () => world.get(InvoiceResource, key))).spec.total, "0.50");
});
