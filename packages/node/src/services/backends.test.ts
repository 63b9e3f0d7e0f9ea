import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint, EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { candidatesFor, localTo, nearTo, usable, type Backend } from "./backends.ts";

const endpoint = (ip: string, more: Partial<Endpoint> = {}): Endpoint => ({ addresses: [ip], ...more });
const candidates = (...endpoints: readonly Endpoint[]): ReturnType<typeof candidatesFor> => {
  const slice = { addressType: "IPv4", ports: [{ port: 80 }], endpoints } as unknown as EndpointSlice;
  return candidatesFor({ port: 80 }, [slice]);
};
const ipsOf = (backends: readonly Backend[]): readonly string[] => backends.map(({ ip }) => ip);
const zone = (name: string): Partial<Endpoint> => ({ zone: name, hints: { forZones: [{ name }] } });
const node = (nodeName: string, zoneName: string): Partial<Endpoint> => ({
  nodeName,
  hints: { forNodes: [{ name: nodeName }], forZones: [{ name: zoneName }] },
});
const viewer = { name: "one", zone: "a" };

test("terminating endpoints serve only if none is ready", () => {
  const ending = endpoint("2", { conditions: { ready: false, serving: true, terminating: true } });
  assert.deepEqual(ipsOf(usable(candidates(endpoint("1"), ending))), ["1"]);
  const dead = endpoint("3", { conditions: { ready: false, serving: false } });
  assert.deepEqual(ipsOf(usable(candidates(ending, dead))), ["2"]);
});

test("zone hints apply if all endpoints have one and the zone has an endpoint", () => {
  const [a, b] = [endpoint("1", zone("a")), endpoint("2", zone("b"))];
  assert.deepEqual(ipsOf(nearTo(candidates(a, b), viewer)), ["1"]);
  assert.deepEqual(ipsOf(nearTo(candidates(a, b, endpoint("3")), viewer)), ["1", "2", "3"]);
  assert.deepEqual(ipsOf(nearTo(candidates(b), viewer)), ["2"]);
  assert.deepEqual(ipsOf(nearTo(candidates(a, b), { name: "one", zone: "" })), ["1", "2"]);
  const unready = endpoint("3", { conditions: { ready: false } });
  assert.deepEqual(ipsOf(nearTo(candidates(a, b, unready), viewer)), ["1"], "who is not ready need not say anything");
});

test("node hints take precedence", () => {
  const all = candidates(
    endpoint("1", node("one", "a")),
    endpoint("2", node("two", "a")),
    endpoint("3", node("three", "b")),
  );
  assert.deepEqual(ipsOf(nearTo(all, viewer)), ["1"]);
  assert.deepEqual(ipsOf(nearTo(all, { name: "four", zone: "a" })), ["1", "2"]);
  assert.deepEqual(ipsOf(nearTo(all, { name: "four", zone: "c" })), ["1", "2", "3"]);
});

test("local endpoints are the ready ones of the node, else the serving ones", () => {
  const ending = endpoint("1", { nodeName: "one", conditions: { ready: false, serving: true, terminating: true } });
  const all = candidates(ending, endpoint("2", { nodeName: "two" }));
  assert.deepEqual(ipsOf(localTo(all, { name: "one" })), ["1"]);
  assert.deepEqual(ipsOf(localTo(all, { name: "three" })), []);
});
