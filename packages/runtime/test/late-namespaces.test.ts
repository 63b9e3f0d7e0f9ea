/** Namespaces that are added at run time and may not be watched: their objects wait, and no others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import type { AnyKind, ListPage, ListRequest, WatchRequest } from "../src/api.ts";
import { controller } from "../src/define.ts";
import { createLog } from "../src/log.ts";
import { healthEndpoint } from "../src/program/endpoints.ts";
import { RunningOperator } from "../src/manager/operator.ts";
import { VirtualClock } from "../src/testing/index.ts";
import { failure, ModelApi } from "./model-api.ts";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: s.object({}),
  status: s.object({}),
});

/** A server with a namespace in which a kind may not be read. */
class GuardedApi extends ModelApi {
  forbidden: string | undefined;

  override async list(kind: AnyKind, request: ListRequest): Promise<ListPage> {
    this.#check(kind, request.namespace);
    return await super.list(kind, request);
  }

  override watch(kind: AnyKind, request: WatchRequest): ReturnType<ModelApi["watch"]> {
    this.#check(kind, request.namespace);
    return super.watch(kind, request);
  }

  #check({ kind }: AnyKind, namespace: string | undefined): void {
    if (kind !== this.forbidden || namespace !== "closed") return;
    throw failure("Forbidden", `may not watch ${kind} in ${namespace}`, 403);
  }
}

async function setUp(t: { after(run: () => Promise<void>): void }, forbidden: string) {
  const clock = new VirtualClock();
  const api = new GuardedApi(() => clock.wall());
  api.forbidden = forbidden;
  const lines: string[] = [];
  const reconciles: string[] = [];
  for (const namespace of ["open", "closed"]) {
    const box = { apiVersion: "example.com/v1", kind: "Box", metadata: { namespace, name: "a" }, spec: {} };
    await api.create(Box, box, { manager: "user" });
  }
  const box = controller(Box, { owns: [ConfigMap] }, async ({ object, apply }) => {
    reconciles.push(object.metadata.namespace ?? "");
    await apply(ConfigMap, "a", {});
  });
  const operator = new RunningOperator(
    { name: "test", controllers: [box], namespaces: ["open"] },
    { api, clock, random: () => 0.5, log: createLog({ clock, level: "info", write: (line) => lines.push(line) }) },
  );
  t.after(async () => void (await Promise.all([operator.stop(), clock.advance(60_000)])));
  await clock.advance(1_000);
  assert.deepEqual(reconciles.splice(0), ["open"]);
  await operator.setNamespaces(["open", "closed"]);
  await clock.advance(60_000);
  const said = (text: string): number => lines.filter((line) => line.includes(text)).length;
  const ready = async () => {
    const { status, body } = await healthEndpoint(operator)({
      method: "GET",
      path: "/readyz",
      isLocal: false,
      authorization: undefined,
    });
    return { status, lines: body.split("\n").filter((line) => line.includes("closed")) };
  };
  return { clock, api, operator, reconciles, said, ready };
}

for (const kind of ["Box", "ConfigMap"]) {
  test(`a late namespace without rights on ${kind} is reported and blocks no others`, async (t) => {
    const { clock, api, operator, reconciles, said, ready } = await setUp(t, kind);
    operator.request("box", "open/a");
    await clock.advance(600_000);
    assert.deepEqual(reconciles.splice(0), ["open"]);
    const plural = kind === "Box" ? "boxes" : "configmaps";
    assert.equal(said(`cannot watch ${plural} in closed`), 1, "told once, whatever the others do");
    assert.equal(said("again"), 0);
    const before = await ready();
    assert.equal(before.status, 200);
    assert.ok(before.lines.includes(`[-] ${kind} in closed: may not watch ${kind} in closed`), before.lines.join("\n"));
    api.forbidden = undefined;
    await clock.advance(600_000);
    assert.deepEqual(reconciles.splice(0), ["closed"]);
    assert.equal(said(`watches ${plural} in closed again`), 1);
    assert.deepEqual((await ready()).lines.toSorted(), ["[+] Box in closed", "[+] ConfigMap in closed"]);
  });
}

test("objects that wait in such a namespace are dropped with it", async (t) => {
  const { clock, api, operator, reconciles } = await setUp(t, "ConfigMap");
  await operator.setNamespaces(["open"]);
  api.forbidden = undefined;
  operator.request("box", "open/a");
  await clock.advance(600_000);
  assert.deepEqual(reconciles, ["open"]);
});
