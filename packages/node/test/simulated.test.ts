import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess, isApiError, processHost, type Client } from "@capstan/client";
import { ConfigMap, Event, Node, Pod, type ContainerStatus, type PodSpec } from "@capstan/kinds/v1";
import { Lease } from "@capstan/kinds/coordination.k8s.io/v1";
import { simulatedRuntime, startNode, type Rule, type SimulatedRuntime } from "@capstan/node";
import { VirtualClock } from "./virtual-clock.ts";

interface World extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly runtime: SimulatedRuntime;
  run(name: string, spec: Partial<PodSpec>): Promise<void>;
  pod(name: string): Promise<Pod>;
}

async function startWorld(script: readonly Rule[] = []): Promise<World> {
  const clock = new VirtualClock();
  const server = await startApiServer({
    clock,
  });
  const client = createClient(inProcess(server.fetch), { host: { ...processHost(), clock } });
  const runtime = simulatedRuntime({ clock, script });
  const node = await startNode({ client, name: "one", runtime, clock });
  return {
    clock,
    client,
    runtime,
    async run(name, spec) {
      const containers = spec.containers ?? [{ name: "main", image: "app:1" }];
      const complete = { nodeName: "one", ...spec, containers };
      await client.create(Pod, { metadata: { namespace: "default", name }, spec: complete });
      await clock.quiet();
    },
    pod: (name) => client.get(Pod, { namespace: "default", name }),
    async [Symbol.asyncDispose]() {
      await node.close();
      await client.close();
      await server.close();
    },
  };
}

const reasonOf = (status: ContainerStatus | undefined): string | undefined =>
  status?.state?.terminated?.reason ?? status?.state?.waiting?.reason;

const conditionsOf = ({ status }: Pod): Record<string, string> =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, status: value }) => [type, value]));

test("a node that was marked lost reports itself and its pods again", async () => {
  await using world = await startWorld();
  await world.run("web", {});
  const target = { namespace: "default", name: "web" };
  const wrong = (type: string, status: string) => ({ strategic: { status: { conditions: [{ type, status }] } } });
  await world.client.patch(Node, { name: "one" }, wrong("Ready", "Unknown"), { subresource: "status" });
  await world.client.patch(Pod, target, wrong("Ready", "False"), { subresource: "status" });
  await world.clock.quiet();
  assert.equal(conditionsOf(await world.pod("web"))["Ready"], "False");
  await world.clock.advance(10_000);
  const { status } = await world.client.get(Node, { name: "one" });
  assert.equal(status?.conditions?.find(({ type }) => type === "Ready")?.status, "True");
  assert.equal(conditionsOf(await world.pod("web"))["Ready"], "True");
});

test("a node registers and renews its lease", async () => {
  await using world = await startWorld();
  await world.clock.quiet();
  const { status } = await world.client.get(Node, { name: "one" });
  assert.equal(status?.conditions?.find(({ type }) => type === "Ready")?.status, "True");
  assert.equal(status?.capacity?.["pods"], "110");
  const before = await world.client.get(Lease, { namespace: "kube-node-lease", name: "one" });
  await world.clock.advance(10_000);
  const after = await world.client.get(Lease, { namespace: "kube-node-lease", name: "one" });
  assert.notEqual(before.spec?.renewTime, after.spec?.renewTime);
});

test("a pod becomes ready, gets an address, and records events", async () => {
  await using world = await startWorld([{ pullDelay: 500, startDelay: 200 }]);
  await world.run("web", {});
  assert.equal((await world.pod("web")).status?.phase, "Pending");
  await world.clock.advance(1000);
  const pod = await world.pod("web");
  assert.equal(pod.status?.phase, "Running");
  assert.deepEqual(conditionsOf(pod), {
    PodReadyToStartContainers: "True",
    Initialized: "True",
    Ready: "True",
    ContainersReady: "True",
    PodScheduled: "True",
  });
  assert.match(pod.status?.podIP ?? "", /^10\.244\./);
  assert.equal(pod.status?.qosClass, "BestEffort");
  const events = await world.client.list(Event, { namespace: "default" }).all();
  assert.deepEqual(
    events.items.map(({ reason }) => reason),
    ["Pulling", "Pulled", "Created", "Started"],
  );
});

