import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FrameReader, toFrame } from "../frames.ts";
import { WireError } from "./bytes.ts";
import { bytes, flag, id, integer, many, message, one, text, texts } from "./message.ts";
import type { Message } from "./message.ts";

interface Part {
  name: string;
  id: string;
}
interface Whole {
  number: number;
  id: string;
  is: boolean;
  text: string;
  bytes: Buffer;
  part: Part | undefined;
  parts: Part[];
  texts: string[];
}
const Part: Message<Part> = message({ name: text(1), id: id(2) });
const Whole: Message<Whole> = message({
  number: integer(1),
  id: id(2),
  is: flag(3),
  text: text(4),
  bytes: bytes(5),
  part: one(6, () => Part),
  parts: many(7, () => Part),
  texts: texts(200),
});

const anyId = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => (value === 0n ? "" : value.toString(16)));
const anyText = fc.string({ unit: "binary" });
const anyPart = fc.record({ name: anyText, id: anyId }, { noNullPrototype: true });
const anyWhole = fc.record(
  {
    number: fc.maxSafeInteger(),
    id: anyId,
    is: fc.boolean(),
    text: anyText,
    bytes: fc.uint8Array().map((value) => Buffer.from(value)),
    part: fc.option(anyPart, { nil: undefined }),
    parts: fc.array(anyPart),
    texts: fc.array(anyText),
  },
  { noNullPrototype: true },
);

test("messages are decoded as they were encoded", () => {
  fc.assert(fc.property(anyWhole, (value) => assert.deepEqual(Whole.decode(Whole.encode(value)), value)));
});

test("the encoding is that of protocol buffers", () => {
  // The examples of the protobuf documentation: 150 in field 1, "testing" in field 2, and a negative number of ten bytes.
  const Test: Message<{ a: number; b: string }> = message({ a: integer(1), b: text(2) });
  assert.equal(Test.encode({ a: 150 }).toString("hex"), "089601");
  assert.equal(Test.encode({ b: "testing" }).toString("hex"), "120774657374696e67");
  assert.equal(Test.encode({ a: -2 }).toString("hex"), "08feffffffffffffffff01");
  assert.equal(Test.decode(Buffer.from("08feffffffffffffffff01", "hex")).a, -2);
});

test("unknown fields are skipped, and truncated messages are rejected", () => {
  const Small: Message<{ is: boolean }> = message({ is: flag(3) });
  fc.assert(
    fc.property(anyWhole, fc.nat(), (value, at) => {
      const encoded = Whole.encode(value);
      assert.deepEqual(Small.decode(encoded), { is: value.is });
      try {
        Whole.decode(encoded.subarray(0, at % (encoded.length + 1)));
      } catch (error) {
        assert.ok(error instanceof WireError);
      }
    }),
  );
});

test("frames yield complete messages, however the stream is split", () => {
  const messages = fc.array(
    fc.uint8Array({ maxLength: 50 }).map((value) => Buffer.from(value)),
    { maxLength: 10 },
  );
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (sent, sizes) => {
      const stream = Buffer.concat(sent.map(toFrame));
      const reader = new FrameReader();
      const received: Buffer[] = [];
      for (let at = 0, context = 0; at < stream.length; context++) {
        const size = sizes[context % sizes.length] ?? 1;
        reader.push(stream.subarray(at, at + size));
        at += size;
        for (let next = reader.next(); next; next = reader.next()) received.push(next);
      }
      assert.deepEqual(received, sent);
      assert.ok(reader.isEmpty);
    }),
  );
});
