import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort, registryMissing, startRegistry } from "./registry.ts";
import { capstan } from "./terminal.ts";

const entry = fileURLToPath(new URL("../../../examples/memcached/main.ts", import.meta.url));
const image = "registry.example.com/memcached-operator:v0.1.0";

let home = "";
before(async () => {
  home = await mkdtemp(join(tmpdir(), "capstan-bundle-cli-"));
});
after(() => rm(home, { recursive: true, force: true }));

/** A folder with a package.json, like a project. */
async function project(name: string): Promise<string> {
  const cwd = join(home, name);
  await mkdir(cwd, { recursive: true });
  const author = "Ann <ann@example.com> (https://example.com)";
  await writeFile(
    join(cwd, "package.json"),
    JSON.stringify({ name, version: "0.1.0", author, description: "Runs caches" }),
  );
  return cwd;
}

async function generated(name: string, ...more: readonly string[]): Promise<string> {
  const cwd = await project(name);
  const { code, err } = await capstan(["bundle", "generate", "--entry", entry, "--image", image, ...more], { cwd });
  assert.equal(code, 0, err);
  return cwd;
}

async function treeOf(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
    .sort();
}

describe("bundles of a program", () => {
  test("a generated bundle passes all validators except for the icon, and the scorecard", async () => {
    const cwd = await generated("cache-operator", "--channels", "stable");
    const all = ["bundle", "validate", "bundle", "--select-optional", "suite=operatorframework"];
    const { code, out } = await capstan(all, { cwd });
    assert.equal(code, 0, out);
    const warnings = out.split("\n").filter((line) => line !== "");
    assert.deepEqual(warnings, ["warning: Value : (memcached.v0.1.0) csv.Spec.Icon not specified"]);
    assert.equal((await capstan(["bundle", "validate"], { cwd })).code, 0, "the folder bundle is meant");
    const scored = await capstan(["scorecard"], { cwd });
    assert.equal(scored.code, 0, scored.out);
    assert.equal(scored.out.match(/State: pass/g)?.length, 6);
  });

  test("two runs by either command name give the same bytes and remove stale files", async () => {
    const cwd = await generated("again");
    const first = await Promise.all((await treeOf(cwd)).map((path) => readFile(join(cwd, path), "utf8")));
    await writeFile(
      join(cwd, "bundle/manifests/old_v1_secret.yaml"),
      "apiVersion: v1\nkind: Secret\nmetadata: {name: old}\n",
    );
    const { out } = await capstan(["generate", "bundle", "--entry", entry, "--image", image], { cwd });
    assert.match(out, /delete +bundle\/manifests\/old_v1_secret\.yaml/);
    assert.deepEqual(await Promise.all((await treeOf(cwd)).map((path) => readFile(join(cwd, path), "utf8"))), first);
  });

  test("hand-written files in config/manifests/bases are kept", async () => {
    const cwd = await project("written");
    const made = await capstan(["generate", "kustomize", "--entry", entry], { cwd });
    assert.equal(made.code, 0, made.err);
    const base = join(cwd, "config/manifests/bases/memcached.clusterserviceversion.yaml");
    const text = await readFile(base, "utf8");
    assert.match(text, /displayName: Memcached/);
    await writeFile(base, text.replace("displayName: Memcached", "displayName: By Hand"));
    await capstan(["generate", "kustomize", "--entry", entry], { cwd });
    await capstan(["bundle", "generate", "--entry", entry], { cwd });
    assert.match(
      await readFile(join(cwd, "bundle/manifests/memcached.clusterserviceversion.yaml"), "utf8"),
      /displayName: By Hand/,
    );
  });

  test("every version has an example that the server accepts", async () => {
    const cwd = await project("versions");
    const program = fileURLToPath(new URL("../../../examples/06-versions-and-conversion/main.ts", import.meta.url));
    await capstan(["bundle", "generate", "--entry", program], { cwd });
    const { code, out } = await capstan(["bundle", "validate", "bundle"], { cwd });
    assert.deepEqual([code, out], [0, ""]);
  });

  test("manifests of any operator become a bundle", async () => {
    const cwd = await project("plain");
    const { out: manifests } = await capstan(["generate", "manifests", "--entry", entry], { cwd });
    const words = ["bundle", "generate", "--package", "plain", "--version", "1.0.0", "--input-dir", "-"];
    assert.equal((await capstan(words, { cwd, typed: manifests })).code, 0);
    assert.equal((await capstan(["bundle", "validate", "bundle"], { cwd })).code, 0);
  });
});

