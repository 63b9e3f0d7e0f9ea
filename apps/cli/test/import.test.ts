import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import { compareCrds, importCrd, renderProject } from "@capstan/scaffold";
import { type CustomResourceDefinition, defineResource, type JsonSchema, s } from "@capstan/schema";
import { parseAllDocuments } from "yaml";
import { readYaml } from "../src/project/yaml.ts";
import { compilerErrors } from "./compiler.ts";
import { capstan } from "./terminal.ts";

const checkout = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const catalog = join(checkout, "../shared/data/operatorhub");

let root = "";
before(async () => {
  root = await mkdtemp(join(tmpdir(), "capstan-import-"));
  const inputs = {
    templates: 1,
    name: "x",
    domain: "example.com",
    capstan: `file:${checkout}`,
    namespaced: false,
    apis: [],
  };
  const files = renderProject(inputs);
  for (const name of ["package.json", "tsconfig.json"]) await writeFile(join(root, name), files.get(name) ?? "");
  await mkdir(join(root, "node_modules/@types"), { recursive: true });
  await mkdir(join(root, "src"));
  for (const name of ["capstan", "@types/node"])
    await symlink(join(checkout, "node_modules", name), join(root, "node_modules", name));
});
after(() => rm(root, { recursive: true, force: true }));

/** What the compiler says about the imported files; what it says about the linked checkout is not theirs. */
async function typeErrors(): Promise<string[]> {
  try {
    await promisify(execFile)(process.execPath, [join(checkout, "node_modules/typescript/bin/tsc"), "-p", root]);
    return [];
  } catch (error) {
    return compilerErrors(error).filter((line) => line.includes("src/") && !line.includes("packages/"));
  }
}

/** A CRD without what the two sides may say differently and mean the same. */
function meaning(crd: CustomResourceDefinition): unknown {
  const { group, names, scope, versions } = crd.spec;
  return {
    group,
    scope,
    names: {
      ...names,
      singular: (names.singular ?? "") === "" ? names.kind.toLowerCase() : names.singular,
      listKind: undefined,
    },
    versions: versions
      .map((version) => ({
        name: version.name,
        served: version.served,
        storage: version.storage,
        deprecated: version.deprecated === true,
        status: version.subresources?.status !== undefined,
        scale: version.subresources?.scale,
        selectable: version.selectableFields ?? [],
        columns: columnsMeaning((version.additionalPrinterColumns ?? []) as readonly { readonly name: string }[]),
        schema: rootMeaning(version.schema.openAPIV3Schema),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** Every definition has a column with the age, at the end unless it says otherwise. */
function columnsMeaning(columns: readonly { readonly name: string }[]): unknown {
  const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
  const all: readonly object[] = columns.some(({ name }) => name === "Age") ? columns : [...columns, age];
  return all.map((column) => ({ priority: 0, description: "", ...column }));
}

function rootMeaning(schema: JsonSchema): unknown {
  const { spec, status } = schema.properties ?? {};
  // Every definition lets status say which generation it speaks of, and fills in a spec that may be left out.
  const { observedGeneration: _, ...fields } = status?.properties ?? {};
  return {
    description: schema.description,
    // What has a default is never missing.
    demandsSpec: schema.required?.includes("spec") === true && spec?.default === undefined,
    demandsStatus: schema.required?.includes("status") === true,
    spec:
      spec === undefined
        ? nodeMeaning({ type: "object" })
        : nodeMeaning({ ...spec, default: undefined } as unknown as JsonSchema),
    // Nothing can be written into a status without fields, whether or not it is said to be there.
    status:
      status === undefined || isEmpty({ ...status, properties: fields })
        ? undefined
        : nodeMeaning({ ...status, properties: fields }),
  };
}

function isEmpty(schema: JsonSchema): boolean {
  const { type: _, properties = {}, ...more } = schema;
  return Object.keys(properties).length === 0 && Object.keys(more).length === 0;
}

const silent = new Set(["properties", "items", "additionalProperties", "required", "default", "externalDocs"]);

function nodeMeaning(schema: JsonSchema): unknown {
  const keywords = Object.entries(schema).filter(([name, value]) => {
    const saysNothing = value === false || value === undefined || (Array.isArray(value) && value.length === 0);
    return !silent.has(name) && !saysNothing;
  });
  const { properties = {}, items, additionalProperties } = schema;
  // What has a default is never missing, so it does not matter whether it is required.
  const required = (schema.required ?? []).filter((name) => properties[name]?.default === undefined).sort();
  return {
    ...Object.fromEntries(keywords),
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, nodeMeaning(field)])),
    required,
    default: schema.default === undefined ? undefined : filled(schema.default, schema),
    items: items && nodeMeaning(items),
    additionalProperties: additionalProperties && nodeMeaning(additionalProperties),
  };
}

/** A default with what the server adds to it from the defaults below. */
function filled(value: unknown, schema: JsonSchema): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const given = value as { readonly [name: string]: unknown };
  const more = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = given[name] ?? field.default;
    return inner === undefined ? [] : [[name, filled(inner, field)] as const];
  });
  return { ...given, ...Object.fromEntries(more) };
}

