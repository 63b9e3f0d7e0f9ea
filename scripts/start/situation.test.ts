import assert from "node:assert/strict";
import { chmod, copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { inspectMachine } from "@capstan/node";
import { buildImage, formatReference, openStore, parseReference, platformOf, type Store } from "@capstan/oci";
import { describeSituation, findSituation, type Surroundings } from "./situation.ts";

const wanted = { image: "registry.test/memcached:1.6", program: "memcached" };
const nobody: typeof fetch = () => Promise.reject(new Error("connect ECONNREFUSED"));
/** A machine that can run pods, whatever machine runs the test. */
const inspect: typeof inspectMachine = () => Promise.resolve({ canRunPods: true, rights: "root", findings: [] });

async function surroundings(
  t: TestContext,
  given: Partial<Surroundings> = {},
): Promise<Surroundings & { store: Store }> {
  const folder = await mkdtemp(join(tmpdir(), "situation-"));
  t.after(() => rm(folder, { recursive: true }));
  const store = await openStore(join(folder, "images"));
  return { machine: process, inspect, env: { PATH: folder }, fetch: nobody, ...given, store };
}

async function anImage(store: Store): Promise<void> {
  const layers = [[{ path: "/program", type: "file" as const, mode: 0o755, body: "x" }]];
  const descriptor = await buildImage({ platform: platformOf(process), layers }, store);
  await store.tag(formatReference(parseReference(wanted.image)), descriptor);
}

/** A registry with the content of a store. */
function registryOf(store: Store): typeof fetch {
  return async (url) => {
    const [, , , kind = "", name = ""] = new URL(url instanceof Request ? url.url : url).pathname.split("/");
    const found = kind === "manifests" && !name.includes(":") ? (await store.list())[0]?.descriptor : undefined;
    const digest = found?.digest ?? name;
    const chunks: Uint8Array[] = [];
    for await (const chunk of store.read(digest)) chunks.push(chunk);
    const headers = { "content-type": found?.mediaType ?? "application/octet-stream", "docker-content-digest": digest };
    return new Response(Buffer.concat(chunks), { headers });
  };
}

test("an image of the local store is used directly", async (t) => {
  const around = await surroundings(t);
  await anImage(around.store);
  const situation = await findSituation(wanted, around);
  assert.deepEqual(situation, { pods: "real", image: "store" });
  assert.match(describeSituation(situation, wanted), /real programs: .* is in the local store/);
});

test("with a reachable registry the image is pulled", async (t) => {
  const other = await surroundings(t);
  await anImage(other.store);
  const around = await surroundings(t, { fetch: registryOf(other.store) });
  assert.deepEqual(await findSituation(wanted, around), { pods: "real", image: "registry" });
  assert.ok(await around.store.find(wanted.image));
});

test("without a registry the image is built from the installed program", async (t) => {
  const around = await surroundings(t);
  const program = join(around.env["PATH"] ?? "", "memcached");
  await copyFile("/bin/true", program);
  await chmod(program, 0o755);
  const situation = await findSituation(wanted, around);
  assert.deepEqual(situation, { pods: "real", image: "machine" });
  assert.match(describeSituation(situation, wanted), /made from this machine's memcached/);
  assert.ok(await around.store.find(wanted.image));
});

test("with neither, pods are simulated, and the reason is given", async (t) => {
  const situation = await findSituation(wanted, await surroundings(t));
  assert.match(describeSituation(situation, wanted), /simulated .*: no registry is in reach, .* is not installed/);
});

test("a machine that cannot run pods reports what is missing", async (t) => {
  const situation = await findSituation(
    wanted,
    await surroundings(t, { machine: { ...process, platform: "darwin" }, inspect: inspectMachine }),
  );
  assert.match(describeSituation(situation, wanted), /cannot run real ones: Linux \(use Linux, or simulated pods\)/);
});
