import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CustomResourceDefinition } from "./crd.ts";
import { DefinitionError } from "./errors.ts";
import { defineResource } from "./resource.ts";
import { s } from "./s.ts";

const Memcached = defineResource({
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  spec: s.object({
    size: s.int32().min(0).default(1).describe("How many servers to run"),
    image: s.string().default("memcached:1.6"),
  }),
  status: s.object({ nodes: s.array(s.string()).default([]) }),
  conditions: { Available: "As many servers answer as were asked for" },
  columns: { Size: "spec.size", Available: "condition:Available", Image: { path: "spec.image", wide: true } },
  rules: [s.rule("self.size <= 100", "at most 100 servers")],
});

test("a resource is a kind", () => {
  const { group, version, kind, plural, scope } = Memcached;
  assert.deepEqual(
    { group, version, kind, plural, scope },
    { group: "cache.example.com", version: "v1alpha1", kind: "Memcached", plural: "memcacheds", scope: "Namespaced" },
  );
  assert.ok(Object.isFrozen(Memcached));
});

test("its CRD has the names, the schema, the rules, the columns and the status", () => {
  const crd = Memcached.toCrd();
  const [version] = crd.spec.versions;
  assert.equal(crd.metadata.name, "memcacheds.cache.example.com");
  assert.deepEqual(version?.subresources, { status: {} });
  assert.deepEqual(version?.schema.openAPIV3Schema.properties?.["spec"], {
    type: "object",
    default: { size: 1, image: "memcached:1.6" },
    properties: {
      size: { type: "integer", format: "int32", minimum: 0, default: 1, description: "How many servers to run" },
      image: { type: "string", default: "memcached:1.6" },
    },
    "x-kubernetes-validations": [{ rule: "self.size <= 100", message: "at most 100 servers" }],
  });
  assert.deepEqual(version?.additionalPrinterColumns, [
    { name: "Size", type: "integer", jsonPath: ".spec.size" },
    { name: "Available", type: "string", jsonPath: '.status.conditions[?(@.type=="Available")].status' },
    { name: "Image", type: "string", jsonPath: ".spec.image", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ]);
  assert.deepEqual(Object.keys(version?.schema.openAPIV3Schema.properties?.["status"]?.properties ?? {}), [
    "nodes",
    "observedGeneration",
    "conditions",
  ]);
});

test("a declared default is completed with the defaults below it", () => {
  const nested = s.object({
    pool: s
      .object({ size: s.int32().default(2), names: s.array(s.object({ a: s.string().default("x") })).default([{}]) })
      .default({}),
  });
  const Pool = defineResource({ group: "example.com", version: "v1", kind: "Pool", spec: nested });
  const spec = Pool.toCrd().spec.versions[0]?.schema.openAPIV3Schema.properties?.["spec"];
  assert.deepEqual(spec?.default, { pool: { size: 2, names: [{ a: "x" }] } });
  assert.deepEqual(spec?.properties?.["pool"]?.default, { size: 2, names: [{ a: "x" }] });
});

test("a spec with a required field must be given", () => {
  const Widget = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Widget",
    spec: s.object({ name: s.string(), note: s.string().optional() }),
  });
  const schema = Widget.toCrd().spec.versions[0]?.schema.openAPIV3Schema;
  assert.deepEqual(schema?.required, ["spec"]);
  assert.deepEqual(schema?.properties?.["spec"]?.required, ["name"]);
  assert.equal(schema?.properties?.["spec"]?.default, undefined);
});

test("each version is a kind, and the stored one is the default", () => {
  const Widget = defineResource({
    group: "example.com",
    kind: "Widget",
    versions: {
      v1: { spec: s.object({ size: s.int32() }) },
      v2: { spec: s.object({ replicas: s.int32() }), storage: true },
    },
    convert: { "v1->v2": ({ size }) => ({ replicas: size }), "v2->v1": ({ replicas }) => ({ size: replicas }) },
  });
  assert.equal(Widget.version, "v2");
  assert.equal(Widget.as.v1.version, "v1");
  assert.deepEqual(Widget.conversions["v1->v2"]?.({ size: 3 }), { replicas: 3 });
  assert.deepEqual(
    Widget.toCrd().spec.versions.map(({ name, storage }) => [name, storage]),
    [
      ["v1", false],
      ["v2", true],
    ],
  );
});

test("exactly one of several fields becomes a rule", () => {
  const { json } = s.oneOf({ s3: s.object({ bucket: s.string() }), volume: s.object({ claim: s.string() }) });
  assert.deepEqual(json["x-kubernetes-validations"], [
    {
      rule: "[has(self.s3), has(self.volume)].exists_one(given, given)",
      message: "exactly one of s3, volume must be given",
    },
  ]);
});

