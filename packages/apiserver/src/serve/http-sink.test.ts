import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { HttpSink } from "./http-sink.ts";

/** A response whose client reads nothing. */
class UnreadResponse extends EventEmitter {
  readonly destroyed = false;
  writableLength = 0;

  write(chunk: Uint8Array): boolean {
    this.writableLength += chunk.length;
    return false;
  }
}

const chunk = new Uint8Array(16 * 1024);

/** Writes until the sink is full; returns the number of bytes. */
function fill(sink: HttpSink): number {
  let length = 0;
  for (; !sink.isFull; length += chunk.length) {
    sink.write(chunk);
    sink.flush();
  }
  return length;
}

function open(count: number): { readonly responses: readonly UnreadResponse[]; readonly sinks: readonly HttpSink[] } {
  const responses = Array.from({ length: count }, () => new UnreadResponse());
  const options = { patience: 60_000, fail: () => assert.fail(), compression: undefined };
  return { responses, sinks: responses.map((one) => new HttpSink(one as unknown as ServerResponse, options)) };
}

test("2,000 bodies that are not read buffer less each than one alone", () => {
  const { responses, sinks } = open(2_000);
  const lengths = sinks.map(fill);
  assert.ok(Math.max(...lengths) <= 80 * 1024, `the longest buffer: ${Math.max(...lengths)} bytes`);
  for (const response of responses) response.emit("close");
  const alone = open(1);
  const [sink] = alone.sinks;
  assert.ok(sink !== undefined && fill(sink) > 1024 * 1024);
  for (const response of alone.responses) response.emit("close");
});
