/** Tests of the checks that protect stored objects and clients from a new version of a CRD. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomResourceDefinition, JSONSchemaProps } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { checkCrdUpgrade, formatCrdFinding, formatCrdFindings } from "./crd-upgrade.ts";

type Properties = Readonly<Record<string, JSONSchemaProps>>;
type Version = CustomResourceDefinition["spec"]["versions"][number];

function version(name: string, properties: Properties, more: Partial<JSONSchemaProps> = {}): Version {
  const openAPIV3Schema = { type: "object", properties, ...more };
  return { name, served: true, storage: false, schema: { openAPIV3Schema } };
}

function crd(versions: readonly Version[], storedVersions: readonly string[] = ["v1"]): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "as.example.com" },
    spec: { group: "example.com", names: { kind: "A", plural: "as" }, scope: "Namespaced", versions },
    status: { storedVersions },
  } as CustomResourceDefinition;
}

function findings(old: CustomResourceDefinition, next: CustomResourceDefinition): string[] {
  return checkCrdUpgrade(old, next).map(formatCrdFinding);
}

/** The findings for one field of one version. */
function field(old: JSONSchemaProps, next: JSONSchemaProps): string[] {
  return findings(crd([version("v1", { f: old })]), crd([version("v1", { f: next })]));
}

test("new optional fields, descriptions, more enum values and wider bounds are safe", () => {
  const old = { type: "string", description: "a", enum: ["a"], maxLength: 3, minLength: 2 } as const;
  const next = { type: "string", description: "b", enum: ["a", "b"], maxLength: 4, minLength: 1 } as const;
  assert.deepEqual(field(old, next), []);
  assert.deepEqual(findings(crd([version("v1", {})]), crd([version("v1", { added: { type: "string" } })])), []);
});

test("each unsafe change of a field has the message of the original", () => {
  const one = (old: JSONSchemaProps, next: JSONSchemaProps): string | undefined => field(old, next)[0];
  assert.equal(one({ type: "string" }, { type: "integer" }), 'v1: ^.f: type: type changed : "string" -> "integer"');
  assert.equal(
    one({}, { enum: ["b", "a"] }),
    'v1: ^.f: enum: enum constraint added when there was none previously : ["a" "b"]',
  );
  assert.equal(one({ enum: ["a", "b"] }, { enum: ["a"] }), 'v1: ^.f: enum: allowed enum values removed : ["b"]');
  assert.equal(one({ default: 1 }, { default: 2 }), 'v1: ^.f: default: default value changed : "1" -> "2"');
  assert.equal(one({ default: "x" }, {}), 'v1: ^.f: default: default value removed : "\\"x\\""');
  assert.equal(one({ maximum: 5 }, { maximum: 4 }), "v1: ^.f: maximum: maximum decreased : 5 -> 4");
  assert.equal(
    one({}, { minItems: 1 }),
    "v1: ^.f: minItems: minimum constraint added when there was none previously : 1",
  );
  assert.equal(one({}, { required: ["b", "a"] }), "v1: ^.f: required: new required fields: [a b]");
  assert.equal(one({}, { pattern: "a" }), 'v1: ^.f: pattern: pattern added : "" -> "a"');
  assert.equal(one({ nullable: true }, {}), "v1: ^.f: nullable: nullable removed : true -> false");
  assert.equal(
    one({ format: "int32" }, { format: "int64" }),
    'v1: ^.f: unhandled: unhandled changes found (Format "int32" -> "int64")',
  );
});

test("removed fields, removed stored versions and another scope are findings", () => {
  const old = crd([version("v1", { f: { type: "string" } }), version("v2", {})], ["v1", "v2"]);
  const next = crd([version("v1", {})]);
  const changed = { ...next, spec: { ...next.spec, scope: "Cluster" as const } };
  const found = findings(old, changed);
  assert.ok(found.includes("existingFieldRemoval: removed field : v1.^.f"), found.join("\n"));
  assert.ok(found.includes("storedVersionRemoval: stored versions removed : [v2]"));
  assert.ok(found.includes('scope: scope changed : "Namespaced" -> "Cluster"'));
  assert.match(
    formatCrdFindings("as.example.com", checkCrdUpgrade(old, changed)),
    /^validating upgrade for CRD "as.example.com": /,
  );
});

test("served versions have to fit each other, unless a webhook converts them", () => {
  const strict = version("v1", { f: { type: "string" } });
  const alpha = version("v1alpha1", { f: { type: "integer" } });
  const [bad, good] = [crd([alpha, strict]), crd([strict])];
  assert.deepEqual(findings(good, bad), ['v1alpha1 -> v1: ^.f: type: type changed : "integer" -> "string"']);
  assert.deepEqual(findings(bad, bad), []);
  const converted = { ...bad, spec: { ...bad.spec, conversion: { strategy: "Webhook" } } };
  assert.deepEqual(findings(good, converted), []);
});
