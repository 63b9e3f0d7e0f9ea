import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Groups } from "./groups.ts";

const pod = {
  apiVersion: "v1" as const,
  kind: "Pod" as const,
  metadata: { name: "p", uid: "u", resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" },
  spec: {
    containers: [
      { name: "c", resources: { requests: { cpu: "500m", memory: "64Mi" }, limits: { cpu: "1", memory: "128Mi" } } },
    ],
  },
};
const [{ resources }] = pod.spec.containers as [(typeof pod.spec.containers)[0]];

/** A plain folder stands in for a cgroup v2 mount: files can be written and read, and nothing is enforced. */
describe("cgroups v2", () => {
  let mount = "";
  let groups: Groups;
  before(async () => {
    mount = await mkdtemp(join(tmpdir(), "cgroup-"));
    await writeFile(join(mount, "cgroup.controllers"), "cpuset cpu io memory pids\n");
    groups = await Groups.open({ mount, owner: "1-test", processes: 1000 });
  });
  after(() => rm(mount, { recursive: true }));

  const tree = "capstan/1-test";
  const branch = `${tree}/kubepods/burstable/podu`;
  const read = (path: string): Promise<string> => readFile(join(mount, path), "utf8");

  test("every parent group delegates its controllers", async () => {
    assert.equal(groups.version, 2);
    await groups.setPod(pod);
    for (const place of [".", "capstan", tree, `${tree}/kubepods`, `${tree}/kubepods/burstable`]) {
      assert.equal(await read(`${place}/cgroup.subtree_control`), "+cpu +memory +pids", place);
    }
    assert.equal(await read(`${tree}/pids.max`), "1000");
  });

  test("a pod and its container get weights and limits", async () => {
    const folders = await groups.addContainer(pod, "id", resources);
    assert.deepEqual(folders, [{ controller: "", folder: join(mount, branch, "id") }]);
    assert.equal(await read(`${branch}/cgroup.subtree_control`), "+cpu +memory +pids");
    for (const place of [branch, `${branch}/id`]) {
      assert.equal(await read(`${place}/cpu.max`), "100000 100000");
      assert.equal(await read(`${place}/memory.max`), String(128 * 2 ** 20));
      assert.equal(await read(`${place}/cpu.weight`), "59");
    }
  });

  test("the limits of a running container can be raised", async () => {
    const more = { requests: resources.requests, limits: { cpu: "2", memory: "256Mi" } };
    const resized = { ...pod, spec: { containers: [{ name: "c", resources: more }] } };
    await groups.setContainer(resized, "id", more);
    assert.equal(await read(`${branch}/id/cpu.max`), "200000 100000");
    assert.equal(await read(`${branch}/memory.max`), String(256 * 2 ** 20));
  });

  test("usage and the number of OOM kills are read", async () => {
    const leaf = join(mount, branch, "id");
    await writeFile(join(leaf, "cpu.stat"), "usage_usec 1500\nuser_usec 1000\n");
    await writeFile(join(leaf, "memory.current"), "5000\n");
    await writeFile(join(leaf, "memory.stat"), "anon 1\ninactive_file 2000\n");
    await writeFile(join(leaf, "memory.events"), "low 0\noom 3\noom_kill 2\n");
    assert.deepEqual(await groups.usage(pod, "id"), { cpuNanoseconds: 1_500_000, memoryBytes: 3000 });
    assert.equal(await groups.oomKills(pod, "id"), 2);
  });

  test("a machine that does not delegate controllers is rejected", async () => {
    await writeFile(join(mount, "cgroup.controllers"), "io pids\n");
    await assert.rejects(Groups.open({ mount, owner: "2-test" }), /cpu, memory are not given/);
  });
});
