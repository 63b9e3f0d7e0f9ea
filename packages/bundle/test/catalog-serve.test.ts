/** Tests of serving a catalog by gRPC and HTTP, and of reading one from a server. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import {
  answerCatalogRequest,
  type ApiBundle,
  type CatalogContent,
  openContent,
  openCurrentCatalog,
  openRegistryClient,
  readRegistry,
  startRegistryServer,
} from "@capstan/bundle";
import type { Json } from "@capstan/model";

const gvk = { group: "example.com", kind: "Cache", version: "v1" };
const metadata = { type: "olm.csv.metadata", value: { displayName: "Cache <1>", installModes: [], provider: {} } };

function bundle(version: string): Json {
  return {
    schema: "olm.bundle",
    name: `cache.v${version}`,
    package: "cache",
    image: `quay.io/cache:v${version}`,
    properties: [
      { type: "olm.package", value: { packageName: "cache", version } },
      { type: "olm.gvk", value: gvk },
      { type: "olm.package.required", value: { packageName: "db", versionRange: ">1.0.0" } },
      metadata,
    ],
  };
}

const documents: readonly Json[] = [
  { schema: "olm.package", name: "cache", defaultChannel: "stable", description: "Caches" },
  {
    schema: "olm.channel",
    name: "stable",
    package: "cache",
    entries: [
      { name: "cache.v1.0.0" },
      { name: "cache.v1.1.0", replaces: "cache.v1.0.0", skips: ["cache.v1.0.9"], skipRange: "<1.1.0" },
    ],
  },
  bundle("1.0.0"),
  bundle("1.1.0"),
  {
    schema: "olm.deprecations",
    package: "cache",
    entries: [{ reference: { schema: "olm.bundle", name: "cache.v1.0.0" }, message: "old" }],
  },
  { schema: "custom", package: "cache", b: 1, a: 2 },
];

async function open(...more: readonly Json[]): Promise<CatalogContent> {
  return openContent(
    (async function* all() {
      for (const document of [...documents, ...more]) yield { file: "catalog.yaml", document };
    })(),
  );
}

test("clients get packages, bundles and edges by gRPC", async () => {
  await using content = await open();
  await using server = await startRegistryServer({ catalog: () => content.catalog, host: "127.0.0.1", port: 0 });
  using client = await openRegistryClient({ address: server.address });
  assert.deepEqual(await client.call("ListPackages"), [{ name: "cache" }]);
  const [first, second] = (await client.call("ListBundles")) as readonly ApiBundle[];
  assert.deepEqual(first?.deprecation, { message: "old" });
  assert.deepEqual([second?.replaces, second?.skips, second?.skipRange], ["cache.v1.0.0", ["cache.v1.0.9"], "<1.1.0"]);
  assert.equal(second?.csvJson, "", "a list leaves out what the image has");
  assert.deepEqual(second?.dependencies, [{ type: "olm.package", value: '{"packageName":"db","version":">1.0.0"}' }]);
  const name = { pkgName: "cache", channelName: "stable", csvName: "cache.v1.1.0" };
  const [single] = (await client.call("GetBundle", name)) as readonly ApiBundle[];
  const csv = JSON.parse(single?.csvJson ?? "") as { readonly spec: { readonly [field: string]: unknown } };
  assert.equal(csv.spec["displayName"], "Cache <1>");
  assert.equal(csv.spec["description"], "Caches");
  assert.equal(single?.replaces, "", "a single bundle has no edges");
  const entries = await client.call("GetChannelEntriesThatProvide", gvk);
  assert.equal(entries.length, 3);
  assert.equal((await client.call("GetLatestChannelEntriesThatProvide", gvk)).length, 1);
  await assert.rejects(client.call("GetPackage", { name: "gone" }), {
    code: "NotFound",
    message: /package "gone" not found/,
  });
});

test("a catalog that is read from a server equals the one that is served", async () => {
  await using content = await open();
  await using server = await startRegistryServer({ catalog: () => content.catalog, host: "127.0.0.1", port: 0 });
  const { packages, problems } = await readRegistry({ address: server.address });
  assert.equal(problems.size, 0);
  const [read, served] = [packages.get("cache"), content.catalog.packages.get("cache")];
  assert.deepEqual(read?.channels, served?.channels);
  const plain = (found: typeof read) =>
    [...(found?.bundles.values() ?? [])].map(({ readLarge: _large, relatedImages: _related, ...bundleOf }) => bundleOf);
  assert.deepEqual(plain(read), plain(served));
});

test("a server that is not there is an error that says so", async () => {
  await assert.rejects(readRegistry({ address: "127.0.0.1:1" }), {
    code: "Unavailable",
    message: /127.0.0.1:1 failed at ListBundles/,
  });
});

/** Serves the content by HTTP while the function runs. */
async function withPages(content: CatalogContent, act: (url: string) => Promise<void>): Promise<void> {
  const served = { content, modified: new Date("2026-01-02T03:04:05.678Z") };
  const server = createServer((request, response) => {
    void answerCatalogRequest(request, response, (name) => (name === "main" ? served : undefined));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    // A server that listens on a port has an address of this form.
    await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}/catalogs`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("HTTP serves all blobs as lines of JSON, with conditional requests and gzip", async () => {
  await using content = await open();
  await withPages(content, async (url) => {
    const all = await fetch(`${url}/main/api/v1/all`);
    assert.equal(all.headers.get("content-type"), "application/jsonl");
    assert.equal(all.headers.get("content-encoding"), "gzip");
    const lines = (await all.text()).trimEnd().split("\n");
    assert.equal(lines.length, documents.length);
    assert.equal(lines.at(-1), '{"a":2,"b":1,"package":"cache","schema":"custom"}');
    const since = all.headers.get("last-modified") ?? "";
    const etag = all.headers.get("etag") ?? "";
    const status = async (headers: { readonly [name: string]: string }) =>
      (await fetch(`${url}/main/api/v1/all`, { headers })).status;
    assert.equal(await status({ "if-modified-since": since }), 304);
    assert.equal(await status({ "if-none-match": etag }), 304);
    assert.equal(await status({ "if-none-match": '"other"', "if-modified-since": since }), 200);
    assert.equal(await status({ "if-match": '"other"' }), 412);
    const head = await fetch(`${url}/main/api/v1/all`, { method: "HEAD", headers: { "accept-encoding": "identity" } });
    assert.equal(head.headers.get("content-length"), String(content.size));
  });
});

test("HTTP filters blobs by schema, package and name", async () => {
  await using content = await open();
  await withPages(content, async (url) => {
    const count = async (query: string) => {
      const text = await (await fetch(`${url}/main/api/v1/metas?${query}`)).text();
      return text === "" ? 0 : text.trimEnd().split("\n").length;
    };
    assert.equal(await count(""), documents.length);
    assert.equal(await count("schema=olm.bundle"), 2);
    assert.equal(await count("schema=olm.bundle&name=cache.v1.0.0"), 1);
    assert.equal(await count("package=cache"), 5, "the blob of a package has no package");
    assert.equal(await count("schema=none"), 0);
    const status = async (path: string, method = "GET") => (await fetch(`${url}/${path}`, { method })).status;
    assert.equal(await status("main/api/v1/metas?schemas=x"), 400);
    assert.equal(await status("other/api/v1/all"), 404);
    assert.equal(await status("main/api/v2/all"), 404);
    assert.equal(await status("UPPER/api/v1/all"), 400);
    assert.equal(await status("main/api/v1/all", "POST"), 405);
  });
});

test("a broken package is left out and named", async () => {
  await using content = await open({ schema: "olm.package", name: "broken" });
  assert.deepEqual([...content.catalog.packages.keys()], ["cache"]);
  assert.match(content.catalog.problems.get("broken") ?? "", /default channel must be set/);
});

test("a failed refresh leaves the old content", async () => {
  let version = "one";
  const errors: string[] = [];
  const source = {
    version: async () => version,
    open: async (wanted: string) => (wanted === "bad" ? Promise.reject(new Error("no such image")) : open()),
  };
  await using current = await openCurrentCatalog(source, {
    everyMs: 0,
    onChange: () => undefined,
    onError: ({ message }) => errors.push(message),
    now: () => new Date(0),
  });
  const before = current.content();
  assert.equal(await current.refresh(), false, "the version is the same");
  version = "bad";
  assert.equal(await current.refresh(), false);
  assert.deepEqual(errors, ["no such image"]);
  assert.equal(current.content(), before);
  version = "two";
  assert.equal(await current.refresh(), true);
  assert.notEqual(current.content(), before);
});
