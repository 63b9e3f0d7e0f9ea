import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNodePorts, parseServiceNetworks, serverAddressIn } from "./service-ranges.ts";

test("a network loses its host bits, and its first address is the server's", () => {
  assert.equal(parseServiceNetworks("10.96.3.4/12"), "10.96.0.0/12");
  assert.equal(serverAddressIn("10.96.0.0/12"), "10.96.0.1");
});

test("a second network must be of the other family", () => {
  assert.equal(parseServiceNetworks("10.96.0.0/12, fd00::1:2/112"), "10.96.0.0/12,fd00::1:0/112");
  assert.equal(serverAddressIn("10.96.0.0/12,fd00::1:0/112"), "10.96.0.1");
});

test("an invalid service network is rejected with a reason", () => {
  for (const text of [
    "",
    "10.0.0.0",
    "10.0.0.0/33",
    "fd00::/112",
    "10.0.0.0/30",
    "10.0.0.0/24,10.1.0.0/24",
    "10.0.0.0/24,fd00::/112,",
    "fd00::/112,10.0.0.0/24",
  ]) {
    assert.throws(() => parseServiceNetworks(text), { name: "ServiceRangeError", code: "BadNetwork" });
  }
});

test("node ports are a range, a first port and a count, or a single port", () => {
  assert.deepEqual(parseNodePorts("30000-32767"), { first: 30000, last: 32767 });
  assert.deepEqual(parseNodePorts("30000+99"), { first: 30000, last: 30099 });
  assert.deepEqual(parseNodePorts("30000"), { first: 30000, last: 30000 });
  for (const text of ["", "0-9", "9-1", "1-65536", "a-b", "1-2-3"]) {
    assert.throws(() => parseNodePorts(text), { name: "ServiceRangeError", code: "BadPorts" });
  }
});
