import assert from "node:assert/strict";
import { test } from "node:test";
import { duplicateModes, unsupportedTargets } from "./install-modes.ts";

const modes = (...supported: readonly string[]) =>
  ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
    type,
    supported: supported.includes(type),
  }));

test("each set of target namespaces needs its own install mode", () => {
  const cases: readonly (readonly [readonly string[], readonly string[], string | undefined])[] = [
    [["OwnNamespace"], ["home"], undefined],
    [["SingleNamespace"], ["other"], undefined],
    [["AllNamespaces"], [""], undefined],
    [["MultiNamespace"], ["a", "b"], undefined],
    [[], ["home"], "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace"],
    [[], ["other"], "SingleNamespace InstallModeType not supported, cannot configure to watch one namespace"],
    [[], [""], "AllNamespaces InstallModeType not supported, cannot configure to watch all namespaces"],
    [[], ["a", "b"], "MultiNamespace InstallModeType not supported, cannot configure to watch 2 namespaces"],
    [
      ["MultiNamespace"],
      ["a", "home"],
      "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace",
    ],
  ];
  for (const [supported, targets, message] of cases) {
    assert.equal(unsupportedTargets(modes(...supported), { namespace: "home", targets }), message);
  }
});

test("a mode that occurs twice is reported", () => {
  assert.equal(duplicateModes(modes()), undefined);
  const twice = [...modes(), { type: "OwnNamespace", supported: true }];
  assert.match(duplicateModes(twice) ?? "", /^InstallMode list contains duplicates/u);
});
