import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind, StoredObject } from "@capstan/model";
import fc from "fast-check";
import { testHost } from "../../test/host.ts";
import { createClient } from "../client.ts";
import { isApiError } from "../error/api-error.ts";
import { bodyOfChunks, decode } from "../transport/body.ts";
import { isInitialEventsEnd, parseWatchLine } from "./event.ts";
import type { WatchEvent } from "./event.ts";
import { MalformedJsonError } from "./json-bytes.ts";
import { createLineSplitter } from "./lines.ts";
import { parseMetadata, scanMetadata } from "./scan.ts";

const Widget: Kind<StoredObject, unknown, "Cluster"> = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Cluster",
};

function watching(chunks: readonly Uint8Array[]): AsyncGenerator<WatchEvent<StoredObject>> {
  const transport = {
    async request() {
      const body = bodyOfChunks(
        (async function* () {
          yield* chunks;
        })(),
        () => {},
      );
      return { status: 200, headers: {}, body };
    },
  };
  return createClient(transport, { host: testHost() }).watch(Widget, {});
}

const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const object = (name: string): object => ({ kind: "Widget", metadata: { name, uid: "u", resourceVersion: "1" } });

test("lines are the same wherever the stream is split", () => {
  const text = Buffer.from("one\n\ntwö\nthree");
  for (let cut = 0; cut <= text.length; cut += 1) {
    const cutter = createLineSplitter();
    const lines = [...cutter.push(text.subarray(0, cut)), ...cutter.push(text.subarray(cut))];
    const rest = cutter.remainder();
    assert.deepEqual([...lines, ...(rest === undefined ? [] : [rest])].map(decode), ["one", "twö", "three"]);
  }
});

test("events are the same wherever the stream is split", async () => {
  const bytes = Buffer.from(line("ADDED", object("ä")) + line("MODIFIED", object("b")));
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const events = await Array.fromAsync(watching([bytes.subarray(0, cut), bytes.subarray(cut)]));
    assert.deepEqual(
      events.map((event) => event.type !== "ERROR" && "name" in event.object.metadata && event.object.metadata.name),
      ["ä", "b"],
    );
  }
});

test("a stream that ends within a line is an error", async () => {
  const bytes = Buffer.from(line("ADDED", object("a")));
  for (let length = 1; length < bytes.length - 1; length += 1) {
    await assert.rejects(
      Array.fromAsync(watching([bytes.subarray(0, length)])),
      (error) => isApiError(error, "BadAnswer"),
      `cut after ${length} bytes`,
    );
  }
});

test("an ERROR event is the last one and carries its code", async () => {
  const status = { kind: "Status", reason: "Expired", code: 410, message: "too old resource version" };
  const events = await Array.fromAsync(watching([Buffer.from(line("ERROR", status) + line("ADDED", object("a")))]));
  assert.equal(events.length, 1);
  const [event] = events;
  assert.ok(event?.type === "ERROR" && isApiError(event.error, "Expired"));
});

test("a bookmark marks the end of the initial events", async () => {
  const annotations = { "k8s.io/initial-events-end": "true" };
  const bookmark = { kind: "Widget", apiVersion: "v1", metadata: { resourceVersion: "9", annotations } };
  const [event] = await Array.fromAsync(watching([Buffer.from(line("BOOKMARK", bookmark))]));
  assert.ok(event?.type === "BOOKMARK" && isInitialEventsEnd(event.object));
});

test("lines parse in any order and spacing", () => {
  const { type, bytes } = parseWatchLine(Buffer.from(' { "object" : {"a": "}"} , "type" : "ADDED" } '));
  assert.equal(type, "ADDED");
  assert.deepEqual(JSON.parse(decode(bytes)), { a: "}" });
  assert.throws(() => parseWatchLine(Buffer.from('{"type":"OTHER","object":{}}')), MalformedJsonError);
});

test("the scanner finds what a parser finds in objects of every shape", () => {
  const text = fc.string({ unit: fc.constantFrom("a", '"', "\\\\", "{", "}", "[", "]", ",", ":", "\\n", "é", "𝄞") });
  const owner = fc.record({ name: text, uid: fc.uuid(), controller: fc.boolean() });
  const metadata = fc.record(
    {
      annotations: fc.dictionary(text, text),
      managedFields: fc.oneof(
        fc.array(fc.object({ maxDepth: 2, maxKeys: 3 }), { maxLength: 3 }),
        fc.array(fc.dictionary(text, fc.constant({}))),
      ),
      name: fc.oneof(text, fc.constantFrom(',"managedFields":[', '{\\"managedFields":[')),
      namespace: fc.string(),
      ownerReferences: fc.array(owner),
      resourceVersion: fc.stringMatching(/^\d{1,9}$/u),
      labels: fc.dictionary(text, text),
    },
    { requiredKeys: [] },
  );
  const before = fc.constantFrom<object>({ kind: "A" }, { apiVersion: "v1", kind: "A" }, { data: [{}] }, {});
  const objects = fc.record({ before, metadata, spec: fc.jsonValue({ maxDepth: 2 }) });
  const property = fc.property(objects, fc.constantFrom(0, 1), ({ before: first, metadata: meta, spec }, indent) => {
    const bytes = Buffer.from(JSON.stringify({ ...first, metadata: meta, spec }, undefined, indent));
    const found = scanMetadata(bytes);
    assert.ok(found !== undefined);
    const { range, managedFields } = found;
    const { managedFields: wanted, ...others } = JSON.parse(JSON.stringify(meta)) as typeof meta;
    const whole: unknown = JSON.parse(decode(bytes.subarray(range.from, range.to)));
    assert.deepEqual(whole, wanted === undefined ? others : { ...others, managedFields: wanted });
    assert.deepEqual(parseMetadata(bytes, found), others);
    assert.equal(managedFields === undefined, wanted === undefined);
    if (managedFields === undefined) return;
    const member: unknown = JSON.parse(`{${decode(bytes.subarray(managedFields.from, managedFields.to))}}`);
    assert.deepEqual(member, { managedFields: wanted });
  });
  fc.assert(property, { numRuns: 300 });
});

test("the scanner reports missing metadata and invalid JSON", () => {
  assert.equal(scanMetadata(Buffer.from('{"kind":"Status"}')), undefined);
  for (const text of ["", "{", '{"metadata":{"name":"a', '{"metadata"', '{"a":}', "[]"]) {
    assert.throws(() => scanMetadata(Buffer.from(text)), MalformedJsonError, text);
  }
});
