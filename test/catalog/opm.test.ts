/** Compares catalogs with the real opm: what it finds wrong, how it renders, and what it serves. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  describeBundle,
  emptyConfig,
  formatConfig,
  openContentFolder,
  openRegistryClient,
  readConfigFolder,
  readFolder,
  type RegistryClient,
  startRegistryServer,
  toCatalog,
} from "@capstan/bundle";
import { buildPrograms, kubernetesMissing, opmProgram, programPath, showProgress } from "@capstan/kubernetes";
import type { Json } from "@capstan/model";

const hub = fileURLToPath(new URL("../../../shared/data/operatorhub", import.meta.url));
const withoutHub = existsSync(hub) ? false : "the data of real operators is not beside this checkout";

let home = "";

/** Runs opm; its messages are in its log lines. */
async function opm(
  ...words: readonly string[]
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const child = spawn(programPath(opmProgram()), words, { cwd: home, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (data: Buffer) => (out += data.toString()));
  child.stderr.on("data", (data: Buffer) => (err += data.toString()));
  const code = await new Promise<number | null>((done) => child.on("close", done));
  return { code, out, err };
}

/** The message of the last log line. */
function messageOf(err: string): string {
  const [, quoted] = /level=fatal msg=("(?:[^"\\]|\\.)*"|\S+)/.exec(err) ?? [];
  if (quoted === undefined) return err;
  return quoted.startsWith('"') ? (JSON.parse(quoted) as string) : quoted;
}

async function folderOf(name: string, ...documents: readonly Json[]): Promise<string> {
  const folder = join(home, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "catalog.json"), documents.map((one) => JSON.stringify(one)).join("\n"));
  return folder;
}

const pkg = { schema: "olm.package", name: "foo", defaultChannel: "beta" };
const channel = (...entries: readonly Json[]): Json => ({
  schema: "olm.channel",
  name: "beta",
  package: "foo",
  entries: [...entries],
});
const bundle = (version: string, more: { readonly [field: string]: Json } = {}): Json => ({
  schema: "olm.bundle",
  name: `foo.v${version}`,
  package: "foo",
  image: `quay.io/foo/foo:v${version.replace("+", "-")}`,
  properties: [{ type: "olm.package", value: { packageName: "foo", version } }],
  ...more,
});
const entry = (version: string, more: { readonly [field: string]: Json } = {}): Json => ({
  name: `foo.v${version}`,
  ...more,
});
const deprecated = (...entries: readonly Json[]): Json => ({
  schema: "olm.deprecations",
  package: "foo",
  entries: [...entries],
});
const [one, two] = [bundle("1.0.0"), bundle("1.1.0")];
const whole = [pkg, channel(entry("1.0.0"), entry("1.1.0", { replaces: "foo.v1.0.0" })), one, two];

