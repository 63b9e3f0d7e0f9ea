/** A fresh project with `dev --pods real`: its object becomes a pod with a process on this machine. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { kubernetesMissing } from "@capstan/kubernetes";
import { inspectMachine } from "@capstan/node";
import { realKubectl } from "./kubectl.ts";
import { capstan } from "./terminal.ts";
import { checkout } from "./walk.ts";

const { canRunPods } = await inspectMachine(process);
const cannot =
  canRunPods || process.env["CI"] === "true" ? false : "this machine cannot run real pods: see capstan doctor";

test(
  "with real pods, the pod of a fresh project's object runs its program",
  { skip: cannot || kubernetesMissing() },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "capstan-real-"));
    t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const env = { ...process.env, XDG_DATA_HOME: join(folder, "data") };
    const must = async (...words: string[]): Promise<void> => {
      const { code, err } = await capstan(words, { cwd: folder, env });
      assert.equal(code, 0, err);
    };
    // The image of the sample, from this machine instead of a registry.
    await must("cluster", "load-image", "--program", "sleep", "--tag", "busybox:1.37");
    await must("init", "real", "--capstan", checkout);
    const cwd = join(folder, "real");
    const main = join(checkout, "apps/cli/src/main.ts");
    const words = [
      "--conditions=@capstan/source",
      main,
      "dev",
      "--pods",
      "real",
      "--apply",
      "samples/app-service.yaml",
    ];
    const child = spawn(process.execPath, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (said += text));
    try {
      for (const end = Date.now() + 120_000; !/example-app-service Ready=True/.test(said); await wait(50))
        assert.ok(Date.now() < end && child.exitCode === null, `the pod did not run:\n${said}`);
      assert.match(said, /embedded cluster on \S+ with real pods/);
      // Only a real pod can run another program.
      const exec = ["--kubeconfig", join(cwd, ".capstan/kubeconfig"), "exec", "example-app-service-pod", "--"];
      await promisify(execFile)(await realKubectl(), [...exec, "sleep", "0"]);
      await assert.rejects(
        promisify(execFile)(await realKubectl(), [...exec, "sleep", "never"]),
        /invalid time interval/,
      );
    } finally {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
  },
);
