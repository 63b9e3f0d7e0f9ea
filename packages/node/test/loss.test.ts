import assert from "node:assert/strict";
import { test } from "node:test";
import { Event, Pod, type Container, type ContainerStatus } from "@capstan/kinds/v1";
import { busybox, eventually, hasEnded, isReady, skip, startRealWorld, type RealWorld } from "./real-world.ts";

/** The behaviour of kubelet 1.36 was observed with `kill -9` of the pause containers of pods like these. */

const waits = "trap 'exit 0' TERM; sleep 100000 & wait";

function shell(name: string, script: string, more: Partial<Container> = {}): Container {
  return { name, image: busybox, command: ["sh", "-c", script], ...more };
}

/** Kills the process that holds the namespaces of a pod, as the OOM killer may. */
async function endHolder({ machine }: RealWorld, pod: Pod): Promise<void> {
  const isHolder =
    'case "$(tr "\\0" " " < $p/cmdline)" in "sleep infinity "*|*"sleep 1000 & wait"*) true;; *) false;; esac';
  const isOfPod = `nsenter -t $\{p#/proc/} -n ip -o address | grep -qF " ${pod.status?.podIP}/"`;
  const script = `for p in /proc/[0-9]*; do ${isHolder} && ${isOfPod} && kill -9 $\{p#/proc/} && echo ended; done 2>/dev/null; true`;
  const { stdout } = await machine.run(["sh", "-c", script]);
  assert.match(stdout, /ended/);
}

async function reasonsOf({ client }: RealWorld, { metadata }: Pod): Promise<readonly string[]> {
  const events = await Array.fromAsync(client.list(Event, { namespace: "default" }));
  const own = events.filter(({ involvedObject }) => involvedObject.uid === metadata.uid);
  return own.map(({ reason }) => reason ?? "");
}

function statusOf({ status }: Pod, name: string): ContainerStatus | undefined {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].find(
    (one) => one.name === name,
  );
}

const restartsOf = (pod: Pod, name: string): number => statusOf(pod, name)?.restartCount ?? -1;

test("a pod that loses its sandbox restarts in a new one with its volumes", { skip }, async () => {
  await using world = await startRealWorld();
  const volumes = [{ name: "memory", emptyDir: { medium: "Memory" } }];
  const volumeMounts = [{ name: "memory", mountPath: "/m" }];
  const preStop = { exec: { command: ["sh", "-c", "echo bye >> /m/told"] } };
  await world.run("again", {
    terminationGracePeriodSeconds: 30,
    volumes,
    initContainers: [
      shell("init", "echo init >> /m/told", { volumeMounts }),
      shell("side", waits, { restartPolicy: "Always" }),
    ],
    containers: [shell("main", waits, { volumeMounts, lifecycle: { preStop } })],
  });
  const before = await world.until("again", "runs", isReady);
  await endHolder(world, before);
  const after = await world.until("again", "runs again", (pod) => isReady(pod) && restartsOf(pod, "main") === 1);
  assert.notEqual(after.status?.podIP, before.status?.podIP);
  assert.equal(statusOf(after, "main")?.lastState?.terminated?.exitCode, 0);
  assert.deepEqual([restartsOf(after, "init"), restartsOf(after, "side")], [1, 1]);
  assert.equal(await world.inside("again", ["cat", "/m/told"], "main"), "init\nbye\ninit");
  assert.match(await world.inside("again", ["ip", "address"], "main"), new RegExp(` ${after.status?.podIP}/`));
  const reasons = (): Promise<readonly string[]> => reasonsOf(world, after);
  await eventually("an event", reasons, (all) => all.includes("SandboxChanged"));
  await world.client.delete(Pod, { namespace: "default", name: "again" });
  const mounts = ["sh", "-c", `grep -c ${after.metadata.uid} /proc/self/mountinfo; ip -o link | grep -c ': v'`];
  await eventually(
    "the end of all that was the pod's",
    async () => (await world.machine.run(mounts)).stdout.trim().split("\n").map(Number),
    ([ofPod = 1, lines = 2]) => ofPod === 0 && lines <= 1,
  );
});

test("after a sandbox loss, one-shot and completed containers do not run again", { skip }, async () => {
  await using world = await startRealWorld();
  const containers = [shell("done", "exit 0"), shell("main", waits)];
  const hasDone = (pod: Pod): boolean =>
    statusOf(pod, "done")?.state?.terminated !== undefined && statusOf(pod, "main")?.state?.running !== undefined;
  await world.run("once", { restartPolicy: "Never", containers });
  await world.run("until-it-works", { restartPolicy: "OnFailure", containers });
  await world.run("together", { shareProcessNamespace: true, containers: [shell("main", waits)] });
  const once = await world.until("once", "runs", hasDone);
  const until = await world.until("until-it-works", "runs", hasDone);
  const together = await world.until("together", "runs", isReady);
  for (const pod of [once, until, together]) await endHolder(world, pod);
  assert.equal((await world.until("once", "ends", hasEnded)).status?.phase, "Succeeded");
  assert.ok(!(await reasonsOf(world, once)).includes("SandboxChanged"));
  const isNew = (pod: Pod): boolean => restartsOf(pod, "main") === 1 && statusOf(pod, "main")?.ready === true;
  const later = await world.until("until-it-works", "runs again", isNew);
  assert.equal(restartsOf(later, "done"), 0);
  const shared = await world.until("together", "runs again", isNew);
  assert.equal(statusOf(shared, "main")?.lastState?.terminated?.exitCode, 137);
  assert.notEqual(shared.status?.podIP, together.status?.podIP);
});
