/** Compares the codec with Go: every served kind, empty and with random values, as written by k8s.io/api v0.36.3. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { protobufMessage, protobufFlags } from "@capstan/kinds/protobuf";
import fc from "fast-check";
import {
  decodeProtobuf,
  decodeWatchEvents,
  encodeProtobuf,
  encodeProtobufItem,
  encodeProtobufList,
  encodeWatchEvent,
  ProtobufError,
} from "./protobuf.ts";

interface Sample {
  readonly kind: string;
  readonly json: { readonly apiVersion: string; readonly kind: string; items?: unknown };
  readonly proto: string;
  /** The bytes of the object after a round trip through JSON, if they differ. */
  readonly again?: string;
}

const samples = JSON.parse(readFileSync(new URL("generated/samples.json", import.meta.url), "utf8")) as Sample[];
const magic = Buffer.from("k8s\0");

test(`${samples.length} objects of all kinds are read as Go reads them`, () => {
  assert.ok(samples.length > 150);
  for (const { kind, json, proto } of samples) {
    // The server never returns a null list: it creates an empty one.
    const expected = json.items === null ? { ...json, items: [] } : json;
    const { object } = decodeProtobuf(Buffer.from(proto, "base64"));
    assert.deepEqual(JSON.parse(JSON.stringify(object)), expected, kind);
  }
});

test("the same objects are written byte for byte as Go writes them", () => {
  for (const { kind, json, proto, again } of samples) {
    assert.equal(Buffer.from(encodeProtobuf(json)).toString("base64"), again ?? proto, kind);
  }
});

test("a list assembled from encoded items equals the list encoded at once", () => {
  const item = { metadata: { name: "a" }, data: { k: "v" } };
  const items = [item, { ...item, data: { k: "long".repeat(100) } }];
  const list = { apiVersion: "v1", kind: "ConfigMapList", metadata: { resourceVersion: "7", continue: "x" } };
  const written = items.map((each) => encodeProtobufItem({ apiVersion: "v1", kind: "ConfigMap", ...each }));
  assert.deepEqual(encodeProtobufList(list, written), encodeProtobuf({ ...list, items } as typeof list));
});

test("a key named like the prototype is an ordinary key", () => {
  const data = JSON.parse('{"__proto__":"x","constructor":"y"}') as object;
  const { object } = decodeProtobuf(encodeProtobuf({ apiVersion: "v1", kind: "ConfigMap", data } as never));
  assert.equal(JSON.stringify(object["data"]), '{"__proto__":"x","constructor":"y"}');
});

test("an object that cannot be written fails without affecting the next one", () => {
  const good = { apiVersion: "v1", kind: "ConfigMap", data: { a: "b" } };
  const before = encodeProtobuf(good);
  const bad = { apiVersion: "v1", kind: "Pod", spec: { terminationGracePeriodSeconds: "soon" } };
  assert.throws(() => encodeProtobuf(bad), { name: "ProtobufError", code: "Unencodable" });
  assert.deepEqual(encodeProtobuf(good), before);
});

test("a kind that is missing in the envelope is taken from the request", () => {
  const bytes = Buffer.concat([magic, Buffer.from([0x12, 0x00])]);
  const { apiVersion, kind, object } = decodeProtobuf(bytes, { group: "apps", version: "v1", kind: "DeleteOptions" });
  assert.deepEqual({ apiVersion, kind }, { apiVersion: "apps/v1", kind: "DeleteOptions" });
  assert.deepEqual(object, { apiVersion: "apps/v1", kind: "DeleteOptions" });
});

test("bytes without the magic are rejected with the message of kube-apiserver", () => {
  const message = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";
  assert.throws(() => decodeProtobuf(Buffer.from("{}")), new ProtobufError("NotProtobuf", message));
});

test("a kind without protobuf is rejected", () => {
  assert.throws(() => encodeProtobuf({ apiVersion: "example.com/v1", kind: "Widget" }), { code: "UnknownKind" });
  assert.throws(() => encodeProtobuf({ apiVersion: "meta.k8s.io/v1", kind: "Table" }), { code: "UnknownKind" });
});

test("a field of the wrong wire type is rejected", () => {
  const bytes = Buffer.from(encodeProtobuf({ apiVersion: "v1", kind: "ConfigMap" }));
  const wrong = Buffer.from(bytes.toString("latin1").replace("\x0a\x00", "\x08\x00"), "latin1");
  assert.notDeepEqual(wrong, bytes);
  assert.throws(() => decodeProtobuf(wrong), { name: "ProtobufError", code: "Malformed" });
});

