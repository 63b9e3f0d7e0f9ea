/** Watches of the same objects as tables share the bytes of their events, so that slow clients cost little memory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer, type ApiServer } from "../src/index.ts";

const maps = "http://in-process/api/v1/namespaces/default/configmaps";
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
/** Shown ages change every second; this clock stands still. */
const clock = { now: () => 0, wall: () => 1_800_000_000_000, later: () => ({ cancel() {} }) };

async function create(server: ApiServer, name: string): Promise<void> {
  const body = JSON.stringify({ metadata: { name }, data: { text: "x".repeat(10_000) } });
  const answer = await server.fetch(
    new Request(maps, { method: "POST", headers: { "content-type": "application/json" }, body }),
  );
  assert.equal(answer.status, 201);
}

/** The chunks of a watch, as they are handed to the connection. */
async function startWatch(server: ApiServer, query: string): Promise<() => Promise<Uint8Array>> {
  const { body } = await server.fetch(new Request(`${maps}?watch=1&${query}`, { headers: table }));
  const reader = (body ?? assert.fail("no body")).getReader();
  return async () => (await reader.read()).value ?? assert.fail("the watch ended");
}

interface Row {
  readonly object: { readonly columnDefinitions: readonly object[]; readonly rows: readonly { object: object }[] };
}
const read = (chunk: Uint8Array): Row => JSON.parse(new TextDecoder().decode(chunk)) as Row;

test("table watches share the initial objects and the later events", async () => {
  await using server = await startApiServer({ clock });
  await create(server, "a");
  await create(server, "b");
  const [left, right] = [
    await startWatch(server, "includeObject=Object"),
    await startWatch(server, "includeObject=Object"),
  ];
  const first = await left();
  assert.equal(first, await right());
  assert.ok(read(first).object.columnDefinitions.length > 0, "the first event has columns");
  const second = await left();
  assert.equal(second, await right());
  assert.equal(read(second).object.columnDefinitions?.length ?? 0, 0);
  await create(server, "c");
  const third = await left();
  assert.equal(third, await right());
  assert.match(new TextDecoder().decode(third), /"name":"c"/);
});

test("table watches with other parameters do not share", async () => {
  await using server = await startApiServer({ clock });
  await create(server, "a");
  const [left, right] = [
    await startWatch(server, "includeObject=Object"),
    await startWatch(server, "includeObject=None"),
  ];
  const [whole, none] = [read(await left()), read(await right())];
  assert.ok(JSON.stringify(whole).length > 10_000);
  assert.equal(none.object.rows[0]?.object ?? null, null);
});
