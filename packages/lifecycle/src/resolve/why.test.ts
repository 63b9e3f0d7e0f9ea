/** Tests of the explanations: chains of reasons, contradictions, remedies, and changes that were not made. */
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
import { whatif } from "./whatif.ts";
import { why } from "./why.ts";

const chain = catalogOf({
  a: { stable: [{ name: "a.v1", properties: [needsGvk("B")] }] },
  b: { stable: [{ name: "b.v1", properties: [gvk("B"), needsPackage("c", "1.x")] }] },
  c: { stable: [{ name: "c.v1" }, { name: "c.v2", replaces: "c.v1" }] },
});

test("why shows the chain from the Subscription to a dependency", () => {
  const { verdict, reasons } = why(inputOf([snapshotOf("cat", chain)], [subscriptionOf("a")]), "c.v1");
  assert.equal(verdict, "chosen");
  assert.equal(reasons.length, 4);
  assert.match(reasons[0] ?? "", /^The Subscription sub-a asks for the package a\.$/);
  assert.match(reasons[3] ?? "", /b\.v1 .* needs the package c in a version in the range 1\.x.*c\.v1/);
});

test("why names the requirements that contradict each other, and remedies that help", () => {
  const input = inputOf(
    [snapshotOf("cat", chain)],
    [subscriptionOf("a"), subscriptionOf("c", { channel: "stable" })],
    [installedOf("c", "c.v2")],
  );
  const { verdict, reasons, remedies } = why(input, "a.v1");
  assert.equal(verdict, "impossible");
  assert.ok(
    reasons.includes("c.v2 is installed, and no Subscription refers to it, so it has to stay as it is."),
    reasons.join("\n"),
  );
  assert.deepEqual(remedies, ["Delete the ClusterServiceVersion c.v2, which no Subscription owns."]);
  const single = why({ ...input, subscriptions: [subscriptionOf("c")] }, "sub-c");
  assert.deepEqual(single.remedies, [
    "Delete the ClusterServiceVersion c.v2, which no Subscription owns.",
    "Delete the Subscription sub-c.",
  ]);
});

test("why tells apart what nothing asks for and what cannot be", () => {
  const input = inputOf([snapshotOf("cat", chain)], [subscriptionOf("a"), subscriptionOf("c")]);
  assert.equal(why(input, "c.v1").verdict, "chosen");
  assert.equal(why(input, "c.v2").verdict, "impossible");
  const free = inputOf([snapshotOf("cat", chain)], [subscriptionOf("c")]);
  assert.equal(why(free, "c.v1").verdict, "possible");
  assert.equal(why(free, "unheard-of").verdict, "unknown");
});

test("whatif tells what a Subscription would install", () => {
  const input = inputOf([snapshotOf("cat", chain)], [subscriptionOf("c")]);
  const { added, dropped } = whatif(input, { type: "add-subscription", subscription: subscriptionOf("a") });
  assert.deepEqual(added.map(({ bundle }) => bundle.name).toSorted(), ["a.v1", "b.v1", "c.v1"]);
  assert.deepEqual(
    dropped.map(({ bundle }) => bundle.name),
    ["c.v2"],
  );
});

test("whatif tells that the removal of a catalog breaks the resolution", () => {
  const input = inputOf([snapshotOf("cat", chain)], [subscriptionOf("a")]);
  const { summary } = whatif(input, { type: "remove-catalog", catalog: { name: "cat", namespace: "olm" } });
  assert.match(summary[0] ?? "", /^The change breaks the resolution/);
  assert.match(summary.at(-1) ?? "", /The Subscription sub-a refers to the catalog/);
});

const metadata = (minKubeVersion: string, modes: readonly string[]) => ({
  type: "olm.csv.metadata",
  value: { minKubeVersion, installModes: modes.map((type) => ({ type, supported: true })) },
});

test("with facts about the cluster, a bundle that cannot run there is no candidate", () => {
  const catalog = catalogOf({
    a: {
      stable: [
        { name: "a.v2", replaces: "a.v1", properties: [metadata("1.37.0", ["AllNamespaces"])] },
        { name: "a.v1", properties: [metadata("1.20.0", ["OwnNamespace"])] },
      ],
    },
  });
  const cluster = { kubernetesVersion: "v1.36.1+k3s1", targetNamespaces: ["ns"] };
  const input = { ...inputOf([snapshotOf("cat", catalog)], [subscriptionOf("a")]), cluster };
  const upgrade = whatif(input, { type: "upgrade-kubernetes", version: "1.37.0" });
  assert.equal(upgrade.before.type === "solved" && upgrade.before.selections[0]?.bundle.name, "a.v1");
  assert.equal(upgrade.added.length, 0);
  const all = { ...input, cluster: { ...cluster, targetNamespaces: [""] } };
  const after = whatif(all, { type: "upgrade-kubernetes", version: "1.37.0" });
  assert.equal(after.before.type, "unsatisfiable");
  assert.deepEqual(
    after.added.map(({ bundle }) => bundle.name),
    ["a.v2"],
  );
  const { reasons } = why(all, "a.v2");
  assert.ok(
    reasons.some((one) => one.includes("needs Kubernetes 1.37.0 or newer, and the cluster has v1.36.1+k3s1")),
    reasons.join("\n"),
  );
});
