import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogBundle, CatalogPackage } from "@capstan/bundle";
import { readPolicy } from "./annotations.ts";
import { type Decision, decide, heldBundles, newerBundles, type OtherCluster } from "./decide.ts";

const bundle = (version: string): CatalogBundle => {
  const of = { package: "foo", image: "", properties: [], relatedImages: [] };
  return { name: `foo.v${version}`, version, ...of };
};

function packageOf(...versions: readonly string[]): CatalogPackage {
  const bundles = new Map(versions.map((version) => [`foo.v${version}`, bundle(version)]));
  const entries = new Map([...bundles.keys()].map((name) => [name, { name, skips: [] }]));
  const channels = new Map([["stable", { name: "stable", package: "foo", entries, properties: [] }]]);
  return { name: "foo", defaultChannel: "stable", channels, bundles, properties: [] };
}

const annotationsOf = (rules: { readonly [rule: string]: string }): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(rules).map(([rule, text]) => [`lifecycle.capstan.dev/${rule}`, text]));

const subscription = (rules: { readonly [rule: string]: string }, installedCSV = "foo.v1.0.0") => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  metadata: { name: "foo", uid: "1", resourceVersion: "1", creationTimestamp: "", annotations: annotationsOf(rules) },
  spec: { name: "foo", source: "catalog", sourceNamespace: "olm", channel: "stable" },
  status: { installedCSV, lastUpdated: "" },
});

interface Moment {
  readonly now?: string;
  readonly seen?: { readonly [name: string]: string };
  readonly other?: OtherCluster;
}

const day = "2030-01-02T00:00:00Z";

function decided(
  rules: { readonly [rule: string]: string },
  versions: readonly string[],
  { now = day, seen = {}, other }: Moment = {},
): Decision {
  const object = subscription(rules);
  const policy = readPolicy(object);
  assert.ok(!("problem" in policy), "problem" in policy ? policy.problem : "");
  const candidates = newerBundles(packageOf(...versions), object);
  const firstSeen = new Map(Object.entries(seen).map(([name, time]) => [name, Date.parse(time)]));
  const facts = { policy, installed: "1.0.0", candidates, firstSeen, now: Date.parse(now) };
  return decide({ ...facts, ...(other && { other }) });
}

test("versions are approved by the part that changes; pre-releases are not", () => {
  const all = ["0.9.0", "1.0.0", "1.0.1", "1.0.2-rc.1", "1.1.0", "2.0.0"];
  const { approved, held } = decided({ "approve-versions": "patch" }, all);
  assert.deepEqual(approved, ["foo.v1.0.1"]);
  assert.deepEqual(
    held.map(({ message }) => message),
    ["foo.v2.0.0 is not a patch of 1.0.0", "foo.v1.1.0 is not a patch of 1.0.0", "foo.v1.0.2-rc.1 is a pre-release"],
  );
  assert.deepEqual(decided({ "approve-versions": "minor" }, all).approved, ["foo.v1.0.1", "foo.v1.1.0"]);
  assert.equal(decided({ "approve-versions": "any" }, all).approved.length, 4);
  assert.deepEqual(decided({ "approve-versions": "none" }, all).approved, []);
});

test("a version is approved when it has been in the catalog long enough", () => {
  const rules = { "approve-min-age": "7d" };
  const seen = { "foo.v1.0.1": "2030-01-01T00:00:00Z" };
  const early = decided(rules, ["1.0.1", "1.0.2"], { seen, now: "2030-01-07T23:59:59Z" });
  assert.deepEqual(early.approved, []);
  assert.match(early.held[1]?.message ?? "", /foo\.v1\.0\.1 has to be in the catalog until 2030-01-08T00:00:00Z/u);
  assert.equal(early.next, Date.parse("2030-01-08T00:00:00Z"));
  assert.deepEqual(decided(rules, ["1.0.1", "1.0.2"], { seen, now: "2030-01-08T00:00:00Z" }).approved, ["foo.v1.0.1"]);
});

test("outside of its window, everything waits for the next one", () => {
  const rules = { "approve-window": "Sat 02:00-06:00" };
  const closed = decided(rules, ["1.0.1"]);
  assert.deepEqual(closed.approved, []);
  assert.deepEqual(closed.held[0]?.reason, "Window");
  assert.match(closed.held[0]?.message ?? "", /which opens at 2030-01-05T02:00:00Z/u);
  const open = decided(rules, ["1.0.1"], { now: "2030-01-05T02:00:00Z" });
  assert.deepEqual([open.approved, open.next], [["foo.v1.0.1"], Date.parse("2030-01-05T06:00:00Z")]);
});

test("another cluster has to run the version, or a newer one, for long enough", () => {
  const rules = { "approve-after-cluster": "staging", "approve-after-soak": "24h" };
  const since = Date.parse("2030-01-01T12:00:00Z");
  const other = { type: "succeeded", name: "foo.v1.0.1", version: "1.0.1", since } as const;
  const early = decided(rules, ["1.0.1", "1.1.0"], { other });
  assert.deepEqual(
    early.held.map(({ message }) => message),
    [
      "foo.v1.1.0 waits for the other cluster, which runs foo.v1.0.1",
      "foo.v1.0.1 has to run on the other cluster until 2030-01-02T12:00:00Z",
    ],
  );
  assert.deepEqual(decided(rules, ["1.0.1"], { other, now: "2030-01-02T12:00:00Z" }).approved, ["foo.v1.0.1"]);
  const unknown = decided(rules, ["1.0.1"], { other: { type: "waiting", message: "it does not answer" } });
  assert.match(unknown.held[0]?.message ?? "", /it does not answer$/u);
});

test("a version that a user approves takes those on the way along, newer ones wait", () => {
  const found = packageOf("1.0.0", "1.0.1", "1.1.0", "2.0.0");
  const names = (rules: { readonly [rule: string]: string }): readonly string[] =>
    heldBundles(found, subscription(rules)).map(({ name }) => name);
  assert.deepEqual(names({ "approve-versions": "patch" }), ["foo.v1.0.1", "foo.v1.1.0", "foo.v2.0.0"]);
  assert.deepEqual(names({ "policy-approved": "foo.v1.0.1" }), ["foo.v1.1.0", "foo.v2.0.0"]);
  assert.deepEqual(names({ "approved-version": "foo.v1.1.0" }), ["foo.v2.0.0"]);
  assert.deepEqual(heldBundles(found, subscription({ "approve-versions": "none" }, "")), []);
});

test("a policy that cannot be read names its annotation", () => {
  const problem = (rules: { readonly [rule: string]: string }): string => {
    const read = readPolicy(subscription(rules));
    return "problem" in read ? read.problem : "";
  };
  assert.match(problem({ "approve-versions": "some" }), /approve-versions must be one of any, minor, patch, none/u);
  assert.match(problem({ "approve-window": "Sat" }), /approve-window must be windows such as/u);
  assert.match(problem({ "approve-min-age": "soon" }), /approve-min-age must be a duration such as 36h or 7d/u);
  assert.match(problem({ "approve-after-soak": "-1h" }), /approve-after-soak must be a duration/u);
});