test("readiness waits for its probe, and follows it", async () => {
  await using world = await startWorld([{ readyDelay: 15_000 }]);
  const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 5 };
  await world.run("web", { containers: [{ name: "main", image: "app", readinessProbe }] });
  await world.clock.advance(1000);
  assert.equal(conditionsOf(await world.pod("web"))["Ready"], "False");
  await world.clock.advance(20_000);
  assert.equal(conditionsOf(await world.pod("web"))["Ready"], "True");
  world.runtime.setHealth({ pod: "web" }, false);
  await world.clock.advance(20_000);
  const pod = await world.pod("web");
  assert.equal(conditionsOf(pod)["Ready"], "False");
  assert.equal(pod.status?.containerStatuses?.[0]?.restartCount, 0);
});

test("a container that fails its liveness probe is restarted", async () => {
  await using world = await startWorld();
  const livenessProbe = { exec: { command: ["ok"] }, periodSeconds: 1, failureThreshold: 2 };
  await world.run("web", { containers: [{ name: "main", image: "app", livenessProbe }] });
  await world.clock.advance(3000);
  world.runtime.setHealth({ pod: "web" }, false);
  await world.clock.advance(5000);
  const status = (await world.pod("web")).status?.containerStatuses?.[0];
  assert.equal(status?.restartCount, 1);
  assert.ok(status?.state?.running);
});

test("a crashing container restarts at once, then with growing backoff", async () => {
  await using world = await startWorld([{ end: { type: "exit", code: 3, after: 1000 } }]);
  await world.run("bad", {});
  await world.clock.advance(1500);
  assert.equal((await world.pod("bad")).status?.containerStatuses?.[0]?.restartCount, 1);
  await world.clock.advance(1500);
  const { status, metadata } = await world.pod("bad");
  const [container] = status?.containerStatuses ?? [];
  assert.deepEqual(container?.state?.waiting, {
    reason: "CrashLoopBackOff",
    message: `back-off 10s restarting failed container=main pod=bad_default(${metadata.uid})`,
  });
  assert.equal(container?.lastState?.terminated?.exitCode, 3);
  assert.equal(status?.phase, "Running");
  await world.clock.advance(10_000);
  assert.equal((await world.pod("bad")).status?.containerStatuses?.[0]?.restartCount, 2);
});

test("restart policies decide the phase of a pod after its container exits", async () => {
  await using world = await startWorld([
    { match: { pod: "good-*" }, end: { type: "exit", code: 0, after: 100 } },
    { match: { pod: "bad-*" }, end: { type: "exit", code: 1, after: 100 } },
    { match: { pod: "full-*" }, end: { type: "oom", after: 100 } },
  ]);
  for (const name of ["good-never", "bad-never", "full-never"]) await world.run(name, { restartPolicy: "Never" });
  await world.run("good-on", { restartPolicy: "OnFailure" });
  await world.run("bad-on", { restartPolicy: "OnFailure" });
  await world.clock.advance(1000);
  const phaseOf = async (name: string): Promise<string | undefined> => (await world.pod(name)).status?.phase;
  const names = ["good-never", "bad-never", "full-never", "good-on", "bad-on"];
  assert.deepEqual(await Promise.all(names.map(phaseOf)), ["Succeeded", "Failed", "Failed", "Succeeded", "Running"]);
  const full = await world.pod("full-never");
  assert.equal(full.status?.containerStatuses?.[0]?.state?.terminated?.reason, "OOMKilled");
  const good = await world.pod("good-never");
  assert.equal(good.status?.conditions?.find(({ type }) => type === "Ready")?.reason, "PodCompleted");
});

test("init containers run in sequence; a sidecar keeps running", async () => {
  await using world = await startWorld([
    { match: { container: "first" }, end: { type: "exit", code: 0, after: 1000 } },
  ]);
  await world.run("web", {
    initContainers: [
      { name: "first", image: "init" },
      { name: "side", image: "side", restartPolicy: "Always" },
    ],
  });
  await world.clock.advance(500);
  const { status: before = {} } = await world.pod("web");
  const [main] = before.containerStatuses ?? [];
  assert.equal(reasonOf(main), "PodInitializing");
  assert.equal(before.phase, "Pending");
  const initialized = before.conditions?.find(({ type }) => type === "Initialized");
  assert.equal(initialized?.message, "containers with incomplete status: [first side]");
  await world.clock.advance(1000);
  const pod = await world.pod("web");
  const [first, side] = pod.status?.initContainerStatuses ?? [];
  assert.equal(pod.status?.phase, "Running");
  assert.equal(reasonOf(first), "Completed");
  assert.ok(side?.state?.running);
  assert.equal(conditionsOf(pod)["Ready"], "True");
});

