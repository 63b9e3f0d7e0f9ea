/** `capstan run`: runs an operator as in production, and ends with the exit codes of the table. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { startCluster } from "@capstan/cluster";
import { checkout } from "./walk.ts";

const entry = join(checkout, "examples/03-reads-wake/main.ts");
const main = join(checkout, "apps/cli/src/main.ts");

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-run-"));
});
after(() => rm(folder, { recursive: true, force: true }));

/** A started program and its output. */
function start(...flags: string[]) {
  const words = [
    "--conditions=@capstan/source",
    "--disable-warning=ExperimentalWarning",
    main,
    "run",
    "--entry",
    entry,
  ];
  const child = spawn(process.execPath, [...words, "--", ...flags], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const ran = { child, out: "", err: "", ended: once(child, "close") };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (ran.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (ran.err += text));
  return ran;
}

/** A kubeconfig for a server, and the flag that names it. */
async function configFor(server: string): Promise<string> {
  const file = join(folder, "kubeconfig");
  const clusters = [{ name: "c", cluster: { server } }];
  const contexts = [{ name: "c", context: { cluster: "c", user: "u" } }];
  const users = [{ name: "u", user: {} }];
  await writeFile(file, JSON.stringify({ clusters, contexts, users, "current-context": "c" }));
  return `--kubeconfig=${file}`;
}

suite("capstan run", () => {
  test("works on the cluster until it is stopped", async () => {
    const cluster = await startCluster({ port: 0, pods: "simulated" });
    try {
      await writeFile(join(folder, "real"), cluster.kubeconfig ?? "");
      const ran = start(`--kubeconfig=${join(folder, "real")}`, "--health-probe-bind-address=127.0.0.1:0");
      for (const end = Date.now() + 120_000; !ran.err.concat(ran.out).includes('"message":"started"'); await wait(50))
        assert.ok(Date.now() < end && ran.child.exitCode === null, ran.err + ran.out);
      const definitions = await cluster.client.resources();
      assert.ok(
        definitions.some(({ kind }) => kind === "Banner"),
        "its CRD is installed",
      );
      ran.child.kill("SIGTERM");
      assert.deepEqual(await ran.ended, [0, null], ran.err);
    } finally {
      await cluster.stop();
    }
  });

  test("an unreachable cluster is exit code 6", async () => {
    const ran = start(await configFor("http://127.0.0.1:9"));
    assert.deepEqual(await ran.ended, [6, null], ran.err);
    assert.match(ran.err, /^capstan: .*127\.0\.0\.1:9/m);
  });

  test("an unknown setting is exit code 2", async () => {
    const ran = start("--nonsense");
    assert.deepEqual(await ran.ended, [2, null], ran.err);
    assert.match(ran.err, /^capstan: .*nonsense/);
  });

  test("a missing kubeconfig is exit code 6", async () => {
    const ran = start("--kubeconfig=/nowhere");
    assert.deepEqual(await ran.ended, [6, null], ran.err);
    assert.match(ran.err, /^capstan: Cannot read the kubeconfig \/nowhere/);
  });
});
