/** Tests of resolution: the rules of the upgrade graph and of requirements, and the texts of what is impossible. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  catalogOf,
  gvk,
  inputOf,
  installedOf,
  needsGvk,
  needsPackage,
  snapshotOf,
  subscriptionOf,
} from "../../test/catalogs.ts";
import type { ResolutionInput } from "./resolution.ts";
import { generatedSubscriptionName, resolve } from "./resolve.ts";

function namesOf(input: ResolutionInput): string[] {
  const result = resolve(input);
  if (result.type !== "solved") assert.fail(result.message);
  return result.selections.map(({ bundle }) => bundle.name);
}

function messageOf(input: ResolutionInput): string {
  const result = resolve(input);
  return result.type === "solved" ? "solved" : result.message;
}

const threeVersions = catalogOf({
  a: { stable: [{ name: "a.v3", replaces: "a.v2" }, { name: "a.v2", replaces: "a.v1" }, { name: "a.v1" }] },
});

test("a new Subscription gets the head of the channel", () => {
  assert.deepEqual(namesOf(inputOf([snapshotOf("cat", threeVersions)], [subscriptionOf("a")])), ["a.v3"]);
});

test("startingCSV selects the first version only", () => {
  const catalogs = [snapshotOf("cat", threeVersions)];
  assert.deepEqual(namesOf(inputOf(catalogs, [subscriptionOf("a", { startingCSV: "a.v1" })])), ["a.v1"]);
  const later = subscriptionOf("a", { startingCSV: "a.v1", installedCSV: "a.v1" });
  assert.deepEqual(namesOf(inputOf(catalogs, [later], [installedOf("a", "a.v1")])), ["a.v2"]);
});

test("an upgrade records what it replaces, and the head stays", () => {
  const catalogs = [snapshotOf("cat", threeVersions)];
  const upgrade = (name: string) =>
    resolve(inputOf(catalogs, [subscriptionOf("a", { installedCSV: name })], [installedOf("a", name)]));
  const result = upgrade("a.v2");
  if (result.type !== "solved") assert.fail(result.message);
  assert.equal(result.selections[0]?.replaces, "a.v2");
  assert.deepEqual(result.selections[0]?.subscriptions, ["sub-a"]);
  assert.deepEqual(upgrade("a.v3"), { type: "solved", selections: [] });
});

test("the candidate nearest to the head wins, and a skipped one never does", () => {
  const catalog = catalogOf({
    a: {
      stable: [
        { name: "a.v4", replaces: "a.v2", skips: ["a.v3"], skipRange: ">=1.0.0 <2.0.0" },
        { name: "a.v3", replaces: "a.v2", skipRange: "<3.0.0" },
        { name: "a.v2", replaces: "a.v1" },
        { name: "a.v1" },
      ],
    },
  });
  const upgrade = (name: string) =>
    namesOf(
      inputOf([snapshotOf("cat", catalog)], [subscriptionOf("a", { installedCSV: name })], [installedOf("a", name)]),
    );
  assert.deepEqual(upgrade("a.v1"), ["a.v4"]);
  assert.deepEqual(upgrade("a.v2"), ["a.v4"]);
  assert.deepEqual(upgrade("a.v3"), ["a.v4"]);
});

test("without a channel the default channel comes first", () => {
  const catalog = catalogOf({ a: { stable: [{ name: "a.v1" }], alpha: [{ name: "a.v2" }] } });
  assert.deepEqual(namesOf(inputOf([snapshotOf("cat", catalog)], [subscriptionOf("a")])), ["a.v1"]);
});

test("a required API comes from the catalog of the dependent first, then by priority", () => {
  const provider = (name: string) =>
    catalogOf({ [name]: { stable: [{ name: `${name}.v1`, properties: [gvk("B")] }] } });
  const own = catalogOf({ a: { stable: [{ name: "a.v1", properties: [needsGvk("B")] }] } });
  const both = catalogOf({
    a: { stable: [{ name: "a.v1", properties: [needsGvk("B")] }] },
    own: { stable: [{ name: "own.v1", properties: [gvk("B")] }] },
  });
  const others = [snapshotOf("low", provider("low")), snapshotOf("high", provider("high"), { priority: 5 })];
  assert.deepEqual(namesOf(inputOf([snapshotOf("cat", own), ...others], [subscriptionOf("a")])), ["a.v1", "high.v1"]);
  assert.deepEqual(namesOf(inputOf([snapshotOf("cat", both), ...others], [subscriptionOf("a")])), ["a.v1", "own.v1"]);
});

test("a requirement that an installed operator meets adds nothing", () => {
  const catalog = catalogOf({
    a: { stable: [{ name: "a.v1", properties: [needsGvk("B")] }] },
    b: { stable: [{ name: "b.v1", properties: [gvk("B")] }] },
  });
  const input = inputOf(
    [snapshotOf("cat", catalog)],
    [subscriptionOf("a")],
    [installedOf("other", "other.v1", [gvk("B")])],
  );
  assert.deepEqual(namesOf(input), ["a.v1"]);
});

test("a dependency without a Subscription gets one with the name of the original", () => {
  const catalog = catalogOf({
    a: { stable: [{ name: "a.v1", properties: [needsPackage("b", ">=1.0.0")] }] },
    b: { alpha: [{ name: "b.v1" }] },
  });
  const result = resolve(inputOf([snapshotOf("cat", catalog)], [subscriptionOf("a")]));
  if (result.type !== "solved") assert.fail(result.message);
  const [, dependency] = result.selections;
  assert.deepEqual(dependency?.subscriptions, []);
  assert.equal(dependency && generatedSubscriptionName(dependency), "b-alpha-cat-olm");
});

test("an absent catalog, package, channel or version has the message of the original", () => {
  const catalogs = [snapshotOf("cat", threeVersions)];
  const message = (more: Parameters<typeof subscriptionOf>[1], of = "a") =>
    messageOf(inputOf(catalogs, [subscriptionOf(of, more)]));
  const start = "constraints not satisfiable: ";
  assert.equal(
    message({ from: "x" }),
    `${start}no operators found from catalog x in namespace olm referenced by subscription sub-a, subscription sub-a exists`,
  );
  assert.equal(
    message({}, "x"),
    `${start}no operators found in package x in the catalog referenced by subscription sub-x, subscription sub-x exists`,
  );
  assert.equal(
    message({ channel: "x" }),
    `${start}no operators found in channel x of package a in the catalog referenced by subscription sub-a, subscription sub-a exists`,
  );
  assert.equal(
    message({ channel: "stable", startingCSV: "x" }),
    `${start}no operators found with name x in channel stable of package a in the catalog referenced by subscription sub-a, subscription sub-a exists`,
  );
});

test("an operator without a Subscription blocks its package, and the message says so", () => {
  const input = inputOf(
    [snapshotOf("cat", threeVersions)],
    [subscriptionOf("a", { channel: "stable" })],
    [installedOf("a", "a.v2")],
  );
  assert.equal(
    messageOf(input),
    "constraints not satisfiable: " +
      "@existing/ns//a.v2, cat/olm/stable/a.v1, cat/olm/stable/a.v2 and cat/olm/stable/a.v3 originate from package a, " +
      "clusterserviceversion a.v2 exists and is not referenced by a subscription, " +
      "subscription sub-a exists, " +
      "subscription sub-a requires at least one of cat/olm/stable/a.v3, cat/olm/stable/a.v2 or cat/olm/stable/a.v1",
  );
});

test("an unmet requirement names the bundle and what it requires", () => {
  const catalog = catalogOf({ a: { stable: [{ name: "a.v1", properties: [needsGvk("B")] }] } });
  assert.equal(
    messageOf(inputOf([snapshotOf("cat", catalog)], [subscriptionOf("a")])),
    "constraints not satisfiable: bundle a.v1 requires an operator providing an API with group: example.com, " +
      "version: v1, kind: B, subscription sub-a exists, subscription sub-a requires cat/olm/stable/a.v1",
  );
});

test("a channel with two heads names both chains", () => {
  const catalog = catalogOf({
    a: { stable: [{ name: "a.v3", replaces: "a.v1" }, { name: "a.v2" }, { name: "a.v1" }] },
  });
  assert.equal(
    messageOf(inputOf([snapshotOf("cat", catalog)], [subscriptionOf("a")])),
    "a unique replacement chain within a channel is required to determine the relative order between channel entries, " +
      'but 2 replacement chains were found in channel "stable" of package "a": a.v3...a.v1, a.v2',
  );
});

test("a catalog in an error fails the resolution, except in another namespace", () => {
  const failed = (namespace: string) =>
    ({ name: "bad", namespace, priority: 0, state: "failed", error: "no route" }) as const;
  const with_ = (namespace: string) =>
    inputOf([snapshotOf("cat", threeVersions), failed(namespace)], [subscriptionOf("a")]);
  assert.equal(messageOf(with_("ns")), "error using catalogsource ns/bad: no route");
  assert.equal(messageOf(with_("elsewhere")), "solved");
});

test("compound constraints count for one bundle, expressions see its properties", () => {
  const constraint = (value: unknown) => ({ type: "olm.constraint", value });
  const provider = {
    name: "b.v1",
    version: "1.2.0",
    properties: [gvk("B"), { type: "olm.label", value: { label: "x" } }],
  };
  const catalogs = (value: unknown) => [
    snapshotOf(
      "cat",
      catalogOf({ a: { stable: [{ name: "a.v1", properties: [constraint(value)] }] }, b: { stable: [provider] } }),
    ),
  ];
  const message = (value: unknown) => messageOf(inputOf(catalogs(value), [subscriptionOf("a")]));
  const b = { package: { packageName: "b", versionRange: "1.x" } };
  const rule =
    'properties.exists(p, p.type == "olm.package" && semver_compare(p.value.version, "1.2.0") == 0 && p.value.packageName == "b")';
  assert.equal(message({ all: { constraints: [b, { cel: { rule } }] } }), "solved");
  assert.match(
    message({ all: { constraints: [b, { package: { packageName: "c", versionRange: ">1.0.0" } }] } }),
    /with package: b and with version in range: 1\.x and with package: c and with version in range: >1\.0\.0/,
  );
  assert.match(
    message({ failureMessage: "needs z", cel: { rule: 'properties.exists(p, p.type == "z")' } }),
    /message: "needs z"/,
  );
  assert.equal(
    message({ all: { constraints: [{ surprise: 1 }] } }),
    'parse olm.constraint: json: unknown field "surprise"',
  );
  assert.equal(message({}), "convert olm.constraint to resolver predicate: constraint is empty");
});
