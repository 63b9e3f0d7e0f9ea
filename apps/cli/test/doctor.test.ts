/** The output of `capstan doctor` at several terminal widths. */
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { realKubectl } from "./kubectl.ts";
import { capstan } from "./terminal.ts";

interface Found {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
}

async function found(env: { readonly [name: string]: string }): Promise<ReadonlyMap<string, Found>> {
  const { out } = await capstan(["doctor", "-o", "json"], { env, cwd: tmpdir() });
  return new Map((JSON.parse(out) as Found[]).map((one) => [one.name, one]));
}

test("kubectl is searched, and its version is printed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-doctor-"));
  try {
    const none = (await found({ HOME: folder, PATH: folder })).get("kubectl");
    assert.equal(none?.state, "absent");
    assert.match(none.detail, /not on the PATH/);
    const program = await realKubectl();
    await writeFile(join(folder, "kubectl"), `#!/bin/sh\nexec "${program}" "$@"\n`);
    await chmod(join(folder, "kubectl"), 0o755);
    const there = (await found({ HOME: folder, PATH: `${folder}:/usr/bin:/bin` })).get("kubectl");
    assert.equal(there?.state, "ok");
    assert.match(there.detail, /^v1\.\d+\.\d+/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

for (const columns of [80, 200]) {
  test(`at ${columns} columns no line is cut, and only single long words are wider`, async () => {
    const env = { HOME: tmpdir(), PATH: "/nowhere", KUBECONFIG: "/nowhere/at/all/kubeconfig" };
    const { out } = await capstan(["doctor"], { env, columns, cwd: tmpdir() });
    assert.doesNotMatch(out, /…/);
    for (const line of out.split("\n")) {
      const longest = Math.max(...line.split(" ").map((word) => word.length));
      assert.ok(line.length <= columns || longest > columns / 2, line);
    }
    const said = [...(await found(env)).values()].map(({ detail }) => detail.replaceAll(/\s+/g, ""));
    for (const detail of said) assert.ok(out.replaceAll(/\s+/g, "").includes(detail), detail);
  });
}

test("the project is found from a folder below it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-doctor-"));
  try {
    assert.equal((await capstan(["init", ".", "--project-name", "found"], { cwd: folder })).code, 0);
    const { out } = await capstan(["doctor", "-o", "json"], { env: { HOME: folder }, cwd: join(folder, "src") });
    const project = (JSON.parse(out) as Found[]).find(({ name }) => name === "project");
    assert.deepEqual([project?.state, project?.detail], ["ok", folder]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
