/** The operator as a program on the whole embedded cluster, where Deployments create pods and pods take time to stop. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startCluster } from "@capstan/cluster";
import { Pod } from "capstan/kinds/v1";
import { Memcached } from "./main.ts";

test("pods follow size and image, and are gone before their Memcached is", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-memcached-"));
  await using cluster = await startCluster({ port: 0 });
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig ?? "");
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const flags = [`--kubeconfig=${kubeconfig}`, "--install-crds", "--health-probe-bind-address=0"];
  const program = spawn(process.execPath, ["--conditions=@capstan/source", main, ...flags], { stdio: "ignore" });
  const { client } = cluster;
  const namespace = "default";
  const place = { namespace, name: "cache" };
  const pods = async () => (await client.list(Pod, { namespace }).all()).items;
  const found = () => client.get(Memcached, place).catch(() => undefined);
  const apply = (spec: { size: number; image?: string }) =>
    client.apply(Memcached, { metadata: place, spec }, { fieldManager: "test", force: true });
  try {
    await until("the kind to be served", () => apply({ size: 3 }).then(Boolean, () => false));
    for (const size of [3, 5, 1]) {
      await apply({ size });
      await until(`${size} pods in the status, all available`, async () => {
        const { status } = (await found()) ?? {};
        const [condition] = status?.conditions ?? [];
        return status?.nodes?.length === size && condition?.status === "True" && (await pods()).length === size;
      });
    }
    await apply({ size: 2, image: "memcached:1.7" });
    await until("only pods with the new image", async () => {
      const images = (await pods()).map(({ spec }) => spec?.containers[0]?.image);
      return images.length === 2 && images.every((image) => image === "memcached:1.7");
    });
    await client.delete(Memcached, place);
    await until("the object to go", async () => (await found()) === undefined);
    assert.deepEqual(await pods(), [], "no server outlives its Memcached");
  } finally {
    const ended = once(program, "exit");
    program.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true });
  }
});

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 120_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `waited in vain for ${what}`);
    await delay(50);
  }
}