test("at most and at least one of several fields become CEL rules", () => {
  const Target = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Target",
    spec: s
      .object({ s3: s.string().optional(), volume: s.string().optional(), tape: s.string().optional() })
      .rules(s.atMostOneOf("s3", "volume"), s.atLeastOneOf("s3", "volume", "tape")),
    specRequired: true,
  });
  const problems = (spec: object): string[] =>
    Target.validate({ apiVersion: "example.com/v1", kind: "Target", metadata: { name: "a" }, spec }).map((problem) =>
      JSON.stringify(problem),
    );
  assert.deepEqual(problems({ tape: "a" }), []);
  assert.deepEqual(problems({ s3: "a", tape: "b" }), []);
  assert.match(problems({ s3: "a", volume: "b" }).join(), /at most one of s3, volume may be given/);
  assert.match(problems({}).join(), /at least one of s3, volume, tape must be given/);
});

const broken: readonly { name: string; define: () => unknown; code: string; field: string }[] = [
  {
    name: "a group without a dot",
    code: "BadName",
    field: "group",
    define: () => defineResource({ group: "example", version: "v1", kind: "A", spec: s.object({}) }),
  },
  {
    name: "a kind in lower case",
    code: "BadName",
    field: "kind",
    define: () => defineResource({ group: "a.b", version: "v1", kind: "a", spec: s.object({}) }),
  },
  {
    name: "a version with a dot",
    code: "BadName",
    field: "version",
    define: () => defineResource({ group: "a.b", version: "1.0", kind: "A", spec: s.object({}) }),
  },
  {
    name: "bounds that exclude everything",
    code: "BadBounds",
    field: "spec.size",
    define: () =>
      defineResource({ group: "a.b", version: "v1", kind: "A", spec: s.object({ size: s.int32().min(3).max(2) }) }),
  },
  ...impossible(),
  {
    name: "a pattern with look-ahead",
    code: "BadPattern",
    field: "spec.name",
    define: () =>
      defineResource({
        group: "a.b",
        version: "v1",
        kind: "A",
        spec: s.object({ name: s.string().pattern("(?=a)b") }),
      }),
  },
  {
    name: "a pattern with a flag that RE2 does not have",
    code: "BadPattern",
    field: "spec.name",
    define: () =>
      defineResource({ group: "a.b", version: "v1", kind: "A", spec: s.object({ name: s.string().pattern(/^a$/iy) }) }),
  },
  {
    name: "a condition that is no word",
    code: "BadName",
    field: "conditions",
    define: () =>
      defineResource({
        group: "a.b",
        version: "v1",
        kind: "A",
        spec: s.object({}),
        conditions: { "bad name!": "it is" },
      }),
  },
  {
    name: "conditions that are declared and described by hand as well",
    code: "BadName",
    field: "status.conditions",
    define: () =>
      defineResource({
        group: "a.b",
        version: "v1",
        kind: "A",
        spec: s.object({}),
        status: s.object({ conditions: s.array(s.string()) }),
        conditions: { Ready: "it is" },
      }),
  },
  {
    name: "a list key that may be missing",
    code: "BadListKey",
    field: "spec.ports",
    define: () =>
      defineResource({
        group: "a.b",
        version: "v1",
        kind: "A",
        spec: s.object({ ports: s.array(s.object({ name: s.string().optional() })).map("name") }),
      }),
  },
  {
    name: "a rule that names no field",
    code: "BadRule",
    field: "spec rule 1",
    define: () =>
      defineResource({
        group: "a.b",
        version: "v1",
        kind: "A",
        spec: s.object({ size: s.int32().default(1) }),
        rules: [s.rule("self.sise > 1", "no")],
      }),
  },
  {
    name: "a rule that costs too much",
    code: "BadRule",
    field: "spec.names rule 1",
    define: () =>
      defineResource({
        group: "a.b",
        version: "v1",
        kind: "A",
        spec: s.object({ names: s.array(s.string()).rules(s.rule("self.all(a, self.all(b, a != b))", "no")) }),
      }),
  },
  {
    name: "a default that breaks a rule",
    code: "BadDefault",
    field: "spec.size",
    define: () =>
      defineResource({ group: "a.b", version: "v1", kind: "A", spec: s.object({ size: s.int32().min(3).default(1) }) }),
  },
  {
    name: "a set of objects",
    code: "NotExpressible",
    field: "spec.items",
    define: () =>
      defineResource({
        group: "a.b",
        version: "v1",
        kind: "A",
        spec: s.object({ items: s.array(s.object({ a: s.string() })).set() }),
      }),
  },
];

