/** PackageManifests as the API server forwards requests for them: which users see which, lists, single ones, tables, icons, refusals. */
import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { Readable } from "node:stream";
import { configOf, toCatalog } from "@capstan/bundle";
import { answerPackageRequest, type CatalogSource, type PackageApi, type PackageResponse } from "@capstan/lifecycle";
import type { Json } from "@capstan/model";

const NOW = Date.parse("2026-01-02T00:00:00Z");
const ICON = Buffer.from("<svg/>").toString("base64");

function csv(name: string, version: string, more: object = {}): Json {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: `${name}.v${version}`, annotations: { capabilities: "Basic Install" } },
    spec: {
      displayName: name.toUpperCase(),
      version,
      provider: { name: "Example" },
      icon: [{ base64data: ICON, mediatype: "image/svg+xml" }],
      customresourcedefinitions: {
        owned: [
          {
            name: `${name}s.example.com`,
            version: "v1",
            kind: "Thing",
            resources: [{ kind: "Pod", name: "", version: "v1" }],
          },
        ],
      },
      install: {
        strategy: "deployment",
        spec: {
          deployments: [
            { name, spec: { template: { spec: { containers: [{ name, image: `${name}:${version}` }] } } } },
          ],
        },
      },
      ...more,
    },
  } as unknown as Json;
}

function blobs(name: string, versions: readonly string[], deprecations: readonly Json[] = []): readonly Json[] {
  const data = (object: Json): string => Buffer.from(JSON.stringify(object)).toString("base64");
  const entries = versions.map((version, at) => {
    const before = versions[at - 1];
    return { name: `${name}.v${version}`, ...(before === undefined ? {} : { replaces: `${name}.v${before}` }) };
  });
  return [
    { schema: "olm.package", name, defaultChannel: "stable" },
    { schema: "olm.channel", package: name, name: "stable", entries },
    { schema: "olm.channel", package: name, name: "alpha", entries: entries.slice(0, 1) },
    ...versions.map((version) => ({
      schema: "olm.bundle",
      package: name,
      name: `${name}.v${version}`,
      image: "",
      properties: [
        { type: "olm.package", value: { packageName: name, version } },
        { type: "olm.bundle.object", value: { data: data(csv(name, version)) } },
      ],
    })),
    ...(deprecations.length === 0 ? [] : [{ schema: "olm.deprecations", package: name, entries: [...deprecations] }]),
  ] as readonly Json[];
}

function source(name: string, namespace: string, spec: object = {}): CatalogSource {
  const metadata = { name, namespace, uid: name, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    metadata: { ...metadata, labels: { team: "a" } },
    spec: { sourceType: "grpc", displayName: `Catalog ${name}`, publisher: "Example", ...spec },
  } as unknown as CatalogSource;
}

const message = "use bar instead";
const contents = new Map(
  Object.entries({
    "olm/global": [
      ...blobs("foo", ["1.0.0", "1.10.0", "1.2.0"]),
      ...blobs(
        "old",
        ["1.0.0"],
        [
          { reference: { schema: "olm.package" }, message },
          { reference: { schema: "olm.channel", name: "stable" }, message: "gone soon" },
          { reference: { schema: "olm.bundle", name: "old.v1.0.0" }, message: "broken" },
        ],
      ),
    ],
    "shop/own": blobs("foo", ["3.0.0"]),
    "bank/other": blobs("bar", ["1.0.0"]),
  }).map(([key, content]) => [key, toCatalog(configOf(content))]),
);
const api: PackageApi = {
  sources: async () => [source("global", "olm"), source("own", "shop"), source("other", "bank"), source("new", "olm")],
  catalogs: {
    get: (key) => {
      const catalog = contents.get(key);
      return catalog === undefined ? undefined : { state: "READY", origin: key, content: { catalog }, readAt: 0 };
    },
  },
  globalNamespace: "olm",
  now: () => NOW,
};

const ROOT = "/apis/packages.operators.coreos.com/v1";
const ask = (url: string, more: object = {}): Promise<PackageResponse> =>
  answerPackageRequest({ method: "GET", url, accept: "application/json", ...more }, api);

async function json(answer: Promise<PackageResponse>): Promise<never> {
  const { body } = await answer;
  const all = typeof body === "string" || body instanceof Uint8Array ? String(body) : await text(Readable.from(body));
  return JSON.parse(all) as never;
}

interface List {
  readonly kind: string;
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly namespace: string };
    readonly status: Status;
  }[];
}

interface Status {
  readonly catalogSource: string;
  readonly defaultChannel: string;
  readonly channels: readonly {
    readonly name: string;
    readonly entries: readonly object[];
    readonly currentCSVDesc: object;
  }[];
  readonly [field: string]: unknown;
}

const names = ({ items }: List): readonly string[] =>
  items.map(({ metadata, status }) => `${metadata.namespace}/${metadata.name} of ${status.catalogSource}`);

