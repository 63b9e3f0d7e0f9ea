/** Tests of the checks of a catalog; the messages are those of `opm validate`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@capstan/model";
import { addMeta, emptyConfig, toMeta } from "./config.ts";
import { toCatalog, toPartialCatalog } from "./convert.ts";
import type { Catalog } from "./model.ts";

const pkg = { schema: "olm.package", name: "foo", defaultChannel: "beta" };
const beta = { schema: "olm.channel", name: "beta", package: "foo", entries: [{ name: "foo.v1" }] };
const version = { type: "olm.package", value: { packageName: "foo", version: "1.0.0" } };
const v1 = { schema: "olm.bundle", name: "foo.v1", package: "foo", image: "quay.io/foo:v1", properties: [version] };

function load(...documents: readonly Json[]): Catalog {
  const config = emptyConfig();
  for (const document of documents) addMeta(config, toMeta(document));
  return toCatalog(config);
}

test("a catalog has its packages, channels and bundles", () => {
  const deprecations = {
    schema: "olm.deprecations",
    package: "foo",
    entries: [
      { reference: { schema: "olm.package" }, message: "use bar" },
      { reference: { schema: "olm.channel", name: "beta" }, message: "use stable" },
      { reference: { schema: "olm.bundle", name: "foo.v1" }, message: "use v2" },
    ],
  };
  const foo = load(pkg, beta, v1, deprecations).packages.get("foo");
  assert.equal(foo?.deprecation, "use bar");
  assert.equal(foo?.channels.get("beta")?.deprecation, "use stable");
  assert.equal(foo?.bundles.get("foo.v1")?.deprecation, "use v2");
  assert.equal(foo?.bundles.get("foo.v1")?.version, "1.0.0");
});

test("keys match in any case, and two that differ in case only are rejected", () => {
  assert.equal(load({ Schema: "olm.package", NAME: "foo", defaultchannel: "beta" }, beta, v1).packages.size, 1);
  assert.throws(() => toMeta({ schema: "x", Schema: "y" }), {
    message: 'duplicate keys for key "schema": [Schema schema]',
  });
});

test("large properties are kept apart and read when they are needed", () => {
  const metadata = { type: "olm.csv.metadata", value: { displayName: "Foo" } };
  const bundle = load(pkg, beta, { ...v1, properties: [metadata, version] })
    .packages.get("foo")
    ?.bundles.get("foo.v1");
  assert.deepEqual(bundle?.properties, [version]);
  assert.deepEqual(bundle?.readLarge?.(), [metadata]);
});

const rejections: readonly { readonly name: string; readonly documents: readonly Json[]; readonly message: string }[] =
  [
    { name: "no schema", documents: [{ name: "x" }], message: `object '{"name":"x"}\n' is missing root schema field` },
    {
      name: "a field of another type",
      documents: [{ schema: "olm.package", name: "foo", defaultChannel: 1 }],
      message:
        "parse package: json: cannot unmarshal number into Go struct field Package.defaultChannel of type string",
    },
    { name: "a package twice", documents: [pkg, pkg], message: 'duplicate package "foo"' },
    { name: "a channel without package", documents: [beta], message: 'unknown package "foo" for channel "beta"' },
    { name: "a bundle twice", documents: [pkg, beta, v1, v1], message: 'package "foo" has duplicate bundle "foo.v1"' },
    {
      name: "an entry without bundle",
      documents: [pkg, beta],
      message: 'no olm.bundle blobs found in package "foo" for olm.channel entries [foo.v1]',
    },
    {
      name: "a bundle without entry",
      documents: [pkg, beta, { ...v1, name: "foo.v2" }],
      message: 'package "foo", bundle "foo.v2" not found in any channel entries',
    },
    {
      name: "a bundle of another package",
      documents: [
        pkg,
        beta,
        { ...v1, properties: [{ type: "olm.package", value: { packageName: "bar", version: "1.0.0" } }] },
      ],
      message: 'package "foo" does not match "olm.package" property "bar"',
    },
    {
      name: "a default channel that does not exist",
      documents: [{ ...pkg, defaultChannel: "gone" }, beta, v1],
      message:
        'invalid index:\n└── invalid package "foo":\n    └── invalid channel "gone":\n        └── channel must contain at least one bundle',
    },
    {
      name: "several problems of a bundle",
      documents: [pkg, { ...beta, entries: [{ name: "foo.v1", skips: [""] }] }, { ...v1, image: "" }],
      message: [
        "invalid index:",
        '└── invalid package "foo":',
        '    └── invalid channel "beta":',
        '        └── invalid bundle "foo.v1":',
        "            ├── skip[0] is empty",
        "            └── bundle image must be set",
      ].join("\n"),
    },
  ];

for (const { name, documents, message } of rejections)
  test(`a catalog is rejected with ${name}`, () => {
    assert.throws(() => load(...documents), { message });
  });

test("a defect takes out only its own package", () => {
  const config = emptyConfig();
  for (const document of [pkg, beta, v1, { ...pkg, name: "bar" }]) addMeta(config, toMeta(document));
  const { packages, problems } = toPartialCatalog(config);
  assert.deepEqual([...packages.keys()], ["foo"]);
  assert.deepEqual([...problems.keys()], ["bar"]);
});