/** The CRDs among the manifests of the catalog's bundles, read as the command reads them. */
function definitions(): { readonly file: string; readonly crd: CustomResourceDefinition }[] {
  return readdirSync(join(catalog, "bundles"), { recursive: true, encoding: "utf8" })
    .filter((file) => /^[^/]+\/[^/]+\/manifests\/[^/]+\.ya?ml$/.test(file))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(catalog, "bundles", file), "utf8");
      if (!text.includes("CustomResourceDefinition")) return [];
      return (readYaml(text, file) as (CustomResourceDefinition | null)[]).flatMap((crd) =>
        crd?.kind === "CustomResourceDefinition" ? [{ file, crd }] : [],
      );
    });
}

interface OldSpec {
  readonly version?: string;
  readonly versions?: readonly object[];
  readonly validation?: { readonly openAPIV3Schema: JsonSchema };
  readonly subresources?: object;
  readonly additionalPrinterColumns?: readonly { readonly JSONPath: string }[];
  readonly preserveUnknownFields?: boolean;
}

/** v1beta1 may leave out that spec and status are objects. */
function withTypes(root: JsonSchema): JsonSchema {
  const { properties = {} } = root;
  const parts = Object.entries(properties).map(([name, part]) =>
    name === "spec" || name === "status" ? [name, { type: "object", ...part }] : [name, part],
  );
  return { ...root, properties: Object.fromEntries(parts) as { [name: string]: JsonSchema } };
}

/** A CRD of v1beta1 as it would be written today, but for what it says of fields without a schema. */
function today(crd: CustomResourceDefinition): CustomResourceDefinition {
  if (crd.apiVersion === "apiextensions.k8s.io/v1") return crd;
  const { version: name, versions = [{ name, served: true, storage: true }], ...old } = crd.spec as unknown as OldSpec;
  const additionalPrinterColumns = (old.additionalPrinterColumns ?? []).map(({ JSONPath, ...column }) => ({
    ...column,
    jsonPath: JSONPath,
  }));
  const { subresources, validation: schema = { openAPIV3Schema: {} } } = old;
  const whole = versions
    .map((version) => ({ schema, subresources, additionalPrinterColumns, ...version }))
    .map((version) => ({ ...version, schema: { openAPIV3Schema: withTypes(version.schema.openAPIV3Schema) } }));
  const renewed = { ...crd, spec: { ...crd.spec, versions: whole } };
  return JSON.parse(JSON.stringify(renewed), (_, value: unknown) =>
    isDeepStrictEqual(value, { anyOf: [{ type: "string" }, { type: "integer" }] })
      ? { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true }
      : value,
  ) as CustomResourceDefinition;
}

const keeps = "x-kubernetes-preserve-unknown-fields";

/** The paths of objects that drop unknown fields. */
function strictObjects(schema: JsonSchema, path: string): string[] {
  const { type, properties = {}, items, additionalProperties } = schema;
  const isMap = typeof additionalProperties === "object";
  return [
    ...(type === "object" && !isMap && schema[keeps] !== true ? [path] : []),
    ...Object.entries(properties).flatMap(([name, field]) => strictObjects(field, `${path}.${name}`)),
    ...(items === undefined ? [] : strictObjects(items, `${path}[]`)),
    ...(isMap ? strictObjects(additionalProperties, `${path}{}`) : []),
  ];
}

