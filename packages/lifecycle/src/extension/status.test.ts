/** Tests of the conditions of ClusterExtensions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogOf } from "../../test/catalogs.ts";
import { aboutBundle, afterFailedResolution, deprecations, installed, progressing } from "./status.ts";

const request = { package: "a" };

test("Progressing tells a retry from a state that only a change of the spec ends", () => {
  assert.deepEqual(progressing({ type: "reached" }), {
    type: "Progressing",
    status: "True",
    reason: "Succeeded",
    message: "Desired state reached",
  });
  assert.equal(progressing({ type: "retrying", message: "no" }).status, "True");
  assert.equal(progressing({ type: "blocked", message: "no" }).reason, "Blocked");
  assert.equal(progressing({ type: "blocked", message: "no", reason: "InvalidConfiguration" }).status, "False");
});

test("a first roll-out is Absent, an error before it is Failed", () => {
  assert.equal(installed({ type: "absent", isRollingOut: true }).reason, "Absent");
  assert.equal(installed({ type: "absent", isRollingOut: false }).reason, "Failed");
  assert.equal(installed({ type: "installed", image: "x/y:1" }).message, "Installed bundle x/y:1 successfully");
  assert.equal(installed({ type: "unknown", message: "gone" }).status, "Unknown");
});

test("the deprecation of the installed bundle counts, and that of selectable channels", () => {
  const catalog = catalogOf({ a: { stable: [{ name: "a.v1" }], old: [{ name: "a.v1" }] } });
  const plain = catalog.packages.get("a");
  if (plain === undefined) assert.fail("no package");
  const old = plain.channels.get("old");
  const bundle = plain.bundles.get("a.v1");
  if (old === undefined || bundle === undefined) assert.fail("no channel");
  const from = {
    ...plain,
    channels: new Map([...plain.channels, ["old", { ...old, deprecation: "use stable" }]]),
    bundles: new Map([["a.v1", { ...bundle, deprecation: "use v2" }]]),
  };
  const reasons = (question: Parameters<typeof deprecations>[0]) => deprecations(question).map(({ reason }) => reason);
  assert.deepEqual(reasons({ request, from }), ["Deprecated", "NotDeprecated", "Deprecated", "Absent"]);
  const stable = { ...request, channels: ["stable"] };
  assert.deepEqual(reasons({ request: stable, from }), ["NotDeprecated", "NotDeprecated", "NotDeprecated", "Absent"]);
  assert.deepEqual(reasons({ request: stable, from, installed: "a.v1" }), [
    "Deprecated",
    "NotDeprecated",
    "NotDeprecated",
    "Deprecated",
  ]);
  assert.equal(deprecations({ request, from, installed: "a.v1" })[0]?.message, "use stable\nuse v2");
  const unknown = "DeprecationStatusUnknown";
  assert.deepEqual(reasons({ request }), [unknown, unknown, unknown, "Absent"]);
});

test("without catalogs the installed bundle is kept, unless another version is pinned", () => {
  const current = { name: "a.v1", version: "1.0.0" };
  const failure = { request, installed: current, catalogsExist: false, message: "none" };
  assert.equal(afterFailedResolution(failure).type, "keep");
  assert.equal(afterFailedResolution({ ...failure, catalogsExist: true }).type, "retrying");
  assert.equal(afterFailedResolution({ ...failure, request: { ...request, version: "2.0.0" } }).type, "retrying");
  assert.equal(afterFailedResolution({ request, catalogsExist: false, message: "none" }).type, "retrying");
});

test("errors name the bundle, and long messages are cut at whole characters", () => {
  assert.equal(
    aboutBundle({ name: "a.v1", version: "1.0.0" }, "no"),
    'error for resolved bundle "a.v1" with version "1.0.0": no',
  );
  const { message } = progressing({ type: "retrying", message: "é".repeat(20_000) });
  assert.match(message, /^é+\n\n\.\.\. \[message truncated\]$/);
});
