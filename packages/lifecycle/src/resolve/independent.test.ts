/** Tests that a Subscription or a catalog that fails leaves the others alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogOf, inputOf, installedOf, needsGvk, snapshotOf, subscriptionOf } from "../../test/catalogs.ts";
import { resolveIndependently, type IndependentResult } from "./independent.ts";

const catalog = catalogOf({
  a: { stable: [{ name: "a.v1" }, { name: "a.v2", replaces: "a.v1" }] },
  b: { stable: [{ name: "b.v1", properties: [needsGvk("Absent")] }] },
});

function namesOf({ selections }: IndependentResult): string[] {
  return selections.map(({ bundle }) => bundle.name);
}

test("a Subscription that cannot be fulfilled does not block another one", () => {
  const result = resolveIndependently(
    inputOf([snapshotOf("cat", catalog)], [subscriptionOf("b"), subscriptionOf("a")]),
  );
  assert.deepEqual(namesOf(result), ["a.v2"]);
  assert.deepEqual([...result.failures.keys()], ["sub-b"]);
  assert.match(result.failures.get("sub-b")?.message ?? "", /bundle b\.v1 requires an operator .* kind: Absent/);
  assert.doesNotMatch(result.failures.get("sub-b")?.message ?? "", /sub-a/);
});

test("a catalog that cannot be read fails only the Subscriptions that refer to it", () => {
  const broken = { name: "bad", namespace: "olm", priority: 0, state: "failed", error: "no route" } as const;
  const subscriptions = [subscriptionOf("a"), subscriptionOf("c", { from: "bad" })];
  const result = resolveIndependently(inputOf([snapshotOf("cat", catalog), broken], subscriptions));
  assert.deepEqual(namesOf(result), ["a.v2"]);
  assert.deepEqual(result.failures.get("sub-c"), {
    type: "failed",
    message: "error using catalogsource olm/bad: no route",
  });
});

test("what a failed Subscription has installed stays, and no other one removes it", () => {
  const orphan = subscriptionOf("gone", { installedCSV: "gone.v1" });
  const installed = [installedOf("gone", "gone.v1"), installedOf("a", "a.v1")];
  const subscriptions = [orphan, subscriptionOf("a", { installedCSV: "a.v1" })];
  const result = resolveIndependently(inputOf([snapshotOf("cat", catalog)], subscriptions, installed));
  assert.deepEqual(namesOf(result), ["a.v2"]);
  assert.deepEqual([...result.failures.keys()], ["sub-gone"]);
});