function undescribed(crd: CustomResourceDefinition): CustomResourceDefinition {
  const versions = crd.spec.versions.map((version) => {
    const { description: _, ...openAPIV3Schema } = version.schema.openAPIV3Schema;
    return { ...version, schema: { openAPIV3Schema } };
  });
  return { ...crd, spec: { ...crd.spec, versions } };
}

/** The meaning of spec and status without unknown fields, which are compared apart. A status without fields is none. */
function meaningOfParts(crd: CustomResourceDefinition): unknown {
  const empty = { type: "object", properties: {}, required: [] };
  return JSON.parse(JSON.stringify(meaning(undescribed(crd))), (key, value: unknown) =>
    key === keeps || (key === "status" && (typeof value === "boolean" || isDeepStrictEqual(value, empty)))
      ? undefined
      : value,
  ) as unknown;
}

/** What no definition can say: facts beside spec and status, and facts about the whole of one of the two. */
const beside =
  /^(that fields beside spec( and status)? are kept, too|status of \S+ is not a subresource|what \S+ demands of metadata|the field \S+ of \S+|the description of \S+|\S+ of the whole object in \S+)$/;
const ofPart = /^\S+ of (spec|status) in \S+$/;

test(
  "CRDs of published operators become TypeScript with an equal CRD or a note",
  {
    skip: existsSync(catalog)
      ? false
      : "the catalog of real operators, which is not ours to ship, is not beside this checkout",
  },
  async () => {
    const all = definitions();
    const counts = new Map<string, number>();
    for (const [index, { file, crd }] of all.entries()) {
      const { text, differences, crd: asked } = importCrd(crd);
      const path = join(root, `src/crd-${index}.ts`);
      await writeFile(path, text);
      const exported = Object.values(
        (await import(pathToFileURL(path).href)) as { [name: string]: { toCrd(): CustomResourceDefinition } },
      );
      const made = exported[0]?.toCrd() ?? assert.fail(file);
      assert.deepEqual(
        compareCrds(asked, made).filter((line) => !differences.includes(line)),
        [],
        file,
      );
      if (differences.length === 0) assert.deepEqual(meaning(made), meaning(crd), file);
      for (const line of differences) assert.ok(beside.test(line) || ofPart.test(line), `${file}: ${line}`);
      const areWhole = differences.every((line) => beside.test(line));
      if (areWhole) assert.deepEqual(meaningOfParts(made), meaningOfParts(today(crd)), file);
      if (areWhole && differences.some((line) => line.endsWith(" are kept, too")))
        for (const { schema } of made.spec.versions) {
          const { spec, status } = schema.openAPIV3Schema.properties ?? {};
          assert.deepEqual(
            [spec, status].flatMap((part) => (part === undefined ? [] : strictObjects(part, ""))),
            [],
            file,
          );
        }
      counts.set(crd.apiVersion, (counts.get(crd.apiVersion) ?? 0) + 1);
    }
    assert.ok((counts.get("apiextensions.k8s.io/v1") ?? 0) >= 75);
    assert.ok((counts.get("apiextensions.k8s.io/v1beta1") ?? 0) >= 21);
  },
);