test("a namespace sees its own packages and the global ones, in its own name", async () => {
  assert.deepEqual(names(await json(ask(`${ROOT}/namespaces/shop/packagemanifests`))), [
    "shop/foo of own",
    "shop/foo of global",
    "shop/old of global",
  ]);
  assert.deepEqual(names(await json(ask(`${ROOT}/namespaces/olm/packagemanifests`))), [
    "olm/foo of global",
    "olm/old of global",
  ]);
  assert.equal(((await json(ask(`${ROOT}/packagemanifests`))) as List).items.length, 4);
});

test("a package has its channels by name with their heads, and versions newest first", async () => {
  const { status, metadata } = (await json(
    ask(`${ROOT}/namespaces/bank/packagemanifests/foo`),
  )) as List["items"][number];
  assert.equal(status.defaultChannel, "stable");
  assert.deepEqual(
    status.channels.map(({ name }) => name),
    ["alpha", "stable"],
  );
  const [, stable] = status.channels;
  assert.deepEqual(stable?.entries, [
    { name: "foo.v1.10.0", version: "1.10.0" },
    { name: "foo.v1.2.0", version: "1.2.0" },
    { name: "foo.v1.0.0", version: "1.0.0" },
  ]);
  assert.deepEqual(stable.currentCSVDesc, {
    displayName: "FOO",
    version: "1.2.0",
    provider: { name: "Example" },
    annotations: { capabilities: "Basic Install" },
    customresourcedefinitions: { owned: [{ name: "foos.example.com", version: "v1", kind: "Thing" }] },
    apiservicedefinitions: {},
    relatedImages: ["foo:1.2.0"],
  });
  assert.deepEqual((metadata as { readonly labels?: object }).labels, {
    catalog: "global",
    "catalog-namespace": "olm",
    "operatorframework.io/arch.amd64": "supported",
    "operatorframework.io/os.linux": "supported",
    provider: "Example",
    "provider-url": "",
    team: "a",
  });
});

test("deprecations of the package, a channel and a version are shown", async () => {
  const { status } = (await json(ask(`${ROOT}/namespaces/olm/packagemanifests/old`))) as List["items"][number];
  assert.deepEqual(status["deprecation"], { message });
  const stable = status.channels.find(({ name }) => name === "stable") as Status["channels"][number] & {
    deprecation: object;
  };
  assert.deepEqual(stable.deprecation, { message: "gone soon" });
  assert.deepEqual(stable.entries, [{ name: "old.v1.0.0", version: "1.0.0", deprecation: { message: "broken" } }]);
});

test("labels and the name select", async () => {
  const own = `${ROOT}/namespaces/shop/packagemanifests`;
  assert.deepEqual(names(await json(ask(`${own}?labelSelector=catalog%3Down`))), ["shop/foo of own"]);
  assert.deepEqual(names(await json(ask(`${own}?fieldSelector=metadata.name%3Dold`))), ["shop/old of global"]);
  assert.equal((await ask(`${own}?fieldSelector=spec.a%3Db`)).status, 400);
});

test("kubectl gets a table", async () => {
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  const table = (await json(ask(`${ROOT}/namespaces/bank/packagemanifests`, { accept }))) as {
    readonly kind: string;
    readonly columnDefinitions: readonly { readonly name: string }[];
    readonly rows: readonly { readonly cells: readonly string[]; readonly object: { readonly kind: string } }[];
  };
  assert.equal(table.kind, "Table");
  assert.deepEqual(
    table.columnDefinitions.map(({ name }) => name),
    ["Name", "Catalog", "Age"],
  );
  assert.deepEqual(
    table.rows.map(({ cells }) => cells),
    [
      ["bar", "Catalog other", "24h"],
      ["foo", "Catalog global", "24h"],
      ["old", "Catalog global", "24h"],
    ],
  );
  assert.equal(table.rows[0]?.object.kind, "PartialObjectMetadata");
});

test("the icon has an address of its own, and the others do not hold it", async () => {
  const path = `${ROOT}/namespaces/shop/packagemanifests/foo`;
  const icon = await ask(`${path}/icon`);
  assert.deepEqual(
    [Buffer.from(icon.body as Uint8Array).toString(), icon.headers],
    ["<svg/>", { "content-type": "image/svg+xml", etag: '"foo.stable.foo.v3.0.0"' }],
  );
  assert.equal((await ask(`${path}/icon?resourceVersion=x`, { known: '"foo"' })).status, 304);
  assert.doesNotMatch(JSON.stringify(await json(ask(path))), /base64data/u);
});

test("what does not exist or is not offered is refused as an API server does", async () => {
  const missing = (await json(ask(`${ROOT}/namespaces/shop/packagemanifests/none`))) as {
    readonly message: string;
    readonly code: number;
  };
  assert.deepEqual(
    [missing.message, missing.code],
    ['packagemanifests.packages.operators.coreos.com "none" not found', 404],
  );
  assert.equal((await ask(`${ROOT}/packagemanifests?watch=true`)).status, 405);
  assert.equal((await ask(`${ROOT}/packagemanifests`, { method: "POST" })).status, 405);
  assert.equal((await ask("/apis/other")).status, 404);
  const { resources } = (await json(ask(ROOT))) as { readonly resources: readonly { readonly name: string }[] };
  assert.deepEqual(
    resources.map(({ name }) => name),
    ["packagemanifests", "packagemanifests/icon"],
  );
});