test("arbitrary bytes are read or rejected with a ProtobufError", () => {
  const damaged = fc
    .tuple(fc.constantFrom(...samples), fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat())
    .map(([{ proto }, at, byte, cut]) => {
      const bytes = Buffer.from(proto, "base64");
      bytes[4 + (at % (bytes.length - 4))] = byte;
      return bytes.subarray(0, cut % 3 === 0 ? 4 + (cut % (bytes.length - 4)) : bytes.length);
    });
  fc.assert(
    fc.property(damaged, (bytes) => {
      try {
        decodeProtobuf(bytes);
      } catch (error) {
        assert.ok(error instanceof ProtobufError, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

test("messages nested twenty thousand times are rejected without a crash", () => {
  let schema: Buffer = Buffer.alloc(0);
  for (let i = 0; i < 20_000; i++) schema = nest(28, schema);
  const version = nest(7, Buffer.concat([nest(4, nest(1, schema))]));
  const bytes = Buffer.concat([
    magic,
    nest(
      1,
      Buffer.concat([
        nest(1, Buffer.from("apiextensions.k8s.io/v1")),
        nest(2, Buffer.from("CustomResourceDefinition")),
      ]),
    ),
    nest(2, nest(2, version)),
  ]);
  assert.throws(() => decodeProtobuf(bytes), { name: "ProtobufError", code: "Malformed" });
});

function nest(field: number, inner: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(inner.length), inner]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

test("a value of any kind survives a round trip", () => {
  const kinds = [
    ["v1", "Pod"],
    ["v1", "Service"],
    ["v1", "Secret"],
    ["v1", "Status"],
    ["apps/v1", "Deployment"],
    ["batch/v1", "CronJob"],
    ["policy/v1", "Eviction"],
    ["coordination.k8s.io/v1", "Lease"],
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ] as const;
  const objects = fc
    .constantFrom(...kinds)
    .chain(([apiVersion, kind]) =>
      valueOf(messageName(apiVersion, kind), 7).map((value) => ({ ...(value as object), apiVersion, kind })),
    );
  fc.assert(
    fc.property(objects, (object) => {
      const bytes = encodeProtobuf(object);
      const { object: read } = decodeProtobuf(bytes);
      const again = encodeProtobuf(read as { apiVersion: string; kind: string });
      assert.deepEqual(decodeProtobuf(again).object, read);
      assert.deepEqual(Buffer.from(again), Buffer.from(bytes));
    }),
    { numRuns: 300 },
  );
});

function messageName(apiVersion: string, kind: string): string {
  const groups: Record<string, string> = {
    v1: kind === "Status" ? "k8s.io.apimachinery.pkg.apis.meta.v1" : "k8s.io.api.core.v1",
    "apiextensions.k8s.io/v1": "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1",
  };
  return `${groups[apiVersion] ?? `k8s.io.api.${apiVersion.replace(".k8s.io", "").replace("/", ".")}`}.${kind}`;
}

const leaves: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: fc.string({ maxLength: 6 }),
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  double: fc.integer().map((value) => value / 4),
  bytes: fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  "k8s.io.apimachinery.pkg.apis.meta.v1.Time": fc.constantFrom("2026-11-15T10:30:00Z", "1969-12-31T23:59:59Z"),
  "k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime": fc.constantFrom("2026-11-15T10:30:00.000001Z"),
  "k8s.io.apimachinery.pkg.api.resource.Quantity": fc.constantFrom("0", "500m", "1Gi", "1e3"),
  "k8s.io.apimachinery.pkg.util.intstr.IntOrString": fc.oneof(fc.integer(), fc.string({ maxLength: 3 })),
  "k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1": fc.dictionary(fc.string({ maxLength: 3 }), fc.boolean()),
};

/** A random value of a message; special types that are not listed above are omitted. */
function valueOf(type: string, depth: number): fc.Arbitrary<unknown> {
  const leaf = leaves[type];
  if (leaf !== undefined) return leaf;
  const fields = protobufMessage(type) ?? [];
  const isOpaque = /RawExtension|\.JSON|ExtraValue|Duration$/.test(type);
  if (depth === 0 || isOpaque) return fc.constant(undefined);
  const arbitraries: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [, name, fieldType, flags] of fields) {
    if (flags & protobufFlags.inline) continue;
    const value = fc.option(fieldOf(valueOf(fieldType, depth - 1), flags), { nil: undefined, freq: 1 });
    arbitraries[name] = value;
  }
  return fc.record(arbitraries);
}

function fieldOf(value: fc.Arbitrary<unknown>, flags: number): fc.Arbitrary<unknown> {
  if (flags & protobufFlags.map) return fc.dictionary(fc.string({ maxLength: 3 }), value, { maxKeys: 2 });
  return flags & protobufFlags.repeated ? fc.array(value, { maxLength: 2 }) : value;
}

test("watch events are found wherever the stream is split", () => {
  const events = ["ADDED", "MODIFIED", "BOOKMARK"].map((type) => ({
    type,
    object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: type.toLowerCase() }, data: { a: "b" } },
  }));
  const stream = Buffer.concat(events.map((event) => encodeWatchEvent(event)));
  const expected = events.map(({ type, object }) => ({ type, apiVersion: "v1", kind: "ConfigMap", object }));
  for (let cut = 0; cut <= stream.length; cut++) {
    const first = decodeWatchEvents(stream.subarray(0, cut));
    const second = decodeWatchEvents(Buffer.concat([first.rest, stream.subarray(cut)]));
    assert.deepEqual([...first.events, ...second.events], expected);
    assert.equal(second.rest.length, 0);
  }
});
