import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@capstan/model";
import type { Lookup, RuleContext } from "../context.ts";
import { AddressPool } from "./address-pool.ts";

/** A context with some service CIDRs and allocated addresses. */
function contextOf(
  cidrs: readonly string[],
  used: readonly string[] = [],
  more: Partial<RuleContext> = {},
): RuleContext {
  const network = { apiVersion: "networking.k8s.io/v1", kind: "ServiceCIDR", metadata: { name: "n" }, spec: { cidrs } };
  const lookup: Lookup = {
    get: (_resource, name) => (used.includes(name) ? ({ metadata: { name } } as KubeObject) : undefined),
    list: () => (cidrs.length === 0 ? [] : [network as KubeObject]),
  };
  const context: Partial<RuleContext> = { lookup, dryRun: false, random: () => 0, ...more };
  return context as RuleContext;
}

test("an address is allocated once, and again after its release", () => {
  const context = contextOf(["10.9.0.0/30"]);
  const first = new AddressPool(context);
  const second = new AddressPool(context);
  assert.equal(first.take("IPv4", ""), "10.9.0.1");
  assert.equal(second.take("IPv4", ""), "10.9.0.2");
  assert.throws(() => new AddressPool(context).take("IPv4", ""), /range is full/);
  first.release();
  assert.equal(new AddressPool(context).take("IPv4", "10.9.0.1"), "10.9.0.1");
});

test("the lower part of the range is reserved for static allocation", () => {
  const pool = new AddressPool(contextOf(["10.9.0.0/24"]));
  assert.equal(pool.take("IPv4", ""), "10.9.0.17");
});

test("addresses in use or outside the usable range are rejected", () => {
  const pool = new AddressPool(contextOf(["10.9.0.0/24"], ["10.9.0.5"]));
  assert.deepEqual(pool.take("IPv4", "10.9.0.5"), { ip: "10.9.0.5", why: "provided IP is already allocated" });
  assert.match((pool.take("IPv4", "1.2.3.4") as { why: string }).why, /does not match the current range/);
  assert.match((pool.take("IPv4", "10.9.0.255") as { why: string }).why, /does not match the current range/);
});

test("families are those of the service CIDRs, in their order", () => {
  const pool = new AddressPool(contextOf(["fd00::/112", "10.9.0.0/24"]));
  assert.deepEqual(pool.families, ["IPv6", "IPv4"]);
  assert.match(pool.take("IPv6", "") as string, /^fd00::/);
  assert.deepEqual(new AddressPool(contextOf([])).families, ["IPv4"]);
});

test("a dry run allocates nothing", () => {
  const context = contextOf(["10.9.0.0/30"], [], { dryRun: true });
  assert.equal(new AddressPool(context).take("IPv4", ""), "10.9.0.0");
  assert.equal(new AddressPool(context).take("IPv4", ""), "10.9.0.0");
});
