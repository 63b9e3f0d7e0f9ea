import assert from "node:assert/strict";
import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Pod } from "@capstan/kinds/v1";
import {
  busybox,
  eventually,
  hasEnded,
  isReady,
  skipLimits as skip,
  startRealWorld,
  type RealWorld,
} from "./real-world.ts";

let world: RealWorld;
before(async () => {
  if (skip === false) world = await startRealWorld();
});
after(async () => {
  if (skip === false) await world[Symbol.asyncDispose]();
});

const read = (pod: string, v1: string, v2: string): Promise<string> =>
  world.inside(pod, ["sh", "-c", `cat /sys/fs/cgroup/${v1} 2>/dev/null || cat /sys/fs/cgroup/${v2}`]);
const resources = { requests: { cpu: "100m", memory: "32Mi" }, limits: { cpu: "250m", memory: "64Mi" } };

test("a container sees its own limits", { skip }, async () => {
  const command = ["sleep", "1000"];
  await world.run("limited", { containers: [{ name: "main", image: busybox, command, resources }] });
  await world.until("limited", "ready", isReady);
  assert.equal(await read("limited", "memory/memory.limit_in_bytes", "memory.max"), String(64 * 2 ** 20));
  assert.match(await read("limited", "cpu/cpu.cfs_quota_us", "cpu.max"), /^25000/);
  assert.match(await world.inside("limited", ["cat", "/proc/1/oom_score_adj"]), /^9\d\d$/);
});

test("exec runs with the container's limits", { skip }, async () => {
  const command = ["sleep", "1000"];
  await world.run("commanded", { containers: [{ name: "main", image: busybox, command, resources }] });
  await world.until("commanded", "ready", isReady);
  for (const file of ["cgroup", "oom_score_adj"]) {
    const own = await world.inside("commanded", ["cat", `/proc/1/${file}`]);
    assert.equal(await world.inside("commanded", ["cat", `/proc/self/${file}`]), own);
    // Children of the command are in the same cgroup.
    assert.equal(await world.inside("commanded", ["sh", "-c", `cat /proc/self/${file}; true`]), own);
  }
});

test("all pods together may have half of the machine's processes", { skip }, async () => {
  await world.run("counted", {});
  await world.until("counted", "ready", isReady);
  const groups = await world.inside("counted", ["cat", "/proc/1/cgroup"]);
  const place = /^\d+:(?:pids)?:(.*capstan.*)\/kubepods\//m.exec(groups)?.[1];
  assert.ok(place !== undefined, groups);
  const read = (path: string): Promise<string> => readFile(path, "utf8");
  const most = await read(`/sys/fs/cgroup/pids${place}/pids.max`).catch(() => read(`/sys/fs/cgroup${place}/pids.max`));
  assert.ok(Number(most) > 0 && Number(most) <= Number(await read("/proc/sys/kernel/pid_max")) / 2, most);
});

test("a container over its memory limit is OOM-killed, and that is reported", { skip }, async () => {
  const greedy = {
    name: "main",
    image: busybox,
    command: ["tail", "/dev/zero"],
    resources: { limits: { memory: "20Mi" } },
  };
  await world.run("greedy", { restartPolicy: "Never", containers: [greedy] });
  const { status } = await world.until("greedy", "ended", hasEnded);
  const ended = status?.containerStatuses?.[0]?.state?.terminated;
  assert.deepEqual([ended?.reason, ended?.exitCode, status?.phase], ["OOMKilled", 137, "Failed"]);
});

const resized = (name: string, cpu: string): Promise<Pod> =>
  world.until(name, "resized", ({ status }) => status?.containerStatuses?.[0]?.resources?.limits?.["cpu"] === cpu);

test("a running container is resized without a restart", { skip }, async () => {
  const command = ["sleep", "1000"];
  await world.run("growing", { containers: [{ name: "main", image: busybox, command, resources }] });
  await world.until("growing", "ready", isReady);
  const more = { requests: { cpu: "200m", memory: "32Mi" }, limits: { cpu: "500m", memory: "128Mi" } };
  const patch = { strategic: { spec: { containers: [{ name: "main", resources: more }] } } };
  await world.client.patch(Pod, { namespace: "default", name: "growing" }, patch, { subresource: "resize" });
  const { status } = await resized("growing", "500m");
  assert.equal(status?.containerStatuses?.[0]?.restartCount, 0);
  assert.deepEqual(status?.containerStatuses?.[0]?.allocatedResources, more.requests);
  assert.match(await read("growing", "cpu/cpu.cfs_quota_us", "cpu.max"), /^50000/);
  assert.equal(await read("growing", "memory/memory.limit_in_bytes", "memory.max"), String(128 * 2 ** 20));
});

test("the usage of a container can be read from its node", { skip }, async () => {
  const command = ["sh", "-c", "while :; do :; done"];
  await world.run("busy", { containers: [{ name: "main", image: busybox, command, resources }] });
  await world.until("busy", "ready", isReady);
  interface Summary {
    readonly pods: readonly {
      readonly podRef: { readonly name: string };
      readonly cpu: { readonly usageCoreNanoSeconds: number };
      readonly memory: { readonly workingSetBytes: number };
    }[];
  }
  const call = { method: "GET", headers: {}, body: async () => new Uint8Array(), signal: new AbortController().signal };
  const use = await eventually(
    "use",
    async () => {
      const { body } = await world.node.handle({ verb: "api", path: "/stats/summary" }, call);
      const { pods } = JSON.parse(String(body)) as Summary;
      return pods.find(({ podRef }) => podRef.name === "busy");
    },
    (seen) => (seen?.cpu.usageCoreNanoSeconds ?? 0) > 10_000_000,
  );
  assert.ok((use?.memory.workingSetBytes ?? 0) > 0);
  const { body } = await world.node.handle({ verb: "api", path: "/metrics/resource" }, call);
  assert.match(
    String(body),
    /^container_cpu_usage_seconds_total\{container="main",namespace="default",pod="busy"\} \d/m,
  );
});

test("cgroups are removed with their machine", { skip }, async () => {
  const name = (owner: string): boolean => owner.startsWith(`${process.pid}-`);
  const { roots } = await lookAround();
  const before = roots.filter(name).length;
  const mine = await startRealWorld();
  assert.equal((await lookAround()).roots.filter(name).length, before + 1);
  await mine.run("short", {});
  await mine.until("short", "ready", isReady);
  await mine[Symbol.asyncDispose]();
  assert.equal((await lookAround()).roots.filter(name).length, before);
});

/** All cgroups; repeated if one disappeared during the read, because other cgroups of the machine change. */
async function allGroups(): Promise<Dirent[]> {
  for (;;) {
    try {
      return await readdir("/sys/fs/cgroup", { recursive: true, withFileTypes: true });
    } catch (error) {
      if (!["ENOENT", "ENODEV"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}

/** The cgroup trees of all nodes on the machine, in the memory hierarchy. */
async function lookAround(): Promise<{ readonly roots: readonly string[] }> {
  const entries = await allGroups();
  const roots = entries.filter(({ parentPath }) =>
    /\/memory(\/.*)?\/capstan$|^\/sys\/fs\/cgroup\/capstan$/.test(parentPath),
  );
  return { roots: roots.filter((entry) => entry.isDirectory()).map((entry) => entry.name) };
}
