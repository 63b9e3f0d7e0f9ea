/** An apply that changes nothing returns the state of another writer: the event of that state is not self-inflicted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { ConfigMap, Service } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: s.object({ number: s.int32().optional() }),
  status: s.object({ mark: s.string().optional() }),
});

for (const hides of [true, false]) {
  test(`a change that is told late wakes its owner, where applies ${hides ? "are" : "are not"} sent in vain`, async () => {
    const clock = new VirtualClock();
    const server = await startApiServer({ clock });
    // A transform that hides the applied fields makes every reconcile apply them again.
    const transform = <T>(object: T): T => (hides ? { ...object, data: {} } : object);
    const box = controller(
      Box,
      { owns: [ConfigMap], cache: { ConfigMap: { transform } } },
      async ({ object, apply, get, status }) => {
        const seen = get(ConfigMap, object.metadata.name);
        await apply(ConfigMap, object.metadata.name, { data: { big: "x" } });
        status.mark = seen?.metadata.annotations?.["mark"];
      },
    );
    await using world = await testOperator(operator({ name: "boxes", controllers: [box] }), server, { clock });
    await world.apply(Box, "a", { spec: {} });
    await world.settle();
    world.staleReads("5s");
    await world.crash();
    world.restart();
    await world.advance("1m");
    const path = "http://server/api/v1/namespaces/default/configmaps/a";
    const body = JSON.stringify({ metadata: { annotations: { mark: "yes" } } });
    const headers = { "content-type": "application/merge-patch+json" };
    await server.fetch(new Request(path, { method: "PATCH", headers, body }));
    await world.advance("1s");
    world.running.request("box", "default/a");
    await world.advance("10m");
    assert.equal((await world.get(Box, "a"))?.status?.mark, "yes");
  });
}

/** The number of reconciles for one change of an object whose controller applies a different child each time. */
async function reconcilesForOneChange(
  kind: typeof ConfigMap | typeof Service,
  made: (request: number) => object,
): Promise<number> {
  const clock = new VirtualClock();
  const server = await startApiServer({ clock });
  let reconciles = 0;
  const box = controller(Box, { owns: [kind] }, async ({ object, apply }) => {
    await apply(kind, object.metadata.name, made(++reconciles) as never);
  });
  await using world = await testOperator(operator({ name: "boxes", controllers: [box] }), server, { clock });
  await world.apply(Box, "a", { spec: { number: 1 } });
  await world.advance("1m");
  const before = reconciles;
  await world.apply(Box, "a", { spec: { number: 2 } });
  await world.advance("10m");
  return reconciles - before;
}

test("an apply of many fields, or of a keyed list, is recognized as our own", async () => {
  const many = (request: number): object => ({
    data: Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, String(request)])),
  });
  assert.equal(await reconcilesForOneChange(ConfigMap, many), 1);
  const ports = (request: number): object => ({
    spec: { ports: [{ port: 80, targetPort: 8000 + request }], selector: { a: "b" } },
  });
  assert.equal(await reconcilesForOneChange(Service, ports), 1);
});