for (const { name, define, code, field } of broken) {
  test(`${name} is an error that names the field`, () => {
    assert.throws(define, (error) => {
      assert.ok(error instanceof DefinitionError && error.code === code && error.field === field);
      const [, place = ""] = error.stack?.split("\n    at ") ?? [];
      assert.match(place, /\/resource\.test\.ts:\d+:\d+\)?$/u, "it is told where it was defined");
      return true;
    });
  });
}

describe("validation where objects are written", () => {
  const Disk = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Disk",
    spec: s.object({
      size: s.int32().min(1).default(4),
      zone: s.string().immutable().optional(),
      tier: s.enum("fast", "cheap").default("cheap"),
    }),
    rules: [s.rule("self.tier != 'fast' || self.size <= 100", "fast disks are small")],
  });
  const disk = (spec: object, more: object = {}): object => ({
    apiVersion: "example.com/v1",
    kind: "Disk",
    metadata: { name: "d" },
    spec,
    ...more,
  });
  const fieldsOf = (object: object, old?: object): readonly (string | undefined)[] =>
    Disk.validate(object, old).map(({ field }) => field);

  test("an object that the server would accept is valid without its defaults", () => {
    assert.deepEqual(Disk.validate(disk({})), []);
  });

  test("types, bounds, values, names, versions and rules are checked", () => {
    assert.deepEqual(fieldsOf(disk({ size: 0 })), ["spec.size"]);
    assert.ok(fieldsOf(disk({ size: "big" })).includes("spec.size"));
    assert.ok(fieldsOf(disk({ tier: "slow" })).includes("spec.tier"));
    assert.deepEqual(fieldsOf(disk({}, { metadata: { name: "Not A Name" } })), ["metadata.name"]);
    assert.deepEqual(fieldsOf(disk({}, { apiVersion: "example.com/v9" })), ["apiVersion"]);
    assert.match(Disk.validate(disk({ size: 200, tier: "fast" }))[0]?.body ?? "", /fast disks are small/u);
  });

  test("changes are checked against the old object", () => {
    const metadata = { name: "d", uid: "u", resourceVersion: "1" };
    const old = disk({ zone: "a" }, { metadata });
    assert.deepEqual(fieldsOf(disk({ zone: "b" }, { metadata }), old), ["spec.zone"]);
    assert.deepEqual(fieldsOf(disk({ zone: "a", size: 9 }, { metadata }), old), []);
  });
});

test("a new object may leave its name to the server, an existing one may not", () => {
  const Thing = defineResource({ group: "example.com", version: "v1", kind: "Thing", spec: s.object({}) });
  const named = (metadata: object) => ({ apiVersion: "example.com/v1", kind: "Thing", metadata, spec: {} });
  const fields = (metadata: object): string[] => Thing.validate(named(metadata)).map(({ field }) => field ?? "");
  assert.deepEqual(fields({ generateName: "thing-" }), []);
  assert.deepEqual(fields({ generateName: `${"a".repeat(80)}-` }), []);
  assert.deepEqual(fields({ generateName: "No!" }), ["metadata.generateName", "metadata.name"]);
  assert.deepEqual(fields({}), ["metadata.name"]);
  const stored = named({ name: "thing-abcde", resourceVersion: "1" });
  const update = Thing.validate(named({ generateName: "thing-", resourceVersion: "1" }), stored);
  assert.deepEqual(
    update.map(({ field }) => field),
    ["metadata.name"],
  );
});

