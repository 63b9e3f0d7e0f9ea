import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint, EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import type { Group } from "./endpoints.ts";
import { pack } from "./pack.ts";

const ports = [{ name: "", protocol: "TCP" as const, port: 80 }];
const endpoint = (index: number): Endpoint => ({ addresses: [`10.0.${index >> 8}.${index & 255}`] });
const group = (from: number, to: number): Group => ({
  addressType: "IPv4",
  ports,
  endpoints: Array.from({ length: to - from }, (_, index) => endpoint(from + index)),
});
const slice = (name: string, { endpoints, ports: own }: Group): EndpointSlice =>
  ({ metadata: { name }, addressType: "IPv4", ports: own, endpoints }) as unknown as EndpointSlice;

test("a slice holds a hundred endpoints", () => {
  const { create } = pack([group(0, 250)], ["IPv4"], []);
  assert.deepEqual(
    create.map(({ endpoints }) => endpoints.length),
    [100, 100, 50],
  );
});

test("a service without endpoints keeps one empty slice", () => {
  const empty = slice("empty", { addressType: "IPv4", ports: [], endpoints: [] });
  assert.equal(pack([], ["IPv4"], []).create.length, 1);
  assert.deepEqual(pack([], ["IPv4"], [empty]), { create: [], update: [], remove: [] });
});

test("endpoints keep their slice, new ones fill gaps, and empty slices are removed", () => {
  const first = slice("first", group(0, 100));
  const second = slice("second", group(100, 110));
  assert.deepEqual(pack([group(0, 110)], ["IPv4"], [first, second]), { create: [], update: [], remove: [] });
  const grown = pack([group(0, 111)], ["IPv4"], [first, second]);
  assert.deepEqual([grown.create.length, grown.update.map(({ slice: one }) => one.metadata.name)], [0, ["second"]]);
  const shrunk = pack([group(0, 100)], ["IPv4"], [first, second]);
  assert.deepEqual([shrunk.update.length, shrunk.remove], [0, [second]]);
});

test("different ports use different slices", () => {
  const old = slice("old", group(0, 1));
  const moved = { ...group(0, 1), ports: [{ name: "", protocol: "TCP" as const, port: 81 }] };
  const { create, remove } = pack([moved], ["IPv4"], [old]);
  assert.deepEqual([create.length, remove], [1, [old]]);
});