/** Catalogs with at most one problem a level, because the original reports several in any order. */
const cases: { readonly [name: string]: readonly Json[] } = {
  whole,
  empty: [],
  "no schema": [{ name: "x" }],
  "schema is a number": [{ ...pkg, schema: "olm.package", defaultChannel: 3 }],
  "no package name": [{ ...pkg, name: "" }],
  "package twice": [pkg, pkg],
  "bad package name": [{ ...pkg, name: "Foo_bar" }],
  "channel of no package": [channel()],
  "channel twice": [pkg, channel(entry("1.0.0")), channel(entry("1.0.0")), one],
  "channel without name": [pkg, { schema: "olm.channel", package: "foo", name: "", entries: [] }],
  "entry twice": [pkg, channel(entry("1.0.0"), entry("1.0.0")), one],
  "no channel": [pkg],
  "no default channel": [{ ...pkg, defaultChannel: "" }, channel(entry("1.0.0")), one],
  "default channel is gone": [{ ...pkg, defaultChannel: "gone" }, channel(entry("1.0.0")), one],
  "empty channel": [pkg, channel()],
  "bundle twice": [pkg, channel(entry("1.0.0")), one, one],
  "bundle without package": [pkg, channel(entry("1.0.0")), bundle("1.0.0", { package: "" })],
  "bundle of no package": [bundle("1.0.0")],
  "bundle in no channel": [...whole, bundle("1.2.0")],
  "entry without bundle": [pkg, channel(entry("1.0.0"), entry("1.1.0", { replaces: "foo.v1.0.0" })), one],
  "no image": [pkg, channel(entry("1.0.0")), bundle("1.0.0", { image: "" })],
  "bad image": [pkg, channel(entry("1.0.0")), bundle("1.0.0", { image: "quay.io/Foo:x y" })],
  "bad related image": [pkg, channel(entry("1.0.0")), bundle("1.0.0", { relatedImages: [{ name: "a", image: ":" }] })],
  "no properties": [pkg, channel(entry("1.0.0")), bundle("1.0.0", { properties: [] })],
  "bad property": [pkg, channel(entry("1.0.0")), bundle("1.0.0", { properties: [{ type: "olm.gvk", value: "x" }] })],
  "property of another package": [
    pkg,
    channel(entry("1.0.0")),
    bundle("1.0.0", { properties: [{ type: "olm.package", value: { packageName: "bar", version: "1.0.0" } }] }),
  ],
  "bad version": [pkg, channel(entry("1.0")), bundle("1.0")],
  "same versions": [
    pkg,
    channel(entry("1.0.0"), { name: "foo.other", replaces: "foo.v1.0.0" }),
    one,
    bundle("1.0.0", { name: "foo.other" }),
  ],
  "release without its name": [
    pkg,
    channel(entry("1.0.0")),
    bundle("1.0.0", {
      properties: [{ type: "olm.package", value: { packageName: "foo", version: "1.0.0", release: "1" } }],
    }),
  ],
  "two heads": [pkg, channel(entry("1.0.0"), entry("1.1.0")), one, two],
  "no head": [
    pkg,
    channel(entry("1.0.0", { replaces: "foo.v1.1.0" }), entry("1.1.0", { replaces: "foo.v1.0.0" })),
    one,
    two,
  ],
  cycle: [
    pkg,
    channel(
      entry("1.0.0", { replaces: "foo.v1.1.0" }),
      entry("1.1.0", { replaces: "foo.v1.0.0" }),
      entry("1.2.0", { replaces: "foo.v1.1.0" }),
    ),
    one,
    two,
    bundle("1.2.0"),
  ],
  stranded: [
    pkg,
    channel(entry("1.0.0"), entry("1.1.0", { replaces: "foo.v1.0.0" }), entry("1.2.0", { skips: ["foo.v1.1.0"] })),
    one,
    two,
    bundle("1.2.0"),
  ],
  "head that skips all": [pkg, channel(entry("1.0.0"), entry("1.1.0", { skips: ["foo.v1.0.0"] })), one, two],
  "replaces a missing entry": [pkg, channel(entry("1.0.0", { replaces: "foo.v0.9.0" })), one],
  "empty skip": [pkg, channel(entry("1.0.0", { skips: [""] })), one],
  "bad skipRange": [pkg, channel(entry("1.0.0", { skipRange: "~1.0.0" })), one],
  deprecated: [...whole, deprecated({ reference: { schema: "olm.bundle", name: "foo.v1.0.0" }, message: "old" })],
  "deprecated without message": [...whole, deprecated({ reference: { schema: "olm.package" }, message: "" })],
  "deprecated bundle is gone": [...whole, deprecated({ reference: { schema: "olm.bundle", name: "x" }, message: "m" })],
  "deprecated channel is gone": [
    ...whole,
    deprecated({ reference: { schema: "olm.channel", name: "x" }, message: "m" }),
  ],
  "deprecated package with name": [
    ...whole,
    deprecated({ reference: { schema: "olm.package", name: "foo" }, message: "m" }),
  ],
  "deprecated unknown schema": [...whole, deprecated({ reference: { schema: "x", name: "y" }, message: "m" })],
  "deprecated without schema": [...whole, deprecated({ reference: { name: "y" }, message: "m" })],
  "two deprecations": [...whole, deprecated(), deprecated()],
  "deprecations of no package": [{ schema: "olm.deprecations", package: "bar", entries: [] }],
  "duplicate keys": [{ schema: "olm.package", Schema: "olm.package", name: "foo" }],
  "unknown schema": [...whole, { schema: "custom", package: "foo", b: 1, a: "<" }],
};

async function ownMessage(folder: string): Promise<string> {
  try {
    toCatalog(await readConfigFolder(folder));
    return "";
  } catch (error) {
    // A file that is named before its problem helps; the original does not name it.
    return error instanceof Error ? error.message.replace(/^catalog\.json: /, "") : String(error);
  }
}

