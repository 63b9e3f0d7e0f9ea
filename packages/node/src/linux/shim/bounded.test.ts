import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { bounded } from "./bounded.ts";

class Caller extends EventEmitter {
  readonly remoteAddress: string;
  isServed = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.emit("close");
  }
}

test("each address has a bounded number of connections at a time", () => {
  const take = bounded<Caller>(2, (caller) => (caller.isServed = true));
  const call = (address: string): Caller => {
    const caller = new Caller(address);
    take(caller);
    return caller;
  };
  const first = call("10.0.0.2");
  assert.deepEqual([first.isServed, call("10.0.0.2").isServed, call("10.0.0.2").isServed], [true, true, false]);
  assert.equal(call("10.0.0.3").isServed, true);
  first.destroy();
  assert.deepEqual([call("10.0.0.2").isServed, call("10.0.0.2").isServed], [true, false]);
});
