/** Tests of live clusters: what a test does to objects of three tenants is what the report says, to the millisecond. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { appendFile, copyFile, mkdtemp, readFile, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { startApiServer } from "@capstan/apiserver";
import { type Client, ConnectionError, createClient, inProcess, noRetry, type Transport } from "@capstan/client";
import { ConfigMap, Namespace } from "@capstan/kinds/v1";
import { importKubernetes, openFolderStore, parseBook, runReport } from "../src/index.ts";
import { openJournal } from "../src/kubernetes/journal-file.ts";

const book = parseBook(`
tenants: { label: capstan.dev/tenant }
meters:
- { name: members, type: level, unit: member, objects: { apiVersion: v1, kind: ConfigMap, value: object.data.size,
    when: "has(object.data) && has(object.data.size)", dimensions: { name: object.metadata.name } } }
- { name: namespace.count }
`);

async function tempFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "meter-live-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A transport whose streams can be cut, and which then reaches nothing until it is restored. */
function breakable(inner: Transport) {
  let down = new AbortController();
  const lost = (code: "ConnectionLost" | "Unreachable") => new ConnectionError({ code, server: "test", sent: false });
  return {
    cut: () => down.abort(),
    restore: () => void (down = new AbortController()),
    transport: {
      request: async (request: Parameters<Transport["request"]>[0]) => {
        if (down.signal.aborted) throw lost("Unreachable");
        const { signal } = down;
        const ended = AbortSignal.any([signal, ...(request.signal === undefined ? [] : [request.signal])]);
        const response = await inner.request({ ...request, signal: ended }).catch((error: unknown) => {
          throw signal.aborted ? lost("ConnectionLost") : error;
        });
        const { body } = response;
        const chunks = async function* () {
          try {
            yield* body;
          } catch (error) {
            throw signal.aborted ? lost("ConnectionLost") : error;
          }
        };
        return {
          ...response,
          body: {
            [Symbol.asyncIterator]: chunks,
            bytes: () => body.bytes(),
            text: () => body.text(),
            json: () => body.json(),
            cancel: () => body.cancel(),
          },
        };
      },
    } satisfies Transport,
  };
}

interface Line {
  readonly n: number;
  readonly type: string;
  readonly at: string;
  readonly kind?: string;
  readonly list?: boolean;
  readonly object?: {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly creationTimestamp: string };
    readonly data?: { readonly size?: string };
  };
}

async function linesOf(path: string): Promise<readonly Line[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
}

async function until<T>(find: () => Promise<T | undefined>, what: string): Promise<T> {
  for (let round = 0; round < 3_000; round += 1) {
    const found = await find();
    if (found !== undefined) return found;
    await setTimeout(20);
  }
  throw new Error(`waited in vain for ${what}`);
}

const tenants = ["acme", "globex", "initech"] as const;

async function setSize(client: Client, namespace: string, size: number): Promise<string> {
  const applied = await client.apply(
    ConfigMap,
    { metadata: { namespace, name: "db" }, data: { size: String(size) } },
    { fieldManager: "test", force: true },
  );
  return applied.metadata.resourceVersion ?? "";
}