test("a failed pull is retried", async () => {
  await using world = await startWorld([{ match: { image: "nowhere*" }, pullError: "no such image" }]);
  await world.run("web", { containers: [{ name: "main", image: "nowhere:1" }] });
  await world.clock.advance(500);
  const reason = async (): Promise<string | undefined> =>
    (await world.pod("web")).status?.containerStatuses?.[0]?.state?.waiting?.reason;
  assert.equal(await reason(), "ErrImagePull");
  await world.clock.advance(3000);
  assert.equal(await reason(), "ImagePullBackOff");
  world.runtime.setScript([]);
  await world.clock.advance(10_000);
  assert.equal((await world.pod("web")).status?.phase, "Running");
});

test("a missing config map delays a container until it exists", async () => {
  await using world = await startWorld();
  const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }];
  await world.run("web", { containers: [{ name: "main", image: "app", env }] });
  await world.clock.advance(1000);
  const [container] = (await world.pod("web")).status?.containerStatuses ?? [];
  assert.deepEqual(container?.state?.waiting, {
    reason: "CreateContainerConfigError",
    message: 'configmap "settings" not found',
  });
  await world.client.create(ConfigMap, { metadata: { namespace: "default", name: "settings" }, data: { a: "1" } });
  await world.clock.advance(11_000);
  assert.equal((await world.pod("web")).status?.phase, "Running");
});

test("a missing secret delays only pods that mount it", async () => {
  await using world = await startWorld();
  const volumes = [{ name: "key", secret: { secretName: "nobody-made-it" } }];
  const containers = [{ name: "main", image: "app" }];
  await world.run("careless", { containers, volumes });
  const volumeMounts = [{ name: "key", mountPath: "/key" }];
  await world.run("careful", { containers: [{ name: "main", image: "app", volumeMounts }], volumes });
  await world.clock.advance(11_000);
  assert.equal((await world.pod("careless")).status?.phase, "Running");
  assert.equal((await world.pod("careful")).status?.phase, "Pending");
});

test("a deleted pod gets its grace period and is then removed", async () => {
  await using world = await startWorld([{ stopDelay: "never" }]);
  await world.run("web", { terminationGracePeriodSeconds: 20 });
  await world.clock.advance(1000);
  await world.client.delete(Pod, { namespace: "default", name: "web" });
  await world.clock.advance(19_000);
  const pod = await world.pod("web");
  assert.ok(pod.metadata.deletionTimestamp);
  assert.ok(pod.status?.containerStatuses?.[0]?.state?.running);
  await world.clock.advance(2000);
  await assert.rejects(world.pod("web"), (error) => isApiError(error, "NotFound"));
});

test("a second deletion can shorten the grace period, but not extend it", async () => {
  await using world = await startWorld([{ stopDelay: "never" }]);
  await world.run("web", { terminationGracePeriodSeconds: 300 });
  await world.clock.advance(1000);
  const target = { namespace: "default", name: "web" };
  await world.client.delete(Pod, target);
  await world.clock.advance(1000);
  await world.client.delete(Pod, { ...target, gracePeriodSeconds: 5 });
  await world.clock.advance(3000);
  assert.ok((await world.pod("web")).status?.containerStatuses?.[0]?.state?.running, "it has its five seconds");
  await world.clock.advance(4000);
  await assert.rejects(world.pod("web"), (error) => isApiError(error, "NotFound"));
});

test("a pod with an endless hook can be deleted, also by force", async () => {
  await using world = await startWorld();
  const lifecycle = { postStart: { sleep: { seconds: 100_000 } } };
  const containers = [{ name: "main", image: "app", lifecycle }];
  const spec = { containers, terminationGracePeriodSeconds: 200_000 };
  await world.run("patient", spec);
  await world.run("forced", spec);
  await world.clock.advance(2000);
  await world.client.delete(Pod, { namespace: "default", name: "patient", gracePeriodSeconds: 1 });
  await world.client.delete(Pod, { namespace: "default", name: "forced", gracePeriodSeconds: 0 });
  await world.clock.advance(3000);
  await assert.rejects(world.pod("patient"), (error) => isApiError(error, "NotFound"));
  assert.equal(world.runtime.crash({}), 0, "nothing runs any more");
});

test("a pod that is deleted before anything ran is removed", async () => {
  await using world = await startWorld([{ pullDelay: 60_000 }]);
  await world.run("web", {});
  await world.client.delete(Pod, { namespace: "default", name: "web" });
  await world.clock.advance(40_000);
  await assert.rejects(world.pod("web"), (error) => isApiError(error, "NotFound"));
});