describe("errors are one sentence", () => {
  async function refused(words: readonly string[], cwd: string, typed = ""): Promise<{ code: number; err: string }> {
    const { code, err } = await capstan(words, { cwd, typed });
    // A progress message may come before it.
    assert.match(err, /^capstan: [^\n]+\n$/m);
    assert.equal(err.match(/^capstan:/gm)?.length, 1);
    return { code, err };
  }

  test("no such folder, no such version, no such selector", async () => {
    const cwd = await project("wrong");
    assert.equal((await refused(["bundle", "validate", "./nowhere"], cwd)).code, 3);
    for (const words of [["bundle", "validate"], ["scorecard"]]) {
      const { code, err } = await refused(words, cwd);
      assert.equal(code, 3);
      assert.match(err, /there is no folder \.\/bundle: make it with capstan bundle generate/);
    }
    assert.equal((await refused(["bundle", "generate", "--entry", entry, "--version", "1"], cwd)).code, 3);
    assert.equal((await refused(["bundle", "validate", "bundle", "--select-optional", "name=nobody"], cwd)).code, 2);
    assert.deepEqual(await treeOf(cwd), ["package.json"]);
  });

  test("a YAML bomb and a truncated bundle", async () => {
    const cwd = await generated("bomb");
    const levels = Array.from({ length: 30 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at},`.repeat(9)}]`).join(
      "\n",
    );
    const bomb = `l0: &l0 [x,x,x,x,x,x,x,x,x]\n${levels}\n`;
    await writeFile(join(cwd, "bundle/manifests/bomb.yaml"), bomb);
    const { code, out } = await capstan(["bundle", "validate", "bundle"], { cwd });
    assert.equal(code, 1);
    assert.match(out, /excessive aliasing/);
    assert.equal((await refused(["bundle", "build", "bomb:v1"], cwd)).code, 3);
    const before = await treeOf(cwd);
    assert.equal(
      (await refused(["bundle", "generate", "--package", "x", "--input-dir", "-"], cwd, `kind: A\n${bomb}`)).code,
      3,
    );
    assert.deepEqual(await treeOf(cwd), before);
    await rm(join(cwd, "bundle/manifests/bomb.yaml"));
    const csv = join(cwd, "bundle/manifests/memcached.clusterserviceversion.yaml");
    await writeFile(csv, (await readFile(csv, "utf8")).slice(0, 700));
    assert.equal((await capstan(["bundle", "validate", "bundle"], { cwd })).code, 1);
  });

  test("an unreachable registry", async () => {
    const cwd = await project("unreachable");
    const { code, err } = await refused(["bundle", "validate", `127.0.0.1:${await freePort()}/app:v1`], cwd);
    assert.equal(code, 8);
    assert.match(err, /could not reach/);
  });
});

test("validators are listed, print JSON, and can be external programs", async () => {
  const cwd = await generated("joined");
  const list = await capstan(["bundle", "validate", "--list-optional"], { cwd });
  for (const name of [
    "operatorhubv2",
    "capabilities",
    "categories",
    "community",
    "alpha-deprecated-apis",
    "good-practices",
    "multiarch",
  ])
    assert.match(list.out, new RegExp(`^${name} +name=${name}`, "m"));
  const program = join(cwd, "validator.sh");
  await writeFile(
    program,
    '#!/bin/sh\ntest -d "$1/manifests" && echo \'{"Name":"x","Errors":[{"Type":"T","Level":"Error","Detail":"not nice"}],"Warnings":null}\'\n',
  );
  await chmod(program, 0o755);
  const { code, out } = await capstan(
    ["bundle", "validate", "bundle", "-o", "json-alpha1", "--classic", "--select-external", program],
    { cwd },
  );
  assert.equal(code, 1);
  const { passed, outputs } = JSON.parse(out) as { passed: boolean; outputs: { type: string; message: string }[] };
  assert.equal(passed, false);
  assert.deepEqual(outputs.at(-1), { type: "error", message: "Error: : not nice" });
});

