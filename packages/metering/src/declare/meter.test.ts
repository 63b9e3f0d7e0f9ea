/** Tests of declared meters: values become expressions, and records are posted once. */
import assert from "node:assert/strict";
import test from "node:test";
import { defineResource, s } from "@capstan/schema";
import { MeterError } from "../error.ts";
import { attachSink, meter, record, type UsageEvent } from "./index.ts";
import { postUsage } from "./post-usage.ts";

const Db = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Db",
  spec: s.object({ size: s.int32().default(1), disk: s.object({ size: s.string() }).optional() }),
});

test("a function, a path and an expression become the value of a Meter", () => {
  const valueOf = (value: Parameters<typeof meter<typeof Db>>[1]["value"]) =>
    meter(Db, { name: "db", unit: "member", value }).spec.objects?.value;
  assert.equal(
    valueOf(({ spec }) => spec.size),
    "object.spec.size",
  );
  assert.equal(
    valueOf((db) => db.spec.disk?.size),
    "object.spec.disk.size",
  );
  assert.equal(valueOf("spec.disk.size"), "object.spec.disk.size");
  assert.equal(valueOf({ expression: "object.spec.size * 2" }), "object.spec.size * 2");
});

test("the spec is an entry of a book", () => {
  const { name, spec } = meter(Db, {
    name: "db.members",
    unit: "member",
    value: "spec.size",
    when: "object.spec.size > 1",
    dimensions: { name: "metadata.name" },
  });
  assert.equal(name, "db.members");
  assert.deepEqual(spec, {
    type: "level",
    unit: "member",
    objects: {
      apiVersion: "example.com/v1",
      kind: "Db",
      value: "object.spec.size",
      when: "object.spec.size > 1",
      dimensions: { name: "object.metadata.name" },
    },
  });
  assert.deepEqual(meter.events({ name: "db.backups", unit: "backup" }).spec, { type: "event", unit: "backup" });
});

test("a function that computes and a bad name are refused", () => {
  const define = (name: string, value: (db: { readonly spec: { readonly size: number } }) => number) => () =>
    meter(Db, { name, unit: "member", value });
  for (const value of [({ spec }: { spec: { size: number } }) => spec.size * 2, () => 3])
    assert.throws(define("db", value), (error) => error instanceof MeterError && /one field/.test(error.message));
  assert.throws(
    define("Db", ({ spec }) => spec.size),
    /not a name of a meter/,
  );
});

const backups = meter.events({ name: "db.backups", unit: "backup" });

test("records go to attached sinks, until they are detached", async () => {
  const seen: UsageEvent[] = [];
  const detach = attachSink(async (event) => void seen.push(event));
  await record(backups, 1, { id: "u/1", namespace: "a" });
  detach();
  await record(backups, 1, { id: "u/2" });
  assert.deepEqual(seen, [{ meter: "db.backups", amount: "1", id: "u/1", namespace: "a", at: undefined }]);
});

test("a record is posted as a CloudEvent; a conflict is a retry, a rejection an error", async () => {
  const bodies: string[] = [];
  const answers = [
    { status: 200, body: {} },
    { status: 207, body: { conflict: 1, rejected: 0 } },
    { status: 207, body: { conflict: 0, rejected: 1 } },
    { status: 503, body: {} },
  ];
  const post = postUsage({
    url: "http://meter:8440",
    now: () => new Date("2026-03-01T00:00:00Z"),
    fetch: async (url, { body }) => {
      bodies.push(`${url.pathname} ${typeof body === "string" ? body : ""}`);
      const { status = 500, body: answer } = answers.shift() ?? {};
      return Response.json(answer, { status });
    },
  });
  const event = { meter: "db.backups", amount: "2", id: "u/1", namespace: "a", at: undefined };
  await post(event);
  await post(event);
  await assert.rejects(post(event), /does not take the record u\/1/);
  await assert.rejects(post(event), /503/);
  assert.equal(
    bodies[0],
    '/metering/v1/usage {"specversion":"1.0","id":"u/1","source":"db.backups","type":"db.backups","time":"2026-03-01T00:00:00.000Z","data":{"amount":"2","namespace":"a","dimensions":{}}}',
  );
});