test("three tenants change sizes while a watch is cut: the report is exact", async (context) => {
  const folder = await tempFolder(context);
  const journal = join(folder, "journal.ndjson");
  await using server = await startApiServer();
  const api = inProcess(server.fetch);
  const client = createClient(api);
  for (const tenant of tenants)
    await client.create(Namespace, { metadata: { name: `${tenant}-1`, labels: { "capstan.dev/tenant": tenant } } });
  await setSize(client, "acme-1", 3);
  await setSize(client, "globex-1", 1);
  await setSize(client, "initech-1", 7);

  const link = breakable(api);
  const stop = new AbortController();
  const importing = importKubernetes({
    book,
    client: createClient(link.transport, { retry: noRetry }),
    journal,
    cluster: "test",
    openStore: () => openFolderStore(join(folder, "store")),
    once: false,
    stop: stop.signal,
    interval: 50,
    batch: 1000,
    now: Date.now,
    sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
    newId: randomUUID,
    warn: () => {},
  });
  importing.catch(() => undefined);

  const isConfigMap = ({ type, kind }: Line): boolean => type === "SYNCED" && kind === "ConfigMap";
  const eventOf = (version: string, isList = false) =>
    until(
      async () =>
        (await linesOf(journal)).find(
          ({ object, list = false }) => object?.metadata.resourceVersion === version && list === isList,
        ),
      `the event of version ${version}`,
    );
  const timeOf = ({ at }: Line): number => Date.parse(at);

  const synced = await until(async () => (await linesOf(journal)).find(isConfigMap), "the first list");
  const before = Date.now();
  const grown = await eventOf(await setSize(client, "acme-1", 5));
  assert.ok(timeOf(grown) >= before && timeOf(grown) <= Date.now(), grown.at);
  const shrunk = await eventOf(await setSize(client, "initech-1", 6));

  link.cut();
  const lost = await until(
    async () => (await linesOf(journal)).find(({ type, kind }) => type === "LOST" && kind === "ConfigMap"),
    "the end of the watch",
  );
  // In the dark: one shrinks, one grows, one is deleted.
  const fewer = await setSize(client, "acme-1", 2);
  await setSize(client, "globex-1", 4);
  await client.delete(ConfigMap, { namespace: "initech-1", name: "db" });
  await setTimeout(50);
  link.restore();
  await eventOf(fewer, true);
  const again = await until(async () => (await linesOf(journal)).filter(isConfigMap).at(1), "the second list");
  const last = await eventOf(await setSize(client, "globex-1", 2));
  stop.abort();
  const { result, behind } = await importing;
  assert.deepEqual(behind, []);
  assert.equal(result.stored, (await linesOf(journal)).length);

  const end = Date.parse(result.watermarks["members"] ?? "");
  assert.ok(end >= timeOf(last));
  const [o, g0, g1] = [synced, lost, again].map(timeOf);
  const spans = (...parts: readonly (readonly [level: number, from: number | undefined, to: number | undefined])[]) =>
    parts.reduce((sum, [level, from = 0, to = 0]) => sum + BigInt(level * (to - from)), 0n);
  const expected = {
    // In the gap the smaller of both sizes counts.
    acme: spans([3, o, timeOf(grown)], [5, timeOf(grown), g0], [2, g0, g1], [2, g1, end]),
    globex: spans([1, o, g0], [1, g0, g1], [4, g1, timeOf(last)], [2, timeOf(last), end]),
    // What is gone when the watch is back ended with the gap's begin.
    initech: spans([7, o, timeOf(shrunk)], [6, timeOf(shrunk), g0]),
  };
  await using store = await openFolderStore(join(folder, "store"));
  const { json } = await runReport(store, book, {
    window: { from: Date.parse(synced.at) - 3_600_000, to: end },
    bucket: "total",
    by: ["tenant", "cluster"],
    meters: ["members"],
    where: new Map(),
    idle: "show",
    shared: "show",
    withCost: false,
  });
  const reported = json.rows.map(({ dimensions, quantity }) => [dimensions["tenant"], dimensions["cluster"], quantity]);
  const seconds = (ms: bigint): string => String(Number(ms) / 1000);
  assert.deepEqual(
    reported,
    tenants.map((tenant) => [tenant, "test", seconds(expected[tenant])]),
  );
  const missing = json.coverage[0]?.missing ?? [];
  assert.deepEqual(missing.at(-1), { start: lost.at, end: again.at });
});

test("a journal cut anywhere goes on without a lost or repeated number", async (context) => {
  const folder = await tempFolder(context);
  const path = join(folder, "journal.ndjson");
  const options = { cluster: "c", now: 0, newId: () => "j" };
  {
    using journal = openJournal(path, options);
    for (let size = 0; size < 3; size += 1) journal.append([{ type: "LOST", at: "2026-03-01T00:00:00.000Z", size }]);
  }
  const { size } = await stat(path);
  const whole = await readFile(path, "utf8");
  for (let length = 0; length <= size; length += 5) {
    const copy = join(folder, "cut.ndjson");
    await copyFile(path, copy);
    await truncate(copy, length);
    {
      using journal = openJournal(copy, options);
      journal.append([{ type: "LOST", at: "2026-03-01T00:00:01.000Z" }]);
    }
    const lines = await linesOf(copy);
    assert.deepEqual(
      lines.map(({ n }) => n),
      lines.map((_, at) => at + 1),
    );
    const kept = whole.slice(0, length).split("\n").length - 1;
    assert.equal(lines.length, Math.max(kept, 1) + 1);
  }
});

test("a journal of another cluster and a file that is none are refused", async (context) => {
  const folder = await tempFolder(context);
  const path = join(folder, "journal.ndjson");
  openJournal(path, { cluster: "a", now: 0, newId: () => "j" })[Symbol.dispose]();
  assert.throws(() => openJournal(path, { cluster: "b", now: 0, newId: () => "k" }), /journal of cluster "a"/);
  const other = join(folder, "other");
  await appendFile(other, "hello\n");
  assert.throws(() => openJournal(other, { now: 0, newId: () => "k" }), /is not a journal/);
});
