import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInDefinitions, definitionNameOf, definitionOf } from "./definitions.ts";
import { builtInGroupVersions } from "./discovery.ts";
import { protobufMessage, protobufMessageOf } from "./protobuf.ts";

const resources = builtInGroupVersions().flatMap(({ group, version, resources: served }) =>
  served.map((resource) => ({ group, version, ...resource })),
);

test("the core group comes first, and the preferred version before others", () => {
  const order = builtInGroupVersions().map(({ group, version }) => `${group}/${version}`);
  assert.equal(order[0], "/v1");
  assert.ok(order.indexOf("autoscaling/v2") < order.indexOf("autoscaling/v1"));
});

test("every resource has a definition and a protobuf message", () => {
  assert.ok(resources.length > 60);
  for (const { group, version, kind } of resources) {
    assert.ok(definitionOf({ group, version, kind })?.properties, `${group}/${version} ${kind} has no definition`);
    const message = protobufMessageOf({ group, version, kind });
    assert.ok(message !== undefined, `${group}/${version} ${kind} has no message`);
  }
});

test("every referenced definition and message exists", () => {
  const definitions = builtInDefinitions();
  for (const [, name] of JSON.stringify(definitions).matchAll(/"\$ref":"([^"#]+)"/g)) {
    assert.ok(name !== undefined && Object.hasOwn(definitions, name), `${name} is missing`);
  }
  const scalars = new Set(["string", "bytes", "bool", "int32", "int64", "double"]);
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name) || scalars.has(name)) return;
    seen.add(name);
    const fields = protobufMessage(name);
    assert.ok(fields !== undefined, `${name} is missing`);
    for (const [, , type] of fields) visit(type);
  };
  for (const kind of resources) visit(protobufMessageOf(kind) ?? "");
  assert.ok(seen.size > 300);
});

test("every resource that can be listed has columns, others have none", () => {
  for (const { name, verbs, columns = [] } of resources) {
    assert.equal(columns.length > 0, verbs.includes("list"), name);
  }
});

test("a subresource has the group of its kind if it differs", () => {
  const deployments = resources.find(({ name }) => name === "deployments");
  const scale = deployments?.subresources?.find(({ name }) => name === "scale");
  assert.deepEqual([scale?.group, scale?.version, scale?.kind], ["autoscaling", "v1", "Scale"]);
});

test("kinds that belong to every group are found in each", () => {
  assert.equal(
    protobufMessageOf({ group: "apps", version: "v1", kind: "DeleteOptions" }),
    "k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions",
  );
  assert.equal(protobufMessageOf({ group: "example.com", version: "v1", kind: "Widget" }), undefined);
  assert.equal(definitionNameOf({ group: "", version: "v1", kind: "Pod" }), "io.k8s.api.core.v1.Pod");
});
