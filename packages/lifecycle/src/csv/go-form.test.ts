/** Values in the form in which Go writes them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toGoForm } from "./go-form.ts";

const form = (spec: object): string => JSON.stringify(toGoForm(spec, "DeploymentSpec"));

test("structs are always written, and pointers without a value are null", () => {
  assert.equal(
    form({ template: { spec: { containers: [{ name: "a" }] } } }),
    '{"selector":null,"template":{"metadata":{},"spec":{"containers":[{"name":"a","resources":{}}]}},"strategy":{}}',
  );
});

test("fields have the order of the type, and maps that of their keys", () => {
  const labels = { b: "2", a: "1" };
  assert.equal(
    form({ paused: false, template: { metadata: { labels } }, selector: { matchLabels: labels }, replicas: 0 }),
    '{"replicas":0,"selector":{"matchLabels":{"a":"1","b":"2"}},"template":{"metadata":{"labels":{"a":"1","b":"2"}},"spec":{"containers":null}},"strategy":{}}',
  );
});

test("quantities are written in their canonical form, and unknown fields are left out", () => {
  const container = { name: "a", more: 1, resources: { limits: { memory: "1024Mi", cpu: "0.5" } } };
  assert.match(form({ template: { spec: { containers: [container] } } }), /"limits":\{"cpu":"500m","memory":"1Gi"\}/u);
  assert.doesNotMatch(form({ template: { spec: { containers: [container] } } }), /more/u);
});