describe("beside the real opm", { skip: kubernetesMissing(), timeout: 1_200_000 }, () => {
  before(async () => {
    await buildPrograms([opmProgram()], showProgress(process.stderr));
    home = await mkdtemp(join(tmpdir(), "capstan-opm-"));
  });
  after(() => rm(home, { recursive: true, force: true }));

  for (const [name, documents] of Object.entries(cases))
    test(`validate has the verdict and the message: ${name}`, async () => {
      const folder = await folderOf(`validate ${name}`, ...documents);
      const { code, err } = await opm("validate", folder);
      assert.equal(await ownMessage(folder), code === 0 ? "" : messageOf(err));
    });

  test("catalogs render to the same text", async () => {
    const folder = await folderOf("render", ...(cases["unknown schema"] ?? []), deprecated());
    const ours = [...formatConfig(await readConfigFolder(folder), "json")].join("");
    assert.equal(ours, (await opm("render", folder)).out);
  });

  test("real catalogs render to the same text", { skip: withoutHub }, async () => {
    const config = await readConfigFolder(join(hub, "catalogs"));
    assert.equal([...formatConfig(config, "json")].join(""), (await opm("render", join(hub, "catalogs"))).out);
  });

  test("real bundles render to the same text", { skip: withoutHub }, async () => {
    for (const path of [
      "etcd/0.9.4",
      "susql-operator/0.0.43",
      "rabbitmq-cluster-operator/2.22.2",
      "prometheus/0.32.0",
    ]) {
      const folder = join(hub, "bundles", path);
      if (!existsSync(folder)) continue;
      const { blob } = describeBundle(await readFolder(folder), { image: "", content: "objects" });
      const config = { ...emptyConfig(), bundles: [blob] };
      assert.equal([...formatConfig(config, "json")].join(""), (await opm("render", folder)).out, path);
    }
  });

  test("every question to the registry has the same answer", async () => {
    const folder = await folderOf("serve", ...(cases["deprecated"] ?? []));
    await compareServers(folder);
  });

  test("every question about real catalogs has the same answer", { skip: withoutHub }, async () => {
    await compareServers(join(hub, "catalogs"));
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Starts `opm serve` and waits for its log line. */
async function serveOpm(folder: string): Promise<AsyncDisposable & { readonly address: string }> {
  const port = await freePort();
  const child = spawn(programPath(opmProgram()), ["serve", folder, "-p", String(port), "--termination-log", ""], {
    cwd: home,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  await new Promise<void>((done, failed) => {
    child.stderr.on("data", (data: Buffer) => {
      log += data.toString();
      if (log.includes("serving registry")) done();
    });
    child.once("exit", () => failed(new Error(`opm serve ended: ${log}`)));
  });
  return {
    address: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill();
      await ended;
    },
  };
}

async function compareServers(folder: string): Promise<void> {
  await using theirs = await serveOpm(folder);
  await using content = await openContentFolder(folder);
  await using ours = await startRegistryServer({ catalog: () => content.catalog, host: "127.0.0.1", port: 0 });
  using a = await openRegistryClient({ address: ours.address });
  using b = await openRegistryClient({ address: theirs.address });
  const same = async (method: Parameters<RegistryClient["call"]>[0], request: object = {}): Promise<void> => {
    assert.deepEqual(
      await answer(a, method, request),
      await answer(b, method, request),
      `${method} ${JSON.stringify(request)}`,
    );
  };
  await same("ListPackages");
  await same("ListBundles");
  for (const { name: pkgName, channels } of content.catalog.packages.values()) {
    await same("GetPackage", { name: pkgName });
    for (const { name: channelName, entries } of channels.values()) {
      await same("GetBundleForChannel", { pkgName, channelName });
      for (const csvName of entries.keys()) {
        await same("GetBundle", { pkgName, channelName, csvName });
        await same("GetBundleThatReplaces", { pkgName, channelName, csvName });
        await same("GetChannelEntriesThatReplace", { csvName });
      }
    }
  }
  const found = [...content.catalog.packages.values()].flatMap(({ bundles }) => [...bundles.values()]);
  const kinds = found.flatMap(({ properties }) => properties.filter(({ type }) => type === "olm.gvk"));
  const once = new Map(kinds.map(({ value }) => [JSON.stringify(value), value]));
  for (const kind of [...once.values(), { group: "a", version: "b", kind: "c" }]) {
    await same("GetChannelEntriesThatProvide", kind as object);
    await same("GetLatestChannelEntriesThatProvide", kind as object);
    await same("GetDefaultBundleThatProvides", kind as object);
  }
  await same("GetPackage", { name: 'x"y' });
  await same("GetBundle", { pkgName: "gone" });
  await same("GetBundleThatReplaces", { pkgName: "gone" });
}

/** The answer in any order, as the original has none; or the details of the error. */
async function answer(
  client: RegistryClient,
  ...[method, request]: Parameters<RegistryClient["call"]>
): Promise<string[]> {
  try {
    return (await client.call(method, request)).map((value) => JSON.stringify(value)).sort();
  } catch (error) {
    const { cause } = error as Error;
    return [String((cause as { details?: unknown } | undefined)?.details)];
  }
}
