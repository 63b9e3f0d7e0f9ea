import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigMap, Event, Pod, Secret } from "@capstan/kinds/v1";
import { busybox, eventually, isReady, skip, startRealWorld } from "./real-world.ts";

const names = Array.from({ length: 5000 }, (_, index) => `f${index}`);

function fill(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, name), "");
}

/** Simulates another pod with access to the folder: when the first file is removed, it replaces the folder by a link. */
const exchange = `
const { renameSync, statSync, symlinkSync } = require("node:fs");
const [folder, victim] = process.argv.slice(1);
const before = statSync(folder).mtimeMs;
console.log("looking");
try {
  while (statSync(folder).mtimeMs === before);
  renameSync(folder, folder + "-moved");
  symlinkSync(victim, folder);
} catch {
  // All of it has gone already.
}`;

test("a folder cannot be swapped for the machine's files during its removal", { skip }, async (t) => {
  await using world = await startRealWorld();
  const victim = await mkdtemp("/var/tmp/victim-");
  t.after(() => rm(victim, { recursive: true, force: true }));
  fill(victim);
  const container = { name: "main", image: busybox, command: ["sleep", "100000"] };
  const volumes = [{ name: "v", emptyDir: {} }];
  const volumeMounts = [{ name: "v", mountPath: "/v" }];
  await world.run("leaving", {
    terminationGracePeriodSeconds: 0,
    volumes,
    containers: [{ ...container, volumeMounts }],
  });
  const { uid } = (await world.until("leaving", "runs", isReady)).metadata;
  const folder = join(world.state, "pods", uid, "volumes", "v", "p");
  fill(folder);
  const other = spawn(process.execPath, ["-e", exchange, folder, victim], { stdio: ["ignore", "pipe", "inherit"] });
  const over = once(other, "exit");
  await once(other.stdout, "data");
  await world.client.delete(Pod, { namespace: "default", name: "leaving" });
  await over;
  await eventually(
    "the end",
    async () => existsSync(join(world.state, "pods", uid)),
    (isThere) => !isThere,
  );
  assert.equal(readdirSync(victim).length, names.length);
});

test("files that the node writes for a pod never follow planted links", { skip }, async (t) => {
  await using world = await startRealWorld();
  const victim = await mkdtemp("/var/tmp/victim-");
  t.after(() => rm(victim, { recursive: true, force: true }));
  const metadata = { namespace: "default", name: "config" };
  const change = (color: string): Promise<unknown> =>
    world.client.patch(ConfigMap, metadata, { merge: { data: { color } } });
  await world.client.create(ConfigMap, { metadata, data: { color: "red" } });
  const container = { name: "main", image: busybox, command: ["sleep", "100000"] };
  const spec = {
    terminationGracePeriodSeconds: 0,
    volumes: [{ name: "v", configMap: { name: "config" } }],
    containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/v" }] }],
  };
  for (const name of ["one", "two"]) await world.run(name, spec);
  const { uid } = (await world.until("one", "runs", isReady)).metadata;
  await world.until("two", "runs", isReady);
  const volume = join(world.state, "pods", uid, "volumes", "v");
  renameSync(volume, `${volume}-moved`);
  symlinkSync(victim, volume);
  // Volumes are updated in rounds: when the other pod has seen two updates, this one has been processed.
  for (const color of ["green", "blue"]) {
    await change(color);
    const look = (): Promise<string> => world.inside("two", ["cat", "/v/color"]);
    await eventually("the change", look, (seen) => seen === color);
  }
  assert.deepEqual(readdirSync(victim), []);
});

test("a pod without a sandbox leaves no mounts, cgroups or secrets behind", { skip }, async () => {
  await using world = await startRealWorld();
  const mounts = async (): Promise<number> =>
    Number((await world.machine.run(["sh", "-c", "grep -c /mnt/node/pods/ /proc/self/mountinfo"])).stdout);
  await world.client.create(Secret, { metadata: { namespace: "default", name: "s" }, stringData: { a: "secret" } });
  const volumes = [
    { name: "m", emptyDir: { medium: "Memory" } },
    { name: "s", secret: { secretName: "s" } },
    { name: "h", hostPath: { path: "/h" } },
  ];
  const sysctls = [{ name: "net.ipv4.ip_local_port_range", value: "banana" }];
  await world.run("placeless", { terminationGracePeriodSeconds: 0, volumes, securityContext: { sysctls } });
  const { uid } = (await world.pod("placeless")).metadata;
  const fieldSelector = "reason=FailedCreatePodSandBox";
  await eventually(
    "two tries",
    () => world.client.list(Event, { namespace: "default", fieldSelector }).all(),
    ({ items }) => items.reduce((sum, { count = 1 }) => sum + count, 0) >= 2,
  );
  assert.ok((await mounts()) <= 2, "each volume is mounted once at most");
  await world.client.delete(Pod, { namespace: "default", name: "placeless" });
  await eventually(
    "the end of its folder",
    () => Promise.resolve(existsSync(join(world.state, "pods", uid))),
    (isThere) => !isThere,
  );
  assert.equal(await mounts(), 0);
});

test("an update during the removal of a pod does not recreate its files", { skip }, async () => {
  await using world = await startRealWorld();
  const metadata = { namespace: "default", name: "c" };
  await world.client.create(ConfigMap, { metadata, data: { a: "b" } });
  const volumes = Array.from({ length: 60 }, (_, index) => ({ name: `v${index}`, configMap: { name: "c" } }));
  await world.run("busy", { volumes });
  const { uid } = (await world.until("busy", "runs", isReady)).metadata;
  const { sandbox, pod } = world.node.find("default", "busy")?.situation ?? {};
  assert.ok(sandbox?.is === "ready" && pod !== undefined);
  const files = new Map([["a", { bytes: Buffer.from("changed"), mode: 0o644 }]]);
  const contents = new Map(volumes.map(({ name }) => [name, { type: "files", files } as const]));
  const updating = world.runtime.updateVolumes(sandbox.sandbox, contents);
  // Its container still runs, so its files cannot be removed.
  await world.runtime.removeSandbox(sandbox.sandbox).catch(() => {});
  await updating;
  assert.equal(existsSync(join(world.state, "pods", uid)), false);
});

test("a pod is removed even if conntrack entries cannot be deleted, with a report", { skip }, async () => {
  const told: unknown[] = [];
  await using world = await startRealWorld({ report: (error) => told.push(error) });
  const ports = [{ hostPort: 7301, containerPort: 7301, protocol: "UDP" as const }];
  const container = { name: "main", image: busybox, command: ["sleep", "100000"], ports };
  await world.run("heard", { containers: [container] });
  await world.until("heard", "runs", isReady);
  assert.deepEqual(told, []);
  // The folder to which the program that deletes conntrack entries would be written.
  await world.machine.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", "/mnt/programs"]);
  await world.client.delete(Pod, { namespace: "default", name: "heard" });
  const find = (): Promise<readonly Pod[]> => Array.fromAsync(world.client.list(Pod, { namespace: "default" }));
  await eventually("the end of the pod", find, (pods) => pods.length === 0);
  assert.equal(told.length, 1);
  assert.match(String(told[0]), /Read-only file system/);
});
