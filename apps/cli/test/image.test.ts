import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  buildImage,
  buildIndex,
  compressionOf,
  findAttachments,
  openStore,
  parseReference,
  pushImage,
  RegistrySession,
  unpackLayer,
} from "@capstan/oci";
import { nodeFlags } from "@capstan/runtime";
import { registryMissing, startRegistry } from "./registry.ts";
import { capstan } from "./terminal.ts";

const entry = fileURLToPath(new URL("../../../examples/memcached/main.ts", import.meta.url));
const here = { os: "linux", architecture: process.arch === "x64" ? "amd64" : process.arch };

let cwd = "";
before(async () => {
  cwd = await mkdtemp(join(tmpdir(), "capstan-image-"));
});
after(() => rm(cwd, { recursive: true, force: true }));

test("the operator's image has what it loads, runs as non-root, and has an SBOM", async () => {
  const { code, out, err } = await capstan(
    ["image", "build", "example.com/cache:v1", "--entry", entry, "--sbom", "sbom.json", "--label", "team=cache"],
    { cwd },
  );
  assert.equal(code, 0, err);
  assert.match(out, /^example\.com\/cache:v1@sha256:[0-9a-f]{64}\n$/);
  const store = await openStore(join(cwd, ".capstan/images"));
  const { manifest, config } = await store.image((await store.find("example.com/cache:v1")) ?? assert.fail(), here);
  assert.equal(config.config?.User, "65532:65532");
  assert.equal(config.config.Labels?.["team"], "cache");
  const bytes = manifest.layers.reduce((sum, { size }) => sum + size, 0);
  assert.ok(bytes < 45.5e6, `${bytes} bytes`);
  const { packages } = JSON.parse(await readFile(join(cwd, "sbom.json"), "utf8")) as {
    packages: { name: string; versionInfo: string }[];
  };
  const names = new Set(packages.map(({ name }) => name));
  for (const name of ["node", "capstan", "@capstan/runtime", "ws"]) assert.ok(names.has(name), `${name} is not listed`);
  for (const name of ["@capstan/cli", "@capstan/cluster", "typescript"])
    assert.ok(!names.has(name), `${name} is not needed`);
});

test("the same sources give the same digest at any place and time", async () => {
  const build = async (name: string): Promise<string | undefined> => {
    const root = join(cwd, name);
    await mkdir(join(root, "node_modules/dependency"), { recursive: true });
    await writeFile(
      join(root, "package.json"),
      '{"name":"mini","type":"module","dependencies":{"dependency":"1.0.0"}}',
    );
    await writeFile(join(root, "main.ts"), 'import "dependency";\nexport const answer: number = 42;\n');
    await writeFile(
      join(root, "node_modules/dependency/package.json"),
      '{"name":"dependency","version":"1.0.0","main":"index.js"}',
    );
    await writeFile(join(root, "node_modules/dependency/index.js"), "exports.a = 1;\n");
    const { code, out, err } = await capstan(["image", "build", "example.com/mini:v1"], { cwd: root });
    assert.equal(code, 0, err);
    return out.split("@")[1];
  };
  assert.equal(await build("here"), await build("there"));
});

test(
  "it runs with a read-only root",
  { skip: spawnSync("which", ["bwrap"]).status !== 0 && process.env["CI"] !== "true" ? "install bubblewrap" : false },
  async () => {
    const store = await openStore(join(cwd, ".capstan/images"));
    const { manifest, config } = await store.image((await store.find("example.com/cache:v1")) ?? assert.fail(), here);
    const root = join(cwd, "root");
    await mkdir(root);
    for (const { digest, mediaType } of manifest.layers)
      await unpackLayer(store.read(digest), compressionOf(mediaType), root, { owners: "mine", whiteouts: "remove" });
    const sandbox = [
      "--ro-bind",
      root,
      "/",
      "--proc",
      "/proc",
      "--dev",
      "/dev",
      "--unshare-user",
      "--unshare-net",
      "--uid",
      "65532",
      "--gid",
      "65532",
      "--clearenv",
    ];
    const entrypoint = config.config?.Entrypoint ?? [];
    assert.deepEqual(entrypoint.slice(1, 1 + nodeFlags.length), nodeFlags, "Node is started as in the benchmark");
    const command = [...sandbox, "--chdir", config.config?.WorkingDir ?? "/", ...entrypoint];
    const { stdout } = await promisify(execFile)("bwrap", [...command, "--help"], { timeout: 120_000 });
    assert.match(stdout, /--leader-elect/);
  },
);

