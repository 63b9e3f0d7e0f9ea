import assert from "node:assert/strict";
import { test } from "node:test";
import type { Style } from "../output/style.ts";
import { conditionsText, toRow } from "./objects.ts";

const mark =
  (name: string) =>
  (text: string): string =>
    `<${name}>${text}</${name}>`;
const style: Style = {
  bold: mark("bold"),
  dim: mark("dim"),
  red: mark("red"),
  green: mark("green"),
  yellow: mark("yellow"),
  cyan: mark("cyan"),
};

const names = {
  group: "example.com",
  version: "v1",
  kind: "Website",
  plural: "websites",
  scope: "Namespaced",
} as const;

function shown(...conditions: readonly { type: string; status: string; message?: string }[]): string {
  const object = {
    apiVersion: "example.com/v1",
    kind: "Website",
    metadata: { name: "blog", uid: "1", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
    status: { conditions },
  };
  return conditionsText(toRow(names, object), style);
}

test("conditions that name a problem are red when True and green when False", () => {
  assert.equal(shown({ type: "Stalled", status: "True", message: "bad value" }), "<red>Stalled=True</red> (bad value)");
  assert.equal(shown({ type: "Stalled", status: "False", message: "fine" }), "<green>Stalled=False</green>");
  assert.equal(shown({ type: "BackupFailed", status: "True" }), "<red>BackupFailed=True</red>");
  assert.equal(shown({ type: "DiskPressure", status: "False" }), "<green>DiskPressure=False</green>");
});

test("conditions that name a good state are green when True and red when False", () => {
  assert.equal(
    shown(
      { type: "Ready", status: "True", message: "3 of 3" },
      { type: "Available", status: "False", message: "1 of 3" },
    ),
    "<green>Ready=True</green> <red>Available=False</red> (1 of 3)",
  );
});

test("conditions of work under way and unknown ones are yellow", () => {
  assert.equal(shown({ type: "Progressing", status: "True" }), "<yellow>Progressing=True</yellow>");
  assert.equal(shown({ type: "Ready", status: "Unknown" }), "<yellow>Ready=Unknown</yellow>");
});
