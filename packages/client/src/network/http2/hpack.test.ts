import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { HpackDecoder, HpackError } from "./hpack-decoder.ts";
import { HpackEncoder } from "./hpack-encoder.ts";

const read = (decoder: HpackDecoder, hex: string): string[] => {
  const fields: string[] = [];
  decoder.decode(Buffer.from(hex.replaceAll(" ", ""), "hex"), (name, value) => fields.push(`${name}: ${value}`));
  return fields;
};

describe("blocks of header fields", () => {
  test("RFC 7541 C.6 examples decode, with eviction from the table", () => {
    const decoder = new HpackDecoder();
    const first = [":status: 302", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT"];
    const location = "location: https://www.example.com";
    const coded =
      "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3";
    assert.deepEqual(read(decoder, coded), [...first, location]);
    assert.deepEqual(read(decoder, "4883 640e ffc1 c0bf"), [
      ":status: 307",
      "cache-control: private",
      "date: Mon, 21 Oct 2013 20:13:21 GMT",
      location,
    ]);
  });

  test("encoded fields decode again, for any history and table size", () => {
    const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
    const value = fc.oneof(
      fc.constantFrom("application/json", "GET", "200"),
      fc.string({ maxLength: 300, unit: "grapheme-ascii" }),
    );
    const name = fc.oneof(fc.constantFrom(":method", ":path", "accept", "content-type", "user-agent"), token);
    const blocks = fc.array(fc.array(fc.tuple(name, value), { maxLength: 8 }), { maxLength: 8 });
    fc.assert(
      fc.property(blocks, fc.constantFrom(0, 100, 4096, 65_536), (all, allowed) => {
        const encoder = new HpackEncoder(allowed);
        const decoder = new HpackDecoder();
        for (const fields of all) {
          const headers = Object.fromEntries(fields);
          const seen: Record<string, string> = {};
          decoder.decode(Buffer.from(encoder.encode(headers)), (field, text) => (seen[field] = text));
          assert.deepEqual(seen, headers);
        }
      }),
    );
  });

  test("a repeated field takes one byte until the table is reset", () => {
    const encoder = new HpackEncoder();
    const headers = { ":method": "PATCH", authorization: `Bearer ${"x".repeat(1000)}` };
    assert.ok(encoder.encode(headers).length > 1000);
    assert.equal(encoder.encode(headers).length, 2);
    encoder.reset();
    assert.ok(encoder.encode(headers).length > 1000);
    assert.ok(encoder.encode(headers).length > 1000);
  });

  test("invalid blocks are rejected", () => {
    for (const bytes of ["ff", "7f ff ff ff ff ff ff", "c0", "40 05 61", "3f e2 1f", "40 81 ff 81 00", "80"]) {
      assert.throws(() => read(new HpackDecoder(), bytes), HpackError, bytes);
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          new HpackDecoder().decode(Buffer.from(bytes), () => {});
        } catch (error) {
          assert.ok(error instanceof HpackError);
        }
      }),
    );
  });
});