suite("import crd", () => {
  const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, required: [size], properties: { size: { type: integer, format: int32, minimum: 1 } } }
`;

  test("writes a file, and not twice", async () => {
    const at = { cwd: root, typed: crd };
    assert.equal((await capstan(["import", "crd", "-", "--out", "made"], at)).code, 0);
    assert.match(await readFile(join(root, "made/widget.ts"), "utf8"), /size: s\.int32\(\)\.min\(1\),/);
    const again = await capstan(["import", "crd", "-", "--out", "made"], at);
    assert.equal(again.code, 4);
    assert.match(again.err, /--force/);
  });

  test("several versions keep their columns and scales", async () => {
    const version = (name: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: {
        openAPIV3Schema: {
          type: "object",
          required: ["spec"],
          properties: {
            apiVersion: { type: "string" },
            kind: { type: "string" },
            metadata: { type: "object" },
            spec: { type: "object", required: ["size"], properties: { size: { type: "integer", format: "int32" } } },
            status: { type: "object", properties: { ready: { type: "integer", format: "int32" } } },
          },
        },
      },
      subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.ready" } },
      additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
    });
    const two = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "gadgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Cluster",
        names: { kind: "Gadget", plural: "gadgets", singular: "gadget" },
        versions: [version("v1", false), version("v2", true)],
      },
    };
    const { text, differences } = importCrd(two);
    assert.deepEqual(differences, []);
    const path = join(root, "src/gadget.ts");
    await writeFile(path, text);
    const { Gadget } = (await import(pathToFileURL(path).href)) as { Gadget: { toCrd(): CustomResourceDefinition } };
    assert.deepEqual(meaning(Gadget.toCrd()), meaning(two as unknown as CustomResourceDefinition));
  });

  test("versions with dashes in their names are imported", async () => {
    const storage = "      storage: true";
    const text = crd.replace("    - name: v1\n", "    - name: v1-2-0\n");
    const [head = "", version = ""] = text.split("  versions:\n");
    const old = version.replace("v1-2-0", "v1-10-0").replace(storage, "      storage: false");
    const at = { cwd: root, typed: `${head}  versions:\n${version}${old}` };
    const { code, err } = await capstan(["import", "crd", "-", "--out", "src/dashes"], at);
    assert.equal(code, 0, err);
    const source = await readFile(join(root, "src/dashes/widget.ts"), "utf8");
    assert.match(source, /^const v1_2_0Spec = /m);
    assert.match(source, /^const v1_10_0Spec = /m);
  });

  test("descriptions that differ between versions are told", () => {
    const [asked] = readYaml(crd, "x") as [{ spec: { versions: object[] } }];
    const schema = { openAPIV3Schema: { type: "object", description: "Other words" } };
    asked.spec.versions.push({ name: "v2", served: true, storage: false, schema });
    assert.deepEqual(importCrd(asked).differences, ["the description of v2"]);
  });

  test("a status that is not an object is told", () => {
    const asked = readYaml(
      withSpec("{ type: object }\n            status: { type: array, items: { type: string } }"),
      "x",
    );
    assert.deepEqual(importCrd(asked[0]).differences, [
      "type of status in v1",
      "items of status in v1",
      "status of v1 is not a subresource",
    ]);
  });

  test("presence, status, column paths and unserved versions are imported", async () => {
    const spec = { type: "object", required: ["size"], properties: { size: { type: "integer", format: "int32" } } };
    const status = {
      type: "object",
      required: ["phase"],
      properties: { phase: { type: "string" }, hosts: { type: "array", items: { type: "string" } } },
    };
    const version = (name: string, more: object, root: object) => ({
      name,
      served: true,
      storage: false,
      ...more,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            apiVersion: { type: "string" },
            kind: { type: "string" },
            metadata: { type: "object" },
            spec,
            status,
          },
          ...root,
        },
      },
      subresources: { status: {} },
      additionalPrinterColumns: [
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        { name: "Host", type: "string", jsonPath: ".status.hosts[0]", priority: 1, description: "The first" },
        { name: "Label", type: "string", jsonPath: ".metadata.labels.a\\.b/c" },
      ],
    });
    const loose = { properties: { spec: { type: "object", properties: { note: { type: "string" } } }, status } };
    const crds = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { kind: "Thing", plural: "things", singular: "thing" },
        versions: [
          version("v1alpha1", { served: false }, { required: ["spec"] }),
          version("v1beta1", { served: true }, {}),
          version("v1", { storage: true }, { ...loose, required: ["spec"] }),
        ],
      },
    };
    const { text, differences } = importCrd(crds);
    assert.deepEqual(differences, []);
    const path = join(root, "src/thing.ts");
    await writeFile(path, text);
    const { Thing } = (await import(pathToFileURL(path).href)) as { Thing: { toCrd(): CustomResourceDefinition } };
    assert.deepEqual(meaning(Thing.toCrd()), meaning(crds as unknown as CustomResourceDefinition));
  });

  test("a CRD of v1beta1 becomes what the same CRD of v1 becomes", () => {
    const openAPIV3Schema = {
      type: "object",
      properties: {
        spec: { type: "object", properties: { size: { type: "integer", format: "int32" } } },
        status: { type: "object", properties: { ready: { type: "integer", format: "int32" } } },
      },
    };
    const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.ready" };
    const column = { name: "Size", type: "integer", priority: 1 };
    const head = { group: "example.com", names: { kind: "Old", plural: "olds" } };
    const old = (spec: object) =>
      importCrd({
        apiVersion: "apiextensions.k8s.io/v1beta1",
        kind: "CustomResourceDefinition",
        spec: { ...head, ...spec },
      });
    const shared = {
      validation: { openAPIV3Schema },
      subresources: { status: {}, scale },
      additionalPrinterColumns: [{ ...column, JSONPath: ".spec.size" }],
    };
    const today = (...names: string[]) =>
      importCrd({
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        spec: {
          ...head,
          scope: "Namespaced",
          versions: names.map((name, at) => ({
            name,
            served: true,
            storage: at === 0,
            schema: { openAPIV3Schema },
            subresources: { status: {}, scale },
            additionalPrinterColumns: [{ ...column, jsonPath: ".spec.size" }],
          })),
        },
      });
    assert.deepEqual(old({ ...shared, version: "v1", preserveUnknownFields: false }), today("v1"));
    const versions = ["v1", "v2"].map((name, at) => ({ name, served: true, storage: at === 0 }));
    assert.deepEqual(old({ ...shared, versions, preserveUnknownFields: false }), today("v1", "v2"));
    const { validation: schema, subresources, additionalPrinterColumns } = shared;
    const each = versions.map((version) => ({ ...version, schema, subresources, additionalPrinterColumns }));
    assert.deepEqual(old({ versions: each, preserveUnknownFields: false }), today("v1", "v2"));
    const kept = old({ ...shared, version: "v1" });
    assert.deepEqual(kept.differences, ["that fields beside spec and status are kept, too"]);
    assert.match(kept.text, /const spec = s\.object\(\{\s+size: s\.int32\(\)\.optional\(\),\s+\}\)\.loose\(\)/);
    assert.match(
      old({ version: "v1" }).text,
      /const spec = s\.object\(\{\}\)\.loose\(\)/,
      "where nothing is said, all is kept",
    );
  });

  test("what no definition can say is told", () => {
    const { text, differences } = importCrd({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { kind: "Odd", plural: "odds" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: { type: "object", properties: { spec: { type: "object", default: { a: 1 } } } },
            },
            subresources: { status: {} },
            additionalPrinterColumns: [
              { name: "A", type: "string", jsonPath: ".spec[" },
              { name: "B", type: "string", jsonPath: ".spec.b", priority: 3 },
            ],
          },
        ],
      },
    });
    assert.deepEqual(differences, [
      "the column A (.spec[)",
      "the column B (.spec.b)",
      "what a spec that is left out in v1 is filled in with",
    ]);
    for (const line of differences) assert.ok(text.includes(line));
  });

  const withSpec = (spec: string): string => {
    const line = /^ {12}spec: .*$/m;
    assert.match(crd, line);
    return crd.replace(line, `            spec: ${spec}`);
  };

  for (const [what, spec, notes, text] of [
    [
      "a field that is called like a prototype",
      "{ type: object, properties: { __proto__: { type: string }, a: { type: string } } }",
      [],
      /^ {2}\["__proto__"\]: s\.string\(\)\.optional\(\),\n {2}a: /m,
    ],
    [
      "defaults that a program would take for other numbers",
      "{ type: object, properties: { a: { type: integer, format: int64, default: 9007199254740993 }, b: { type: number, default: 1e400 } } }",
      ["default of spec.a: 9007199254740993", "default of spec.b: Infinity"],
      /^ {2}a: s\.int64\(\)\.optional\(\),\n {2}b: s\.number\(\)\.optional\(\),$/m,
    ],
    [
      "numbers inside of defaults and of choices",
      "{ type: object, properties: { a: { type: object, default: { b: [9007199254740993] }, properties: { b: { type: array, items: { type: integer, format: int64 } } } }, c: { type: integer, enum: [1, 9007199254740993] } } }",
      ["default of spec.a: 9007199254740993", "enum of spec.c: 9007199254740993"],
      /c: s\.custom<number>\(\{ type: "integer" \}\)/,
    ],
    [
      "bounds, which clusters keep as doubles, too",
      "{ type: object, properties: { a: { type: integer, format: int64, minimum: -9223372036854775808, maximum: 9223372036854775807 }, b: { type: integer, maximum: 9223372036854775807 } } }",
      [],
      /a: s\.int64\(\)\.min\(-9223372036854776000\)\.max\(9223372036854776000\)\.optional\(\)/,
    ],
    [
      "a rule that an empty spec would break",
      '{ type: object, properties: { a: { type: integer, format: int32 } }, x-kubernetes-validations: [{ rule: "self.a >= 0", message: no }] }',
      [],
      /\.optional\(\);\n/,
    ],
  ] as const) {
    test(`${what}: the definition gives that CRD again, and tells what it cannot say`, async () => {
      const typed = withSpec(spec);
      const out = `src/${what.replaceAll(/\W+/g, "-")}`;
      const { code, err } = await capstan(["import", "crd", "-", "--out", out], { cwd: root, typed });
      assert.equal(code, 0, err);
      const path = join(root, out, "widget.ts");
      const source = await readFile(path, "utf8");
      assert.match(source, text);
      for (const note of notes) assert.ok(err.includes(note) && source.includes(note), `${note} in ${err}`);
      assert.equal(err.split("\n").length - 1, notes.length, err);
      const { Widget } = (await import(pathToFileURL(path).href)) as {
        Widget: { toCrd(): CustomResourceDefinition };
      };
      const asked = parseAllDocuments(typed)[0]?.toJS() as CustomResourceDefinition;
      if (notes.length === 0) assert.deepEqual(meaning(Widget.toCrd()), meaning(asked));
    });
  }

  for (const [what, spec, why] of [
    [
      "a rule over a field that is not there",
      '{ type: object, required: [a], properties: { a: { type: integer, format: int32 } }, x-kubernetes-validations: [{ rule: "self.b >= 0", message: no }] }',
      /undefined field 'b'/,
    ],
    [
      "a default beside a bound that no server can check",
      "{ type: object, properties: { a: { type: integer, maximum: 9223372036854775807, default: 3 } } }",
      /Maximum boundary value must be of type integer/,
    ],
  ] as const) {
    test(`${what} cannot be loaded: it is refused, and nothing is written`, async () => {
      const at = { cwd: root, typed: withSpec(spec) };
      const { code, err } = await capstan(["import", "crd", "-", "--out", "unloadable"], at);
      assert.equal(code, 3, err);
      assert.match(err, /^capstan: Widget cannot be said as a definition: .*\n$/);
      assert.match(err, why);
      assert.ok(!existsSync(join(root, "unloadable")));
    });
  }

  test("what the loaded definition says otherwise is told, whatever it is", () => {
    const asked = importCrd(parseAllDocuments(crd)[0]?.toJS());
    const spec = s.object({ size: s.int32().min(2).default(3), more: s.string().optional() });
    const made = defineResource({
      group: "example.com",
      version: "v1",
      kind: "Widget",
      plural: "wodgets",
      spec,
    }).toCrd();
    assert.deepEqual(compareCrds(asked.crd, made), [
      "plural",
      "required of spec in v1",
      "minimum of size of spec in v1",
      "default of size of spec in v1",
      "more of spec in v1",
    ]);
  });

  test("words of a CRD cannot break out of the file", async () => {
    const evil = crd.replace(
      "type: object, required",
      `type: object, description: "*/ process.exit(3); /* \`\${x}\`", required`,
    );
    assert.equal((await capstan(["import", "crd", "-", "--out", "evil"], { cwd: root, typed: evil })).code, 0);
    await import(pathToFileURL(join(root, "evil/widget.ts")).href);
  });

  for (const [what, text] of [
    ["a file without a CRD", "kind: ConfigMap\n"],
    ["broken YAML", "a: [\n"],
    ["an empty file", ""],
    ["a CRD of an unknown version", crd.replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v2")],
    [
      "a CRD without versions",
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: { group: a.b }\n",
    ],
    ["a kind that is no name", crd.replace("kind: Widget", 'kind: "x; process.exit()"')],
    [
      "YAML that grows without end",
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d]\n`,
    ],
  ] as const) {
    test(`${what} is refused in one sentence`, async () => {
      const { code, err } = await capstan(["import", "crd", "-", "--out", "refused"], { cwd: root, typed: text });
      assert.equal(code, 3, err);
      assert.equal(err.trimEnd().split("\n").length, 1, err);
      assert.ok(!existsSync(join(root, "refused")));
    });
  }
});

test("every file that the tests above imported compiles", async () => {
  assert.ok(existsSync(join(root, "src/gadget.ts")));
  assert.deepEqual(await typeErrors(), []);
});
