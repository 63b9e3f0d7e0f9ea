/** `capstan dev --inspect`: a debugger finds the program at one port, also after a reload. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startCluster } from "@capstan/cluster";
import { Runner } from "../src/dev/runner.ts";

const entry = fileURLToPath(new URL("../../../examples/01-minimal/main.ts", import.meta.url));

/** The process that a debugger attaches to at a port. */
async function debuggedAt(port: number): Promise<string> {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined);
    const [target] = answer === undefined ? [] : ((await answer.json()) as readonly { readonly id: string }[]);
    if (target !== undefined) return target.id;
    assert.ok(tries < 600, `no debugger can attach at port ${port}`);
    await delay(100);
  }
}

test("a debugger attaches at one port before and after a reload", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-inspect-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const cluster = await startCluster({ pods: "simulated", port: 0 });
  t.after(() => cluster.stop());
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig ?? "");
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await using runner = new Runner({
    cwd: folder,
    entry,
    flags: [`--kubeconfig=${kubeconfig}`, "--install-crds=true"],
    inspect: port,
    line: () => undefined,
    failed: () => undefined,
    loaded: () => undefined,
    started: () => undefined,
  });
  await runner.reload();
  const first = await debuggedAt(port);
  await runner.reload();
  assert.notEqual(await debuggedAt(port), first, "the debugger finds the new process");
});
