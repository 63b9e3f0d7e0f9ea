/** An operator that starts from the snapshot of another: it lists nothing again, and misses no event in between. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess, noRetry, processHost } from "@capstan/client";
import { ConfigMap, Secret } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import type { Api } from "../src/api.ts";
import type { Snapshot } from "../src/cache/snapshot.ts";
import { apiOf } from "../src/client-api.ts";
import { controller } from "../src/define.ts";
import { silentLog } from "../src/log.ts";
import { installCrds } from "../src/crds/crds.ts";
import { RunningOperator } from "../src/manager/operator.ts";
import { VirtualClock } from "../src/testing/clock.ts";

const Note = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Note",
  spec: s.object({}),
  status: s.object({ seen: s.array(s.string()) }),
});
const note = controller(
  Note,
  { reads: [ConfigMap, Secret], cache: { Secret: { transform: (secret) => secret } } },
  ({ find, status }) => {
    status.seen = find(ConfigMap)
      .map(({ metadata, data }) => `${metadata.name}=${data?.["a"]}`)
      .filter((text) => text.startsWith("map-"))
      .toSorted();
  },
);

test("a successor lists only kinds outside the snapshot, and sees changes in between", async () => {
  const clock = new VirtualClock();
  const server = await startApiServer({
    clock,
  });
  const host = { ...processHost(), clock, random: () => 0.5 };
  const plain = apiOf(createClient(inProcess(server.fetch), { host, retry: noRetry }));
  const lists: string[] = [];
  const api: Api = {
    ...plain,
    list: (kind, request) => {
      lists.push(kind.kind);
      return plain.list(kind, request);
    },
    watch: (kind, request) => {
      if (request.initialEvents === true) lists.push(kind.kind);
      return plain.watch(kind, request);
    },
  };
  await installCrds([note], { api, clock, manager: "test" });
  const write = (name: string, value: string) => {
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "default", name },
      data: { a: value },
    };
    return api.apply(ConfigMap, object, { manager: "user", force: true });
  };
  const seen = async () => {
    const { status } = (await api.get(Note, { namespace: "default", name: "n" })) as { status?: { seen: string[] } };
    return status?.seen;
  };
  const run = (seed?: Snapshot) =>
    new RunningOperator({ name: "test", controllers: [note] }, { api, clock, random: () => 0.5, log: silentLog, seed });
  await api.create(
    Note,
    { apiVersion: "example.com/v1", kind: "Note", metadata: { namespace: "default", name: "n" } },
    { manager: "user" },
  );
  await write("map-a", "1");
  await write("map-b", "1");

  const first = run();
  await clock.advance(5_000);
  assert.deepEqual(await seen(), ["map-a=1", "map-b=1"]);
  // It is sent to another process as JSON.
  const snapshot = JSON.parse(JSON.stringify(first.snapshot())) as Snapshot;
  assert.deepEqual(
    snapshot.map(({ kind }) => kind),
    ["configmaps.v1."],
    "neither its own kind nor one that is transformed",
  );
  await first.stop();
  await write("map-a", "2");
  await api.delete(ConfigMap, { namespace: "default", name: "map-b" }, {});
  await write("map-c", "1");

  lists.length = 0;
  await using _second = run(snapshot);
  await clock.advance(5_000);
  assert.deepEqual(lists.toSorted(), ["Note", "Secret"]);
  assert.deepEqual(await seen(), ["map-a=2", "map-c=1"]);
});

test("a compacted version does no harm: everything is listed as usual", async () => {
  const { ModelApi } = await import("./model-api.ts");
  const clock = new VirtualClock();
  const model = new ModelApi(() => clock.wall());
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name: "map-a" } };
  await model.create(ConfigMap, object, { manager: "user" });
  const options = { api: model, clock, random: () => 0.5, log: silentLog };
  const first = new RunningOperator({ name: "test", controllers: [note] }, options);
  await clock.advance(5_000);
  const seed = first.snapshot();
  await first.stop();
  await model.delete(ConfigMap, { namespace: "default", name: "map-a" }, {});
  model.compact();
  await using second = new RunningOperator({ name: "test", controllers: [note] }, { ...options, seed });
  await clock.advance(30_000);
  assert.equal(second.health.find(({ kind }) => kind === "ConfigMap")?.objects, 0, "no phantom is left");
});