test("a pod has an active deadline", async () => {
  await using world = await startWorld();
  await world.run("web", { activeDeadlineSeconds: 5 });
  await world.clock.advance(6000);
  const { status } = await world.pod("web");
  assert.equal(status?.phase, "Failed");
  assert.equal(status?.reason, "DeadlineExceeded");
});

test("preStop and postStart hooks are run", async () => {
  await using world = await startWorld();
  const lifecycle = { preStop: { sleep: { seconds: 7 } }, postStart: { sleep: { seconds: 3 } } };
  await world.run("web", { containers: [{ name: "main", image: "app", lifecycle }] });
  await world.clock.advance(2000);
  assert.equal((await world.pod("web")).status?.phase, "Pending");
  await world.clock.advance(2000);
  assert.equal((await world.pod("web")).status?.phase, "Running");
  await world.client.delete(Pod, { namespace: "default", name: "web" });
  await world.clock.advance(6000);
  assert.ok((await world.pod("web")).status?.containerStatuses?.[0]?.state?.running);
  await world.clock.advance(2000);
  await assert.rejects(world.pod("web"), (error) => isApiError(error, "NotFound"));
});

test("containers are restarted after their node was lost", async () => {
  await using world = await startWorld();
  await world.run("web", {});
  await world.clock.advance(1000);
  const other = await startNode({
    client: world.client,
    name: "one",
    runtime: simulatedRuntime({ clock: world.clock, podCidr: "10.245.0.0/16" }),
    clock: world.clock,
  });
  await world.clock.advance(1000);
  const { status } = await world.pod("web");
  assert.equal(status?.containerStatuses?.[0]?.restartCount, 1);
  const lost = status?.containerStatuses?.[0]?.lastState?.terminated;
  assert.equal(lost?.exitCode, 255);
  assert.ok(Date.parse(lost?.finishedAt ?? "") > Date.parse(lost?.startedAt ?? ""), "it ended when it was missed");
  assert.deepEqual(status?.podIPs, [{ ip: "10.245.0.2" }]);
  await other.close("lost");
});

test("a pod that loses its sandbox runs its init containers again", async () => {
  await using world = await startWorld([{ match: { container: "init" }, end: { type: "exit", code: 0, after: 5000 } }]);
  const lost: ((id: string) => void)[] = [];
  const ids: string[] = [];
  const create = world.runtime.createSandbox.bind(world.runtime);
  world.runtime.createSandbox = async (order) => {
    const sandbox = await create(order);
    if (order.lost !== undefined) lost.push(order.lost);
    ids.push(sandbox.id);
    return sandbox;
  };
  const initContainers = [{ name: "init", image: "app:1" }];
  await world.run("web", { restartPolicy: "OnFailure", initContainers });
  await world.clock.advance(6000);
  assert.equal((await world.pod("web")).status?.phase, "Running");
  lost[0]?.(ids[0] ?? "");
  await world.clock.advance(1000);
  const between = (await world.pod("web")).status;
  assert.equal(between?.phase, "Pending");
  assert.equal(between.initContainerStatuses?.[0]?.restartCount, 1);
  assert.equal(between.containerStatuses?.[0]?.state?.running, undefined);
  await world.clock.advance(6000);
  const { status } = await world.pod("web");
  assert.equal(status?.phase, "Running");
  assert.equal(status.containerStatuses?.[0]?.restartCount, 1);
  assert.deepEqual(status.podIPs, [{ ip: "10.244.0.3" }]);
});

test("a pod found without its sandbox runs its init containers again", async () => {
  await using world = await startWorld([{ match: { container: "init" }, end: { type: "exit", code: 0, after: 1000 } }]);
  await world.run("web", { initContainers: [{ name: "init", image: "app:1" }] });
  await world.clock.advance(2000);
  const script = [{ match: { container: "init" }, end: { type: "exit", code: 0, after: 5000 } }] as const;
  const runtime = simulatedRuntime({ clock: world.clock, script });
  const other = await startNode({ client: world.client, name: "one", runtime, clock: world.clock });
  await world.clock.advance(1000);
  const between = (await world.pod("web")).status;
  assert.ok(between?.initContainerStatuses?.[0]?.state?.running);
  assert.equal(between.containerStatuses?.[0]?.state?.running, undefined);
  await world.clock.advance(6000);
  assert.ok((await world.pod("web")).status?.containerStatuses?.[0]?.state?.running);
  await other.close("lost");
});
