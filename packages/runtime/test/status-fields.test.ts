/** Status fields that the schema does not have: the server drops them silently, so the runtime reports them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { createLog } from "../src/log.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import type { TestWorld } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";

const shape = { group: "example.com", version: "v1", kind: "Lamp", spec: s.object({}) };
const Lamp = defineResource({
  ...shape,
  status: s.object({ phase: s.string(), pod: s.string() }),
  conditions: { Ready: "it shines" },
});

/** A world with lamps whose status the function writes; `lines` has the log. */
async function lamps(
  write: (status: { [field: string]: unknown }) => void,
): Promise<TestWorld & { readonly lines: string[] }> {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = createLog({ clock, level: "warn", write: (line) => lines.push(line) });
  // The compiler rejects the mistakes of these tests.
  const lamp = controller(Lamp, {}, ({ status }) => write(status as unknown as { [field: string]: unknown }));
  const world = await testOperator(
    operator({ name: "test", controllers: [lamp] }),
    { api: new ModelApi(() => clock.wall()) },
    { clock, log },
  );
  return Object.assign(world, { lines });
}

const MISSPELT =
  'The status of Lamp has no field "fase", so the server drops it. There are conditions, observedGeneration, phase, pod. Correct the name, or add it to the schema.';

test("a misspelt field fails the test of an operator, even without other writes", async () => {
  await using world = await lamps((status) => {
    status["fase"] = "on";
  });
  await world.apply(Lamp, "one", { spec: {} });
  await assert.rejects(world.settle(), (error: Error) => error.message.includes(`lamp default/one: ${MISSPELT}`));
});

test("a running operator continues, logs it once, and explains it for each object", async () => {
  await using world = await lamps((status) => {
    status["fase"] = "on";
    status["pod"] = "there";
  });
  for (const name of ["one", "two"]) await world.apply(Lamp, name, { spec: {} });
  await world.settle({ failures: "expected" });
  assert.equal(world.lines.filter((line) => line.includes("has no field")).length, 1);
  for (const name of ["one", "two"]) {
    assert.deepEqual(world.running.explain("lamp", `default/${name}`)[0]?.warnings, [MISSPELT]);
    assert.equal((await world.get(Lamp, name))?.status?.pod, "there");
  }
});

test("a field of a later version of the operator is not reported", async () => {
  let pod = "none";
  await using world = await lamps((status) => {
    status["pod"] = pod;
  });
  await world.apply(Lamp, "one", { spec: {} });
  await world.settle();
  // The server's schema is the later one.
  await world.applyStatus(Lamp, "one", { brightness: 3 } as object);
  pod = "there";
  await world.crash();
  world.restart();
  await world.settle();
  assert.deepEqual((await world.get(Lamp, "one"))?.status, { pod: "there", brightness: 3 });
});

test("a field of a later version in a list is not reported, also if the list moves", async () => {
  const Shelf = defineResource({
    ...shape,
    kind: "Shelf",
    status: s.object({ books: s.array(s.object({ name: s.string() })).optional() }),
  });
  let first = "old";
  const shelf = controller(Shelf, {}, ({ status }) => {
    const books = status.books ?? [];
    if (books[0]?.name !== first) status.books = [{ name: first }, ...books];
  });
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  await using world = await testOperator(operator({ name: "test", controllers: [shelf] }), { api }, { clock });
  await world.apply(Shelf, "a", { spec: {} });
  await world.settle();
  const status = { books: [{ name: "old", zone: "of a later version" }] };
  await api.patch(
    Shelf,
    { namespace: "default", name: "a" },
    { status },
    { type: "merge", manager: "later", subresource: "status" },
  );
  await world.settle();
  first = "new";
  world.running.request("shelf", "default/a");
  await world.settle();
  assert.deepEqual(
    (await world.get(Shelf, "a"))?.status?.books?.map(({ name }) => name),
    ["new", "old"],
  );
  assert.deepEqual(
    world.running.explain("shelf", "default/a").flatMap(({ warnings }) => warnings ?? []),
    [],
  );
});