describe("images for several platforms, from a real registry", { skip: registryMissing }, () => {
  test("each platform gets its own Node below the same operator", async () => {
    await using registry = await startRegistry();
    const store = await openStore(join(cwd, "base"));
    const platforms = ["amd64", "arm64"].map((architecture) => ({ os: "linux", architecture }));
    const bases = await Promise.all(
      platforms.map((platform) =>
        buildImage(
          {
            platform,
            layers: [[{ path: "usr/local/bin/node", mode: 0o755, body: `node for ${platform.architecture}` }]],
          },
          store,
        ),
      ),
    );
    const base = parseReference(`${registry.host}/library/node:24`);
    const session = new RegistrySession(registry.host, {
      fetch: (url, init) => fetch(url, init),
      credentials: async () => undefined,
      wait: async () => undefined,
    });
    await pushImage(await buildIndex(bases, store), base, { store, session });
    const name = `${registry.host}/team/cache:v1`;
    const words = [
      "image",
      "build",
      name,
      "--entry",
      entry,
      "--from",
      `${registry.host}/library/node:24`,
      "--platform",
      "linux/amd64,linux/arm64",
    ];
    const built = await capstan(words, { cwd });
    assert.equal(built.code, 0, built.err);
    const pushed = await capstan(["image", "push", name], { cwd });
    assert.equal(pushed.code, 0, pushed.err);
    const raw = execFileSync("skopeo", ["inspect", "--tls-verify=false", "--raw", `docker://${name}`], {
      encoding: "utf8",
    });
    const { manifests } = JSON.parse(raw) as { manifests: { platform: { architecture: string } }[] };
    const digest = pushed.out.trim().split("@")[1] ?? "";
    const [sbom] = await findAttachments(name, digest, session);
    assert.equal(sbom?.artifactType, "application/spdx+json");
    assert.deepEqual(
      manifests.map(({ platform }) => platform.architecture),
      ["amd64", "arm64"],
    );
  });

  test("an unbuilt image is not pushed, and a platform without Node is rejected", async () => {
    const missing = await capstan(["image", "push", "example.com/never:v1"], { cwd });
    assert.equal(missing.code, 3);
    assert.match(missing.err, /no image was built as example\.com\/never:v1/);
    const foreign = await capstan(
      ["image", "build", "example.com/x:v1", "--entry", entry, "--platform", "linux/s390x"],
      { cwd },
    );
    assert.equal(foreign.code, 2);
    assert.match(foreign.err, /name an image with Node/);
  });
});

test("a program that cannot be loaded fails with its own error", async () => {
  await writeFile(join(cwd, "package.json"), '{"name":"broken","type":"module"}');
  await writeFile(join(cwd, "broken.ts"), 'throw new Error("not today");\n');
  const { code, err } = await capstan(["image", "build", "example.com/broken:v1", "--entry", "broken.ts"], { cwd });
  assert.equal(code, 3);
  assert.match(err, /capstan: cannot load .*broken\.ts: not today\n$/);
});

test("a built image is available to the clusters of this machine, if not disabled", async (t) => {
  const data = await mkdtemp(join(tmpdir(), "capstan-data-"));
  t.after(() => rm(data, { recursive: true }));
  const at = { cwd, env: { XDG_DATA_HOME: data } };
  const listed = async (): Promise<string[]> => {
    const { out } = await capstan(["cluster", "images", "list", "-o", "json"], at);
    return (JSON.parse(out) as { name: string }[]).map(({ name }) => name);
  };
  const build = async (name: string, ...more: string[]): Promise<string> => {
    const { code, err } = await capstan(["image", "build", name, "--entry", entry, ...more], at);
    assert.equal(code, 0, err);
    return err;
  };
  assert.match(await build("near:v1"), /capstan cluster finds it/);
  assert.doesNotMatch(await build("far:v1", "--no-local"), /capstan cluster/);
  assert.deepEqual(await listed(), ["docker.io/library/near:v1"]);
  const near = await openStore(join(data, "capstan/images"));
  const descriptor = (await near.find("docker.io/library/near:v1")) ?? assert.fail();
  const { manifest } = await near.image(descriptor, here);
  for (const { digest } of manifest.layers) assert.ok(await near.has(digest), digest);

  const { code, err } = await capstan(["image", "build", "alone:v1", "--entry", entry], { cwd, env: {} });
  assert.equal(code, 0, err);
  assert.doesNotMatch(err, /capstan cluster/);
});
