import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNodePorts, parseServiceNetwork, serverAddressIn } from "./service-ranges.ts";

test("a network loses what lies beyond its prefix; its first address is the server's", () => {
  assert.equal(parseServiceNetwork("10.96.3.4/12"), "10.96.0.0/12");
  assert.equal(serverAddressIn("10.96.0.0/12"), "10.96.0.1");
});

test("what is no network for services is refused with a reason", () => {
  for (const text of ["", "10.0.0.0", "10.0.0.0/33", "fd00::/112", "10.0.0.0/30"]) {
    assert.throws(() => parseServiceNetwork(text), { name: "ServiceRangeError", code: "BadNetwork" });
  }
});

test("ports are a first and a last one, a first one and how many more, or one", () => {
  assert.deepEqual(parseNodePorts("30000-32767"), { first: 30000, last: 32767 });
  assert.deepEqual(parseNodePorts("30000+99"), { first: 30000, last: 30099 });
  assert.deepEqual(parseNodePorts("30000"), { first: 30000, last: 30000 });
  for (const text of ["", "0-9", "9-1", "1-65536", "a-b", "1-2-3"]) {
    assert.throws(() => parseNodePorts(text), { name: "ServiceRangeError", code: "BadPorts" });
  }
});
