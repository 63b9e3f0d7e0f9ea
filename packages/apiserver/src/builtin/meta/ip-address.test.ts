import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatIp, ipFamilyOf, isInNetwork, networkAddress, parseIp, parseNetwork } from "./ip-address.ts";
import { checkEndpointIp, checkIp, checkNetwork, ipWarnings, networkWarnings } from "./ip-checks.ts";

test("every address is parsed back from its text", () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6());
  fc.assert(
    fc.property(address, (text) => {
      const parsed = parseIp(text);
      assert.ok(parsed, text);
      const formatted = formatIp(parsed);
      assert.deepEqual(parseIp(formatted), parsed, formatted);
    }),
  );
});

test("addresses have one canonical text", () => {
  const texts = { "2001:DB8:0:0:0:0:0:1": "2001:db8::1", "0:0:0:0:0:0:0:0": "::", "1:0:0:2:0:0:0:3": "1:0:0:2::3" };
  for (const [text, canonical] of Object.entries(texts)) assert.equal(formatIp(parseIp(text) ?? []), canonical);
  assert.equal(formatIp(parseIp("010.001.2.3") ?? []), "10.1.2.3");
});

test("parseIp returns undefined for malformed addresses", () => {
  for (const text of ["", "x", "1.2.3", "1.2.3.256", "1:2", ":::", "1::2::3", "12345::", "::1.2.3"]) {
    assert.equal(parseIp(text), undefined, text);
  }
  assert.equal(ipFamilyOf("::ffff:1.2.3.4"), "IPv4");
  assert.equal(ipFamilyOf("::1"), "IPv6");
});

test("isInNetwork compares the network bits", () => {
  const network = parseNetwork("10.1.2.3/20");
  assert.ok(network);
  assert.equal(formatIp(networkAddress(network)), "10.1.0.0");
  assert.ok(isInNetwork(parseIp("10.1.15.255") ?? [], network));
  assert.ok(!isInNetwork(parseIp("10.1.16.0") ?? [], network));
  assert.ok(!isInNetwork(parseIp("::1") ?? [], network));
  assert.equal(parseNetwork("1.2.3.4/33"), undefined);
});

test("non-canonical addresses are rejected unless the old object has them", () => {
  const bodies = (text: string, before?: readonly string[]): string[] =>
    checkIp(text, "p", before).map(({ body }) => body);
  assert.deepEqual(bodies("01.2.3.4"), ['Invalid value: "01.2.3.4": must not have leading 0s']);
  assert.deepEqual(bodies("::ffff:1.2.3.4"), [
    'Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
  ]);
  assert.deepEqual(bodies("01.2.3.4", ["01.2.3.4"]), []);
  assert.match(checkNetwork("1.2.3.4/8", "p")[0]?.body ?? "", /bits set beyond the prefix length/);
});

test("uncompressed addresses only cause a warning", () => {
  assert.deepEqual(ipWarnings("2001:DB8::1", "p"), [
    'p: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
  ]);
  assert.deepEqual(ipWarnings("1.2.3.4", "p"), []);
  assert.match(networkWarnings("1.2.3.4/8", "p")[0] ?? "", /ambiguous in this context/);
});

test("loopback, link-local and multicast addresses are rejected for endpoints", () => {
  for (const text of ["0.0.0.0", "127.1.1.1", "::1", "169.254.0.1", "fe80::1", "224.0.0.5", "ff02::1"]) {
    assert.equal(checkEndpointIp(text, "p").length, 1, text);
  }
  assert.deepEqual(checkEndpointIp("10.0.0.1", "p"), []);
});
