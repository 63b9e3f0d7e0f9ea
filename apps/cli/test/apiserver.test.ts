/** `capstan apiserver` as a separate process. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";

const main = join(import.meta.dirname, "../src/main.ts");

test("files are written to the user's folder, and the ready line names it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-apiserver-"));
  const flags = ["--conditions=@capstan/source", "--disable-warning=ExperimentalWarning", main];
  // The environment of `npm run --prefix CHECKOUT capstan`.
  const env = {
    ...process.env,
    npm_package_name: "capstan-workspace",
    npm_lifecycle_event: "capstan",
    INIT_CWD: folder,
  };
  const words = ["apiserver", "--kubeconfig-out", "admin.yaml", "--data", "state"];
  const child = spawn(process.execPath, [...flags, ...words], { env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [ready] = (await once(createInterface(child.stdout), "line")) as [string];
    assert.match(ready, /^capstan apiserver is ready on https:\S+ \(kubeconfig .*\)$/);
    assert.ok(ready.endsWith(`(kubeconfig ${join(folder, "admin.yaml")})`), ready);
    assert.match(await readFile(join(folder, "admin.yaml"), "utf8"), /certificate-authority-data/);
    assert.ok((await readdir(join(folder, "state"))).length > 0);
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [0, null]);
  } finally {
    if (child.exitCode === null) child.kill("SIGKILL");
    await rm(folder, { recursive: true });
  }
});

test("the audit log has a line with the user for each request", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-apiserver-"));
  const flags = ["--conditions=@capstan/source", "--disable-warning=ExperimentalWarning", main];
  const words = ["apiserver", "--http", "--audit-log", join(folder, "audit.log")];
  const child = spawn(process.execPath, [...flags, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [ready] = (await once(createInterface(child.stdout), "line")) as [string];
    const url = /^capstan apiserver is ready on (http:.*)$/.exec(ready)?.[1];
    assert.ok(url !== undefined, ready);
    const answer = await fetch(`${url}/api/v1/namespaces/default`);
    assert.equal(answer.status, 403);
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [0, null]);
    const lines = (await readFile(join(folder, "audit.log"), "utf8")).trimEnd().split("\n");
    assert.equal(lines.length, 1);
    const event = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
    assert.equal(event["apiVersion"], "audit.k8s.io/v1");
    assert.deepEqual(event["user"], { username: "system:anonymous", groups: ["system:unauthenticated"] });
    assert.deepEqual(event["annotations"], {
      "authorization.k8s.io/decision": "forbid",
      "authorization.k8s.io/reason": "",
    });
  } finally {
    if (child.exitCode === null) child.kill("SIGKILL");
    await rm(folder, { recursive: true });
  }
});