describe("features of imported CRDs", () => {
  const names = { group: "example.com", version: "v1", kind: "Thing" } as const;
  const rootOf = (resource: { readonly toCrd: () => CustomResourceDefinition }) =>
    resource.toCrd().spec.versions[0]?.schema.openAPIV3Schema ?? assert.fail();

  test("a spec may be optional with required fields, or required without any", () => {
    const size = s.object({ size: s.int32() });
    const optional = defineResource({ ...names, spec: size.optional() });
    assert.deepEqual(
      [rootOf(optional).required, rootOf(optional).properties?.["spec"]?.default],
      [undefined, undefined],
    );
    const object = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a", namespace: "b" } };
    assert.deepEqual(optional.validate(object), []);
    assert.equal(optional.validate({ ...object, spec: {} }).length, 1, "a spec that is there must be whole");

    const required = defineResource({ ...names, spec: s.object({ size: s.int32().default(1) }), specRequired: true });
    assert.deepEqual(
      [rootOf(required).required, rootOf(required).properties?.["spec"]?.default],
      [["spec"], undefined],
    );
    assert.equal(required.validate(object).length, 1);
    assert.deepEqual(required.validate({ ...object, spec: {} }), []);
  });

  test("a status can have required fields", () => {
    const status = s.object({ phase: s.string(), note: s.string() });
    const resource = defineResource({ ...names, spec: s.object({}), status, statusRequired: ["phase"] });
    assert.deepEqual(rootOf(resource).properties?.["status"]?.required, ["phase"]);
  });

  test("a column can use any JSONPath that the server supports", () => {
    const jsonPath = '.status.addresses[?(@.type=="External")].value';
    const resource = defineResource({
      ...names,
      spec: s.object({}),
      columns: { Address: { jsonPath, type: "string", wide: true } },
    });
    assert.deepEqual(resource.toCrd().spec.versions[0]?.additionalPrinterColumns?.[0], {
      name: "Address",
      type: "string",
      jsonPath,
      priority: 1,
    });
    const withPath = (bad: string) => () =>
      defineResource({ ...names, spec: s.object({}), columns: { X: { jsonPath: bad, type: "string" } } });
    assert.throws(withPath("status.x"), {
      code: "BadColumn",
      message: /a JSONPath begins with a dot; write "\.status\.x"/u,
    });
    assert.throws(withPath(".status[?("), { code: "BadColumn", message: /is no JSONPath/u });
  });

  test("the flags of a pattern become part of the pattern, as in RE2", () => {
    const patternOf = (pattern: RegExp): string | undefined => {
      const { versions } = defineResource({ ...names, spec: s.object({ name: s.string().pattern(pattern) }) });
      return versions["v1"]?.schema.properties?.["spec"]?.properties?.["name"]?.pattern;
    };
    assert.deepEqual([/^a.b$/isu, /^a$/m, /^a$/u].map(patternOf), ["(?is)^a.b$", "(?m)^a$", "^a$"]);
    const loud = defineResource({ ...names, spec: s.object({ name: s.string().pattern(/^abc$/i) }) });
    const named = (name: string) =>
      loud.validate({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "x" }, spec: { name } });
    assert.deepEqual(named("ABC"), []);
    assert.equal(named("ABD").length, 1);
  });

  test("a column shows declared conditions and those of the runtime, and no others", () => {
    const show = (condition: string, conditions: object = { Ready: "it works" }) =>
      defineResource({ ...names, spec: s.object({}), conditions, columns: { X: condition } } as never);
    for (const known of ["condition:Ready", "reason:Stalled", "message:Paused"]) show(known);
    const refused = (message: RegExp) => ({ code: "BadColumn", field: "columns.X", message });
    assert.throws(() => show("condition:Redy"), refused(/there is no condition "Redy"; declared are Ready$/u));
    assert.throws(() => show("condition:"), refused(/there is no condition ""/u));
    assert.throws(() => show("reason:Stalled", {}), refused(/"Stalled"; declare it in `conditions`$/u));
  });

  test("a version can be stored and no longer served", () => {
    const resource = defineResource({
      group: "example.com",
      kind: "Thing",
      versions: {
        v1: { spec: s.object({ a: s.string() }), served: false },
        v2: { spec: s.object({ b: s.string() }), storage: true },
      },
      convert: { "v1->v2": ({ a }) => ({ b: a }), "v2->v1": ({ b }) => ({ a: b }) },
    });
    assert.deepEqual(
      resource.toCrd().spec.versions.map(({ name, served, storage }) => [name, served, storage]),
      [
        ["v1", false, false],
        ["v2", true, true],
      ],
    );
  });
});

/** Invalid bounds: JSON cannot represent them, or they are not counts. */
function impossible(): { name: string; code: "BadBounds"; field: string; define: () => unknown }[] {
  const bounds: { readonly [name: string]: Parameters<typeof s.object>[0][string] } = {
    "a minimum that is no number": s.int32().min(NaN),
    "a maximum without end": s.number().max(Infinity),
    "a lower limit without end": s.number().above(-Infinity),
    "an upper limit that is no number": s.number().below(NaN),
    "multiples of nothing": s.int32().multipleOf(0),
    "multiples of no number": s.int32().multipleOf(NaN),
    "a length that is no number": s.string().max(NaN),
    "a length below nothing": s.string().min(-1),
    "half an item": s.array(s.string()).max(1.5),
    "entries without end": s.record(s.string()).max(Infinity),
  };
  return Object.entries(bounds).map(([name, field]) => ({
    name,
    code: "BadBounds",
    field: "spec.size",
    define: () => defineResource({ group: "a.b", version: "v1", kind: "A", spec: s.object({ size: field }) }),
  }));
}
