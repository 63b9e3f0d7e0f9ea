/** Parsing time of formats grows linearly: protobuf, headers, tokens, selectors and WebSocket frames at n, 2n and 4n. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from "@capstan/model";
import { createPrivateKeyPem, signJwt, toJwtKey, verifyJwt } from "@capstan/pki";
import { parseAccept } from "../src/encode/accept.ts";
import { decodeProtobuf, encodeProtobuf } from "../src/protobuf/protobuf.ts";
import { FrameReader } from "../src/serve/web-socket-frame.ts";
import { isLinear, most } from "./linear.ts";

interface Reader<Input> {
  readonly size: number;
  readonly make: (n: number) => Input;
  readonly run: (input: Input) => unknown;
}

const items = <T>(n: number, item: (at: number) => T): T[] => Array.from({ length: n }, (_, at) => item(at));
const metadata = { name: "a", namespace: "default" };
const protobuf = (size: number, object: (n: number) => object): Reader<Uint8Array> => ({
  size,
  make: (n) => encodeProtobuf({ apiVersion: "v1", kind: "Pod", ...object(n) }),
  run: decodeProtobuf,
});

/** A field that no message has: number 1000, a varint. */
const unknownField = Buffer.from([0xc0, 0x3e, 0x01]);
/** A nested message within itself: field 1, and the length of the rest, which has two bytes. */
function nested(depth: number): Uint8Array {
  let bytes: Buffer = Buffer.alloc(0);
  for (let at = 0; at < depth; at++) {
    const length = Math.min(bytes.length, 16_000);
    bytes = Buffer.concat([Buffer.from([0x0a, (length & 0x7f) | 0x80, length >> 7]), bytes.subarray(0, length)]);
  }
  return bytes;
}

const key = createPrivateKeyPem();
const keys = [toJwtKey(key)];

/** A masked text frame. */
function frame(payload: Buffer): Buffer {
  const head = Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff, 1, 2, 3, 4]);
  return Buffer.concat([head, payload]);
}

const readers: { readonly [name: string]: Reader<Uint8Array> | Reader<string> | Reader<readonly Buffer[]> } = {
  "protobuf: entries of a map": protobuf(2_000, (n) => ({
    kind: "ConfigMap",
    metadata,
    data: Object.fromEntries(items(n, (at) => [`k${at}`, "v"])),
  })),
  "protobuf: containers": protobuf(1_000, (n) => ({
    metadata,
    spec: { containers: items(n, (at) => ({ name: `c${at}`, image: "a" })) },
  })),
  "protobuf: managed fields": protobuf(500, (n) => ({
    metadata: {
      ...metadata,
      managedFields: items(n, (at) => ({
        manager: `m${at}`,
        operation: "Apply",
        fieldsType: "FieldsV1",
        fieldsV1: {},
      })),
    },
  })),
  "protobuf: unknown fields": {
    size: 20_000,
    make: (n) => {
      const whole = encodeProtobuf({ apiVersion: "v1", kind: "Pod", metadata } as never);
      return Buffer.concat([whole, ...items(n, () => unknownField)]);
    },
    run: decodeProtobuf,
  },
  "protobuf: nested messages": {
    size: 1_000,
    make: (n) => Buffer.concat([Buffer.from("k8s\0"), nested(n)]),
    run: decodeProtobuf,
  },
  "Accept: clauses": { size: 20_000, make: (n) => "a/b;q=0.5,".repeat(n), run: parseAccept },
  "Accept: parameters of a clause": {
    size: 20_000,
    make: (n) => `a/b${items(n, (at) => `;p${at}=1`).join("")}`,
    run: parseAccept,
  },
  "Accept: slashes and spaces": { size: 50_000, make: (n) => `${"/ ".repeat(n)},a/b`, run: parseAccept },
  "JWT: audiences": {
    size: 2_000,
    make: (n) => signJwt({ iss: "a", aud: items(n, (at) => `audience-${at}`) }, key),
    run: (text: string) => verifyJwt(text, { keys }),
  },
  "JWT: a long part that was not signed": {
    size: 200_000,
    make: (n) => `${signJwt({ iss: "a" }, key)}${"A".repeat(n)}`,
    run: (text: string) => verifyJwt(text, { keys }),
  },
  "JWT: dots": { size: 200_000, make: (n) => ".".repeat(n), run: (text: string) => verifyJwt(text, { keys }) },
  "field selector: requirements": {
    size: 10_000,
    make: (n) => items(n, (at) => `metadata.name!=a${at}`).join(","),
    run: (text: string) => matchesFields(parseFieldSelector(text), () => "b"),
  },
  "field selector: escaped characters": {
    size: 100_000,
    make: (n) => `metadata.name=${"\\,".repeat(n)}`,
    run: parseFieldSelector,
  },
  "field selector: backslashes": { size: 100_000, make: (n) => "\\".repeat(n), run: parseFieldSelector },
  "label selector: values of a requirement": {
    size: 10_000,
    make: (n) => `a notin (${items(n, (at) => `v${at}`).join(",")})`,
    run: (text: string) => matchesLabels(parseLabelSelector(text), { a: "b" }),
  },
  "label selector: brackets that do not end": {
    size: 50_000,
    make: (n) => `a in ${"(".repeat(n)}`,
    run: parseLabelSelector,
  },
  "WebSocket: frames in one chunk": {
    size: 5_000,
    make: (n) => [Buffer.concat(items(n, () => frame(Buffer.alloc(200))))],
    run: readFrames,
  },
  "WebSocket: a frame in many chunks": {
    size: 16_000,
    make: (n) => {
      const bytes = frame(Buffer.alloc(Math.min(n, 65_000)));
      return items(bytes.length, (at) => bytes.subarray(at, at + 1));
    },
    run: readFrames,
  },
};

function readFrames(chunks: readonly Buffer[]): void {
  const reader = new FrameReader();
  for (const chunk of chunks) reader.read(chunk);
}

function refused(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

function isLinearFor<Input>({ size, make, run }: Reader<Input>): boolean {
  const [small, middle, large] = [make(size), make(size * 2), make(size * 4)];
  for (const input of [small, middle]) refused(() => run(input));
  return isLinear(
    () => refused(() => run(small)),
    () => refused(() => run(large)),
  );
}

for (const [name, reader] of Object.entries(readers)) {
  test(`${name}: the cost grows linearly with the length`, () => {
    assert.ok(isLinearFor(reader as Reader<unknown>), `more than ${most} times as long for four times the length`);
  });
}
