/** Tests of what the resolver reads from installed operators. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toInstalledOperators, type ExistingCsv } from "./installed.ts";

const plain: ExistingCsv = { name: "a.v1", version: "1.0.0", isCopied: false, owned: [], required: [] };
const options = { subscriptions: [], failForward: false };

test("the annotation of properties counts, and copies do not", () => {
  const properties = JSON.stringify({
    properties: [{ type: "olm.package", value: { packageName: "a", version: "1.0.0" } }],
  });
  const read = toInstalledOperators(
    [
      { ...plain, properties },
      { ...plain, isCopied: true },
    ],
    options,
  );
  assert.deepEqual(read, [
    {
      name: "a.v1",
      version: "1.0.0",
      properties: [{ type: "olm.package", value: { packageName: "a", version: "1.0.0" } }],
    },
  ]);
});

test("without the annotation, the spec and the Subscription tell the properties", () => {
  const owned = [{ name: "bs.example.com", version: "v1", kind: "B" }];
  const subscriptions = [{ name: "s", package: "a", catalog: { name: "c", namespace: "olm" }, installedCSV: "a.v1" }];
  const [read] = toInstalledOperators([{ ...plain, owned }], { subscriptions, failForward: false });
  assert.deepEqual(read?.properties, [
    { type: "olm.gvk", value: { group: "example.com", version: "v1", kind: "B" } },
    { type: "olm.package", value: { packageName: "a", version: "1.0.0" } },
  ]);
});

test("fail-forward leaves out what a failed operator replaces", () => {
  const chain: ExistingCsv[] = [
    { ...plain, phase: "Replacing" },
    { ...plain, name: "a.v2", replaces: "a.v1", phase: "Failed" },
  ];
  assert.deepEqual(
    toInstalledOperators(chain, options).map(({ name }) => name),
    ["a.v1", "a.v2"],
  );
  assert.deepEqual(
    toInstalledOperators(chain, { ...options, failForward: true }).map(({ name }) => name),
    ["a.v2"],
  );
});

test("an unreadable annotation is an error that names the operator", () => {
  assert.throws(() => toInstalledOperators([{ ...plain, properties: "{" }], options), /properties of csv "a.v1"/);
});
