import assert from "node:assert/strict";
import { test } from "node:test";
import { Pod } from "@capstan/kinds/v1";
import { busybox, eventually, isReady, skip, startRealWorld, type RealWorld } from "./real-world.ts";

/** The processes that hold namespaces of pods, including spares. */
async function holders({ machine }: RealWorld): Promise<readonly string[]> {
  const script =
    'for p in /proc/[0-9]*; do case "$(tr "\\0" " " < $p/cmdline)" in "sleep infinity "*) echo ${p#/proc/};; esac; done';
  const { stdout } = await machine.run(["sh", "-c", `${script} 2>/dev/null; true`]);
  return stdout.split("\n").filter(Boolean);
}

/** How many shared-memory mounts of pods exist; they are created last. */
async function sharedMemories({ machine }: RealWorld): Promise<number> {
  const { stdout } = await machine.run(["sh", "-c", "grep -c '/mnt/shared/.*/shm ' /proc/self/mountinfo"]);
  return Number(stdout);
}

async function runPod(world: RealWorld, name: string): Promise<string> {
  const container = { name: "main", image: busybox, command: ["sh", "-c", "hostname; sleep 100000"] };
  await world.run(name, { terminationGracePeriodSeconds: 0, containers: [container] });
  const { status } = await world.until(name, "runs", isReady);
  assert.equal(await world.inside(name, ["hostname"]), name);
  return status?.podIP ?? "";
}

test("spare namespaces wait for the next pod, which starts even if they are lost", { skip }, async () => {
  await using world = await startRealWorld();
  const find = (): Promise<readonly string[]> => holders(world);
  const shared = (): Promise<number> => sharedMemories(world);
  const [first] = await eventually("the first ones", find, (all) => all.length === 1);
  const one = await runPod(world, "one");
  const both = await eventually("the next ones", find, (all) => all.length === 2);
  assert.ok(first !== undefined && both.includes(first), "the pod has taken those that waited");
  await eventually("all that they need", shared, (count) => count === 2);
  const spare = both.find((pid) => pid !== first) ?? "";
  await world.machine.run(["kill", "-9", spare]);
  await eventually("the end of what was theirs", shared, (count) => count === 1);
  const two = await runPod(world, "two");
  const three = await runPod(world, "three");
  assert.equal(new Set([one, two, three]).size, 3);
  for (const name of ["one", "two", "three"]) await world.client.delete(Pod, { namespace: "default", name });
  await eventually("the end of all but those that wait", find, (all) => all.length <= 1);
});