test("the scorecard lists, selects, and prints all three formats", async () => {
  const cwd = await generated("scored");
  const json = await capstan(["scorecard", "bundle", "-o", "json", "-l", "suite=basic"], { cwd });
  const { kind, items } = JSON.parse(json.out) as {
    kind: string;
    items: { status: { results: { state: string }[] } }[];
  };
  assert.equal(kind, "TestList");
  assert.deepEqual(
    items.map(({ status }) => status.results[0]?.state),
    ["pass"],
  );
  const xml = await capstan(["scorecard", "bundle", "-o", "xunit"], { cwd });
  assert.equal(xml.out.match(/<testsuite .* tests="1" skipped="0" failures="0" errors="0">/g)?.length, 6);
  assert.match(
    (await capstan(["scorecard", "bundle", "-L", "-l", "test=olm-spec-descriptors-test"], { cwd })).out,
    /^-{80}\nImage: /,
  );
  assert.equal((await capstan(["scorecard", "bundle", "-l", "suite=none"], { cwd })).out, "0 tests selected\n");
  const csv = join(cwd, "bundle/manifests/memcached.clusterserviceversion.yaml");
  await writeFile(csv, (await readFile(csv, "utf8")).replaceAll("path: size", "path: other"));
  const failed = await capstan(["scorecard", "bundle", "-l", "test=olm-spec-descriptors-test"], { cwd });
  assert.equal(failed.code, 1);
  assert.match(
    failed.out,
    /State: fail\n\n\tSuggestions:\n\t\tAdd a spec descriptor for size\n\tErrors:\n\t\tsize does not have a spec descriptor/,
  );
});

describe("bundles in a real registry", { skip: registryMissing }, () => {
  test("a bundle is built, pushed and read back with OLM's labels and pinned images", async () => {
    await using registry = await startRegistry();
    const cwd = await generated("pushed");
    const name = `${registry.host}/team/pushed-bundle:v0.1.0`;
    const built = await capstan(["bundle", "build", name], { cwd });
    assert.equal(built.code, 0, built.err);
    const pushed = await capstan(["bundle", "push", name], { cwd });
    assert.equal(pushed.code, 0, pushed.err);
    assert.equal(pushed.out, built.out);
    const config = JSON.parse(
      execFileSync("skopeo", ["inspect", "--tls-verify=false", "--config", `docker://${name}`], { encoding: "utf8" }),
    ) as {
      config: { Labels: { [key: string]: string } };
    };
    assert.equal(config.config.Labels["operators.operatorframework.io.bundle.package.v1"], "memcached");
    const elsewhere = await project("elsewhere");
    assert.equal((await capstan(["bundle", "validate", name], { cwd: elsewhere })).code, 0);
    assert.equal((await capstan(["scorecard", name], { cwd: elsewhere })).code, 0);
    const pinned = await capstan(["bundle", "generate", "--entry", entry, "--image", name, "--use-image-digests"], {
      cwd: elsewhere,
    });
    assert.equal(pinned.code, 0, pinned.err);
    const csv = await readFile(join(elsewhere, "bundle/manifests/memcached.clusterserviceversion.yaml"), "utf8");
    assert.match(csv, new RegExp(`image: ${registry.host}/team/pushed-bundle@sha256:[0-9a-f]{64}`));
    const missing = await capstan(["bundle", "validate", `${registry.host}/team/none:v1`], { cwd: elsewhere });
    assert.equal(missing.code, 8);
  });

  test("a registry error is reported, and a login comes from Docker's configuration", async () => {
    await using registry = await startRegistry(
      execFileSync("htpasswd", ["-Bbn", "ann", "secret"], { encoding: "utf8" }),
    );
    const cwd = await generated("locked");
    const name = `${registry.host}/locked-bundle:v1`;
    await capstan(["bundle", "build", name], { cwd });
    const refused = await capstan(["bundle", "push", name], { cwd, env: { HOME: cwd } });
    assert.equal(refused.code, 8);
    assert.match(refused.err, /capstan: [^\n]*log in[^\n]*\n$/);
    await mkdir(join(cwd, ".docker"));
    const auth = Buffer.from("ann:secret").toString("base64");
    await writeFile(join(cwd, ".docker/config.json"), JSON.stringify({ auths: { [registry.host]: { auth } } }));
    const pushed = await capstan(["bundle", "push", name], { cwd, env: { HOME: cwd } });
    assert.equal(pushed.code, 0, pushed.err);
  });
});
