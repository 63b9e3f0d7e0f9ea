import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { writeAnswer, type HttpResponse } from "./http-answer.ts";

/** A response whose buffer is full after its first piece. */
class FullResponse extends EventEmitter {
  readonly pieces: string[] = [];
  isEnded = false;

  writeHead(): this {
    return this;
  }

  write(piece: Uint8Array): boolean {
    this.pieces.push(Buffer.from(piece).toString());
    return false;
  }

  end(piece: string | Uint8Array): this {
    this.pieces.push(typeof piece === "string" ? piece : Buffer.from(piece).toString());
    this.isEnded = true;
    return this;
  }
}

function send(body: string): FullResponse {
  const response = new FullResponse();
  // Only the methods above are used for whole bodies.
  const target = response as unknown as HttpResponse;
  writeAnswer(
    target,
    { status: 200, headers: {}, body },
    { acceptsGzip: false, patience: 1000, fail: (error) => assert.fail(String(error)) },
  );
  return response;
}

test("the end of a long response waits until its start has drained", () => {
  const body = `${"x".repeat(400_000)}end`;
  const response = send(body);
  assert.equal(response.isEnded, false, "the client must not have the whole response while the socket drains");
  assert.equal(response.pieces.length, 1);
  response.emit("drain");
  assert.equal(response.isEnded, true);
  assert.equal(response.pieces.join(""), body);
});

test("a short response leaves in one piece", () => {
  const response = send("short");
  assert.deepEqual([response.isEnded, response.pieces], [true, ["short"]]);
});
