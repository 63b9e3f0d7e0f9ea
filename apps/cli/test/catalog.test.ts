/** Tests of the commands of catalogs, with a real registry. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { registryMissing, startRegistry } from "./registry.ts";
import { capstan } from "./terminal.ts";

let home = "";
before(async () => {
  home = await mkdtemp(join(tmpdir(), "capstan-catalog-cli-"));
});
after(() => rm(home, { recursive: true, force: true }));

/** Writes the folder of a bundle. */
async function writeBundle(folder: string, version: string, replaces = ""): Promise<void> {
  await mkdir(join(folder, "manifests"), { recursive: true });
  await mkdir(join(folder, "metadata"), { recursive: true });
  const prefix = "operators.operatorframework.io.bundle";
  const annotations = {
    [`${prefix}.mediatype.v1`]: "registry+v1",
    [`${prefix}.manifests.v1`]: "manifests/",
    [`${prefix}.metadata.v1`]: "metadata/",
    [`${prefix}.package.v1`]: "cache",
    [`${prefix}.channels.v1`]: "stable",
    [`${prefix}.channel.default.v1`]: "stable",
  };
  await writeFile(join(folder, "metadata/annotations.yaml"), JSON.stringify({ annotations }));
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: `cache.v${version}` },
    spec: {
      version,
      ...(replaces === "" ? {} : { replaces }),
      displayName: "Cache",
      description: "Runs caches",
      install: { strategy: "deployment", spec: { deployments: [] } },
      installModes: [{ type: "AllNamespaces", supported: true }],
    },
  };
  await writeFile(join(folder, "manifests/cache.clusterserviceversion.yaml"), JSON.stringify(csv));
}

async function workplace(name: string): Promise<string> {
  const cwd = join(home, name);
  await mkdir(cwd, { recursive: true });
  for (const [version, replaces] of [
    ["1.0.0", ""],
    ["1.1.0", "cache.v1.0.0"],
  ] as const)
    await writeBundle(join(cwd, "cache", version), version, replaces);
  return cwd;
}

const template = ["--image-template", "registry.example.com/{package}:v{version}"];

test("bundles are added to a catalog, each on top of the one before", async () => {
  const cwd = await workplace("add");
  const add = async (version: string, ...more: readonly string[]) =>
    capstan(["catalog", "add", "catalog", `cache/${version}`, ...template, ...more], { cwd });
  assert.equal((await add("1.0.0")).code, 0);
  const { code, out, err } = await add("1.1.0", "--skip-range", "<1.1.0");
  assert.equal(code, 0, err);
  assert.match(out, /added cache\.v1\.1\.0 to the channel stable in .*catalog\/cache\/catalog\.yaml/);
  const text = await readFile(join(cwd, "catalog/cache/catalog.yaml"), "utf8");
  assert.match(text, /replaces: cache\.v1\.0\.0\n {2}skipRange: <1\.1\.0/);
  assert.match(text, /type: olm\.csv\.metadata/);
  const valid = await capstan(["catalog", "validate", "-o", "json"], { cwd });
  assert.deepEqual(JSON.parse(valid.out), { valid: true, packages: 1, channels: 1, bundles: 2 });
  const twice = await add("1.1.0");
  assert.equal(twice.code, 3);
  assert.match(twice.err, /the channel "stable" has "cache\.v1\.1\.0" already/);
});

test("raw bundles become a catalog with the edges that ci.yaml asks for", async () => {
  const cwd = await workplace("operators");
  await writeFile(join(cwd, "cache/ci.yaml"), "updateGraph: replaces-mode\n");
  const { code, out, err } = await capstan(["catalog", "render", "--operators", ".", ...template, "-o", "yaml"], {
    cwd,
  });
  assert.equal(code, 0, err);
  await mkdir(join(cwd, "made"));
  await writeFile(join(cwd, "made/catalog.yaml"), out);
  assert.equal((await capstan(["catalog", "validate", "made"], { cwd })).code, 0);
  assert.match(out, /image: registry\.example\.com\/cache:v1\.1\.0/);
});

test("an invalid catalog exits with 1 and names each problem", async () => {
  const cwd = await workplace("invalid");
  await mkdir(join(cwd, "catalog"));
  const { out } = await capstan(["catalog", "init", "cache", "-c", "beta"], { cwd });
  await writeFile(join(cwd, "catalog/package.json"), out);
  const { code, err } = await capstan(["catalog", "validate"], { cwd });
  assert.equal(code, 1);
  assert.match(err, /invalid package "cache":\n.*invalid channel "beta":\n.*channel must contain at least one bundle/);
  assert.equal((await capstan(["catalog", "validate", "gone"], { cwd })).code, 3);
  assert.equal((await capstan(["catalog", "render"], { cwd })).code, 2);
});

test("a catalog goes from bundle images by a template to a registry and back", { skip: registryMissing }, async () => {
  await using registry = await startRegistry();
  const cwd = await workplace("images");
  const run = async (...words: readonly string[]) => {
    const { code, out, err } = await capstan(words, { cwd });
    assert.equal(code, 0, `${words.join(" ")}: ${err}`);
    return out;
  };
  const image = (version: string): string => `${registry.host}/cache:v${version}`;
  for (const version of ["1.0.0", "1.1.0"]) {
    await run("bundle", "build", image(version), "--dir", `cache/${version}`);
    await run("bundle", "push", image(version), "--insecure");
  }
  await rm(join(cwd, ".capstan"), { recursive: true });
  const bundles = ["1.0.0", "1.1.0"].map((version) => ({ image: image(version) }));
  await writeFile(join(cwd, "semver.json"), JSON.stringify({ schema: "olm.semver", stable: { bundles } }));
  await mkdir(join(cwd, "catalog"));
  await writeFile(
    join(cwd, "catalog/cache.json"),
    await run("catalog", "render", "semver.json", "--migrate", "--insecure"),
  );
  await run("catalog", "build", `${registry.host}/catalog:v1`);
  await run("catalog", "push", `${registry.host}/catalog:v1`, "--insecure");
  await rm(join(cwd, ".capstan"), { recursive: true });
  const back = await run("catalog", "render", `${registry.host}/catalog:v1`, "--insecure");
  assert.equal(back, await run("catalog", "render", "catalog"));
  assert.match(back, /"name": "stable-v1\.1"/);
});
