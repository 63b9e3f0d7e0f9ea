/** Tests of channels from raw bundles. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DescribedBundle } from "./describe-bundle.ts";
import { channelsOf, type UpdateGraph } from "./update-graph.ts";

function bundle(version: string, more: Partial<DescribedBundle> = {}): DescribedBundle {
  const blob = {
    name: `foo.v${version}`,
    package: "foo",
    image: `quay.io/foo:v${version}`,
    properties: [],
    readLarge: () => [],
    hasObjects: false,
    relatedImages: [],
  };
  return {
    blob,
    version,
    replaces: "",
    skips: [],
    skipRange: "",
    channels: ["beta"],
    defaultChannel: "",
    csv: {},
    ...more,
  };
}

function edges(graph: UpdateGraph, ...bundles: readonly DescribedBundle[]): { [channel: string]: string[] } {
  return Object.fromEntries(
    channelsOf(bundles, graph).map(({ name, entries }) => [
      name,
      entries.map((entry) =>
        [
          entry.name,
          entry.replaces ?? "-",
          ...entry.skips,
          ...(entry.skipRange === undefined ? [] : [entry.skipRange]),
        ].join(" "),
      ),
    ]),
  );
}

test("in replaces-mode a channel has its bundles and all that they replace", () => {
  const first = bundle("1.0.0", { channels: ["alpha"] });
  const second = bundle("2.0.0", { replaces: "foo.v1.0.0", skips: ["foo.v1.5.0"], skipRange: "<2.0.0" });
  assert.deepEqual(edges("replaces-mode", first, second), {
    alpha: ["foo.v1.0.0 -"],
    beta: ["foo.v1.0.0 -", "foo.v2.0.0 foo.v1.0.0 foo.v1.5.0 <2.0.0"],
  });
});

test("a cycle of replaces ends the search for ancestors", () => {
  const [a, b] = [bundle("1.0.0", { replaces: "foo.v2.0.0" }), bundle("2.0.0", { replaces: "foo.v1.0.0" })];
  assert.deepEqual(edges("replaces-mode", a, b), { beta: ["foo.v1.0.0 foo.v2.0.0", "foo.v2.0.0 foo.v1.0.0"] });
});

test("in semver-mode each version replaces the one below it", () => {
  const found = edges("semver-mode", bundle("1.10.0"), bundle("1.9.0", { replaces: "other" }), bundle("1.10.0-rc.1"));
  assert.deepEqual(found, { beta: ["foo.v1.9.0 -", "foo.v1.10.0-rc.1 foo.v1.9.0", "foo.v1.10.0 foo.v1.10.0-rc.1"] });
});

test("in semver-skippatch-mode the newest patch skips the older ones", () => {
  const found = edges(
    "semver-skippatch-mode",
    ...["1.0.0", "1.0.1", "1.1.0", "1.1.1", "1.1.2"].map((one) => bundle(one)),
  );
  assert.deepEqual(found, {
    beta: [
      "foo.v1.0.0 -",
      "foo.v1.0.1 - foo.v1.0.0",
      "foo.v1.1.0 foo.v1.0.1",
      "foo.v1.1.1 foo.v1.1.0",
      "foo.v1.1.2 foo.v1.0.1 foo.v1.1.0 foo.v1.1.1",
    ],
  });
});

test("a bundle without a valid version is rejected", () => {
  assert.throws(() => channelsOf([bundle("one")], "semver-mode"), { code: "Invalid" });
});
