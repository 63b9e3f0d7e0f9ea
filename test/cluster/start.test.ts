import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { inspectMachine } from "@capstan/node";

const execute = promisify(execFile);
const { canRunPods } = await inspectMachine(process);
const isCi = process.env["CI"] === "true";
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const skip = canRunPods || isCi ? false : "this machine cannot run real pods; capstan doctor says why";
const skipUser =
  skip === false && !isRoot ? "only root can become somebody else; the other tests run as a user then" : skip;

/** Runs what `npm start` runs, in a separate home; it ends by itself, because there is no terminal. */
async function start(t: TestContext, { path = process.env["PATH"] ?? "", as = 0 } = {}): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "start-"));
  t.after(() => rm(home, { recursive: true, force: true, maxRetries: 10 }));
  await chown(home, process.getuid?.() === 0 ? as : -1, -1).catch(() => {});
  const become = ["setpriv", "--reuid", `${as}`, "--regid", `${as}`, "--clear-groups", "--no-new-privs", "--"];
  const node = [process.execPath, "--conditions=@capstan/source", "scripts/start.ts"];
  const [program = "", ...words] = as === 0 ? node : [...become, ...node];
  const env = { PATH: path, HOME: home, TMPDIR: tmpdir() };
  const cwd = join(import.meta.dirname, "../..");
  return (await execute(program, words, { env, cwd, timeout: 300_000 })).stdout;
}

function assertRealDemonstration(said: string): void {
  assert.match(said, /the embedded cluster is up; its pods are real programs: .*memcached:1\.6/);
  assert.match(said, /memcached\/cache {2}\[###\] {2}Available/);
  assert.match(said, /one of its servers was asked over the network and says: VERSION 1\.6/);
}

test("npm start shows the whole demonstration with real pods", { skip }, async (t) => {
  assertRealDemonstration(await start(t));
});

test("npm start shows the same to a user without any rights", { skip: skipUser }, async (t) => {
  assertRealDemonstration(await start(t, { as: nobody }));
});

test("npm start uses simulated pods where tools are missing, and names them", async (t) => {
  const said = await start(t, { path: "/nowhere" });
  assert.match(said, /its pods are simulated .*: this machine cannot run real ones: /);
  if (process.platform === "linux") assert.match(said, /\bmount \(install the package mount\)/);
  assert.match(said, /memcached\/cache {2}\[###\] {2}Available/);
});

test("npm start leaves nothing behind when stopped while its pods start", async (t) => {
  const home = await mkdtemp(join(tmpdir(), "start-"));
  t.after(() => rm(home, { recursive: true, force: true, maxRetries: 10 }));
  const files = join(home, "files");
  await mkdir(files);
  const child = spawn(process.execPath, ["--conditions=@capstan/source", "scripts/start.ts"], {
    env: { PATH: process.env["PATH"], HOME: home, TMPDIR: files },
    cwd: join(import.meta.dirname, "../.."),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const isUp = new Promise<void>((resolve) => {
    let said = "";
    child.stdout.on("data", (text) => {
      said += String(text);
      if (said.includes("the embedded cluster is up")) resolve();
    });
  });
  await Promise.race([isUp, ended]);
  assert.notDeepEqual(await readdir(files), [], "it has begun");
  child.kill("SIGINT");
  assert.deepEqual(await ended, [0, null], "it ends by itself");
  assert.deepEqual(await readdir(files), []);
});
