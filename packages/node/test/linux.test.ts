import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { after, before, test } from "node:test";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { ConfigMap, PersistentVolume, PersistentVolumeClaim, Pod, Service, type ServiceSpec } from "@capstan/kinds/v1";
import type { NodeError } from "@capstan/node";
import {
  busybox,
  canDelay,
  eventually,
  hasEnded,
  isReady,
  memcached,
  skip,
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

const inContainer = (pod: string, ...command: readonly string[]): Promise<string> => world.inside(pod, command);

/** Ready when it listens, not before. */
const cacheContainer = {
  name: "main",
  image: memcached,
  readinessProbe: { tcpSocket: { port: 11211 }, periodSeconds: 1 },
};

const outputOf = (...run: Parameters<RealWorld["outputOf"]>): Promise<string> => world.outputOf(...run);

test("memcached runs with its own address and passes its probes", { skip }, async () => {
  await world.run("cache", { containers: [cacheContainer] });
  const pod = await world.until("cache", "ready", isReady);
  assert.match(pod.status?.podIP ?? "", /^10\.244\.0\./);
  await world.run("asker", {});
  await world.until("asker", "ready", isReady);
  const script = `(echo version; sleep 0.2) | nc ${pod.status?.podIP} 11211`;
  assert.match(await inContainer("asker", "sh", "-c", script), /^VERSION 1\.6/);
});

test("environment and arguments are expanded, with the downward API", { skip }, async () => {
  const env = [
    { name: "A", value: "1" },
    { name: "B", value: "$(A)-$$(A)-$(NONE)" },
    { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
    { name: "HOST", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } },
    { name: "HOSTS", valueFrom: { fieldRef: { fieldPath: "status.hostIPs" } } },
    { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
  ];
  const resources = { limits: { cpu: "250m" } };
  const args = ["$(B)"];
  const output = await outputOf(
    "env",
    'echo "$0 $B $CPU $HOSTNAME"; test -n "$IP" && test -n "$HOST" && test -n "$HOSTS" && echo "$KUBERNETES_SERVICE_HOST"',
    { env, args, resources },
  );
  assert.equal(output, "1-$(A)-$(NONE) 1-$(A)-$(NONE) 250 env\n10.0.0.1\n");
});

test("the exit code and the termination message are reported", { skip }, async () => {
  await outputOf("words", "echo -n goodbye > /dev/termination-log; exit 7");
  const { status } = await world.pod("words");
  const ended = status?.containerStatuses?.[0]?.state?.terminated;
  assert.equal(status?.phase, "Failed");
  assert.equal(ended?.exitCode, 7);
  assert.equal(ended?.message, "goodbye");
});

test("a missing program is reported as such", { skip }, async () => {
  await world.run("nothing", {
    restartPolicy: "Never",
    containers: [{ name: "main", image: busybox, command: ["/nope"] }],
  });
  const { status } = await world.until("nothing", "failed", hasEnded);
  const ended = status?.containerStatuses?.[0]?.state?.terminated;
  assert.equal(ended?.reason, "StartError");
  assert.match(ended?.message ?? "", /exec: "\/nope": stat \/nope: no such file or directory/);
});

test("containers of a pod share volumes and network; config maps are updated", { skip }, async () => {
  const metadata = { namespace: "default", name: "settings" };
  await world.client.create(ConfigMap, { metadata, data: { color: "red", "deep.txt": "x" } });
  const mounts = [
    { name: "shared", mountPath: "/shared" },
    { name: "settings", mountPath: "/settings" },
  ];
  await world.run("shared", {
    volumes: [
      { name: "shared", emptyDir: {} },
      { name: "settings", configMap: { name: "settings", defaultMode: 0o440 } },
    ],
    initContainers: [
      { name: "init", image: busybox, command: ["sh", "-c", "echo hello > /shared/file"], volumeMounts: mounts },
    ],
    containers: [
      { name: "main", image: busybox, command: ["sleep", "1000"], volumeMounts: mounts },
      { ...cacheContainer, name: "cache" },
    ],
  });
  await world.until("shared", "ready", isReady);
  assert.equal(await inContainer("shared", "cat", "/shared/file"), "hello");
  assert.equal(await inContainer("shared", "cat", "/settings/color"), "red");
  assert.match(await inContainer("shared", "ls", "-lL", "/settings/color"), /^-r--r-----/);
  assert.match(await inContainer("shared", "sh", "-c", "(echo version; sleep 0.2) | nc 127.0.0.1 11211"), /^VERSION/);
  await world.client.patch(ConfigMap, metadata, { merge: { data: { color: "blue" } } });
  await eventually(
    "the new color",
    () => inContainer("shared", "cat", "/settings/color"),
    (color) => color === "blue",
  );
});

test("a container runs as the pod's user, and its volumes have the fsGroup", { skip }, async () => {
  const securityContext = { runAsUser: 1234, runAsGroup: 2345, fsGroup: 3456 };
  const volumeMounts = [{ name: "data", mountPath: "/data" }];
  const script = "id -u; id -g; touch /data/x && stat -c %a /data && ls /root /etc/shadow 2>&1 | grep -c denied; true";
  const output = await outputOf(
    "somebody",
    script,
    { volumeMounts },
    { securityContext, volumes: [{ name: "data", emptyDir: {} }] },
  );
  assert.match(output, /^1234\n2345\n2?777\n/);
});

test("a pod sees no files, processes, devices or network of its machine", { skip }, async () => {
  const script = [
    "ls /home/* /mnt/* /srv/* 2>/dev/null | wc -l",
    "ls /proc | grep -c '^[0-9]'",
    "mkdir /tmp/m; mount -t devtmpfs d /tmp/m 2>/dev/null && echo mounted; mknod /tmp/disk b 254 0 2>/dev/null && echo made",
    "ls /sys/class/net 2>/dev/null | wc -l; ip -o link | wc -l",
    "(echo b > /proc/sysrq-trigger) 2>/dev/null && echo sysrq; true",
  ].join("\n");
  const output = await outputOf("prisoner", script);
  const [files, processes, ...rest] = output.trim().split("\n");
  assert.equal(files, "0");
  assert.ok(Number(processes) <= 4, `it sees ${processes} processes`);
  assert.deepEqual(
    rest,
    ["2", "2"],
    "it sees its own two interfaces, and has neither mounted nor made nor triggered anything",
  );
});

test("exec probes restart an unhealthy container", { skip }, async () => {
  const probe = { exec: { command: ["test", "-f", "/tmp/well"] }, periodSeconds: 1, timeoutSeconds: 30 };
  const livenessProbe = { ...probe, failureThreshold: 1 };
  // The liveness probe must not run before the file exists.
  const startupProbe = { ...probe, failureThreshold: 60 };
  const command = ["sh", "-c", "touch /tmp/well; sleep 1000"];
  await world.run("sick", { containers: [{ name: "main", image: busybox, command, livenessProbe, startupProbe }] });
  await world.until("sick", "ready", isReady);
  await inContainer("sick", "rm", "/tmp/well");
  const pod = await world.until(
    "sick",
    "restarted",
    ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1,
  );
  assert.equal(pod.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 137);
});

test("logs support tail, timestamps, previous and follow", { skip }, async () => {
  // Only lines of one stream have an order: a reader of two pipes cannot know which line was written first.
  const script = "echo one; echo two; echo three; sleep 0.5; echo four; exit 1";
  const container = { name: "main", image: busybox, command: ["sh", "-c", script] };
  await world.run("talker", { restartPolicy: "OnFailure", containers: [container] });
  await world.until("talker", "started", ({ status }) => status?.phase === "Running");
  const pod = { namespace: "default", name: "talker" };
  assert.equal(await world.outside.logs({ ...pod, follow: true }).text(), "one\ntwo\nthree\nfour\n");
  await world.until("talker", "restarted", ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1);
  assert.equal(await world.outside.logs({ ...pod, previous: true, tailLines: 2 }).text(), "three\nfour\n");
  const times = await world.outside.logs({ ...pod, previous: true, timestamps: true, tailLines: 1 }).text();
  assert.match(times, /^\d{4}-\d\d-\d\dT\S+Z four\n$/);
});

test("standard error is logged", { skip }, async () => {
  const container = { name: "main", image: busybox, command: ["sh", "-c", "echo well; echo oops >&2"] };
  await world.run("moaner", { restartPolicy: "Never", containers: [container] });
  await world.until("moaner", "done", ({ status }) => status?.phase === "Succeeded");
  const text = await world.outside.logs({ namespace: "default", name: "moaner" }).text();
  assert.deepEqual(text.split("\n").sort(), ["", "oops", "well"]);
});

test("exec has input, output and an exit code", { skip }, async () => {
  await world.run("shell", {});
  await world.until("shell", "ready", isReady);
  const pod = { namespace: "default", name: "shell" };
  const failed = await (
    await world.outside.exec({ ...pod, command: ["sh", "-c", "echo out; echo err >&2; exit 5"] })
  ).finish();
  assert.deepEqual([failed.stdout, failed.stderr, failed.code], ["out\n", "err\n", 5]);
  const session = await world.outside.exec({ ...pod, command: ["tr", "a-z", "A-Z"], stdin: true });
  await session.write("hello");
  await session.end();
  assert.equal((await session.finish()).stdout, "HELLO");
  const terminal = await (
    await world.outside.exec({ ...pod, command: ["sh", "-c", "test -t 1 && echo tty"], tty: true })
  ).finish();
  assert.equal(terminal.stdout.trim(), "tty");
});

test("a port of a pod can be forwarded", { skip }, async () => {
  await world.run("forwarded", { containers: [cacheContainer] });
  await world.until("forwarded", "ready", isReady);
  const connection = await world.outside.portForward({ namespace: "default", name: "forwarded", port: 11211 });
  await connection.write("version\r\n");
  for await (const bytes of connection) {
    assert.match(Buffer.from(bytes).toString(), /^VERSION 1\.6/);
    break;
  }
  // A program that ends a connection also ends the forwarded one.
  const short = await world.outside.portForward({ namespace: "default", name: "forwarded", port: 11211 });
  await short.write("version\r\nquit\r\n");
  const all = await Array.fromAsync(short);
  assert.match(Buffer.concat(all).toString(), /^VERSION 1\.6/);
});

async function expose(name: string, spec: Partial<ServiceSpec>, pods: readonly Pod[]): Promise<Service> {
  const metadata = { namespace: "default", name };
  const ports = [{ name: "cache", port: 80, targetPort: 11211 }];
  const service = await world.client.create(Service, { metadata, spec: { ports, ...spec } });
  const endpoints = pods.map(({ status, metadata: { name: hostname } }) => ({
    addresses: [status?.podIP ?? ""],
    hostname,
    conditions: { ready: true },
  }));
  await world.client.create(EndpointSlice, {
    metadata: { ...metadata, labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints,
    ports: [{ name: "cache", port: 11211, protocol: "TCP" }],
  });
  return service;
}

test("services have addresses and names, and lead to their pods", { skip }, async () => {
  for (const name of ["member-0", "member-1"]) await world.run(name, { containers: [cacheContainer] });
  const pods = [await world.until("member-0", "ready", isReady), await world.until("member-1", "ready", isReady)];
  await world.run("visitor", {});
  await world.until("visitor", "ready", isReady);
  const service = await expose("members", { type: "NodePort" }, pods);
  const clusterIP = service.spec?.clusterIP ?? "";
  await expose("headless", { clusterIP: "None" }, pods);
  await expose("empty", {}, []);
  await expose("sticky", { sessionAffinity: "ClientIP" }, pods);
  const ask = (host: string, port = 80): Promise<string> =>
    inContainer("visitor", "sh", "-c", `(echo version; sleep 0.1) | nc -w 10 ${host} ${port} 2>&1; echo "exit $?"`);
  // Rules and names are applied a moment after their services.
  const answered = (host: string, port?: number): Promise<string> =>
    eventually(
      `an answer of ${host}`,
      () => ask(host, port),
      (text) => text.startsWith("VERSION 1.6"),
    );
  await answered(clusterIP);
  await answered("members");
  await answered("members.default.svc.cluster.local");
  await answered("member-1.headless", 11211);
  await answered("172.30.0.1", service.spec?.ports?.[0]?.nodePort ?? 0);
  assert.match(await ask("empty"), /refused|exit 1/);
  assert.match(await ask("nowhere"), /bad address|exit 1/);
  await answered("sticky");
  const hairpin = await inContainer(
    "member-0",
    "sh",
    "-c",
    "for i in 1 2 3 4; do (echo version; sleep 0.1) | nc -w 30 members 80; done",
  );
  assert.equal(hairpin.match(/VERSION/g)?.length, 4);
  const fromNode = await world.machine.run([
    "bash",
    "-c",
    `exec 3<>/dev/tcp/${clusterIP}/80; echo version >&3; head -n1 <&3`,
  ]);
  assert.match(fromNode.stdout, /^VERSION/);
});

test("pods reach the API server by its service", { skip }, async () => {
  const script = "wget -q -O - http://kubernetes.default:443/version | grep -c gitVersion";
  const output = await outputOf(
    "caller",
    script.replace("http://kubernetes.default", "http://$KUBERNETES_SERVICE_HOST"),
  );
  assert.equal(output.trim(), "1");
});

test("a pod can have a host port", { skip }, async () => {
  const ports = [{ containerPort: 11211, hostPort: 31211 }];
  await world.run("exposed", { containers: [{ ...cacheContainer, ports }] });
  await world.until("exposed", "ready", isReady);
  const script = "(echo version; sleep 0.2) | nc -w 30 172.30.0.1 31211";
  assert.match(await outputOf("knocker", script), /^VERSION/);
});

test("a claim keeps its data when its pod is deleted", { skip }, async () => {
  const metadata = { name: "disk" };
  const spec = {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    hostPath: { path: "/data/disk" },
  } as const;
  await world.client.create(PersistentVolume, { metadata, spec });
  const claim = await world.client.create(PersistentVolumeClaim, {
    metadata: { namespace: "default", name: "disk" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      volumeName: "disk",
      storageClassName: "",
      resources: { requests: { storage: "1Gi" } },
    },
  });
  const target = { namespace: "default", name: claim.metadata.name };
  await world.client.patch(
    PersistentVolumeClaim,
    target,
    { merge: { status: { phase: "Bound" } } },
    { subresource: "status" },
  );
  const volumes = [{ name: "disk", persistentVolumeClaim: { claimName: "disk" } }];
  const volumeMounts = [{ name: "disk", mountPath: "/data", subPath: "inner" }];
  await outputOf("writer", "echo kept > /data/file", { volumeMounts }, { volumes });
  await world.client.delete(Pod, { namespace: "default", name: "writer" });
  assert.equal(await outputOf("reader", "cat /data/file", { volumeMounts }, { volumes }), "kept\n");
  const readOnly = [{ name: "disk", persistentVolumeClaim: { claimName: "disk", readOnly: true } }];
  const overwrite = "echo lost > /data/file; cat /data/file";
  assert.match(
    await outputOf("guest", `(${overwrite}) 2>&1`, { volumeMounts }, { volumes: readOnly }),
    /Read-only[^]*kept/,
  );
});

test("a pod with a cut link is unreachable until the link is restored", { skip }, async () => {
  await world.run("island", { containers: [cacheContainer] });
  const pod = await world.until("island", "ready", isReady);
  const state = world.node.find("default", "island")?.situation.sandbox;
  assert.ok(state?.is === "ready");
  const check = { type: "tcp", host: pod.status?.podIP ?? "", port: 11211 } as const;
  const isReached = async (patience: number): Promise<boolean> =>
    (await world.runtime.check(state.sandbox, check, patience)).passed;
  assert.equal(await isReached(30_000), true);
  await world.runtime.setLine(state.sandbox, "cut");
  assert.equal(await isReached(500), false);
  await world.runtime.setLine(state.sandbox, "healed");
  assert.equal(await isReached(30_000), true);
});

test("a link is delayed if the kernel supports it, and else an error is reported", { skip }, async () => {
  await world.run("slow", { containers: [cacheContainer] });
  const pod = await world.until("slow", "ready", isReady);
  const state = world.node.find("default", "slow")?.situation.sandbox;
  assert.ok(state?.is === "ready");
  const made = await world.runtime.setLine(state.sandbox, { delayMs: 5_000 }).then(
    () => true,
    (error: NodeError) => (assert.equal(error.code, "MachineUnfit"), assert.match(error.message, /sch_netem/), false),
  );
  assert.equal(made, canDelay, "it is made slow exactly where the machine was found to be able to");
  const check = { type: "tcp", host: pod.status?.podIP ?? "", port: 11211 } as const;
  if (made) assert.equal((await world.runtime.check(state.sandbox, check, 100)).passed, false);
  await world.runtime.setLine(state.sandbox, "healed");
  assert.equal((await world.runtime.check(state.sandbox, check, 30_000)).passed, true);
});

test("an unprivileged user can run pods", { skip }, async () => {
  await using mine = await startRealWorld({ rights: "user" });
  const readinessProbe = {
    exec: { command: ["sh", "-c", "(echo version; sleep 0.1) | nc 127.0.0.1 11211"] },
    periodSeconds: 1,
  };
  await mine.run("cache", { containers: [{ name: "main", image: memcached, readinessProbe }] });
  const pod = await mine.until("cache", "ready", isReady);
  assert.match(pod.status?.podIP ?? "", /^10\.244\./);
});

test("a node that loses its namespaces reports its containers as ended", { skip }, async () => {
  await using lost = await startRealWorld();
  await lost.run("web", { restartPolicy: "Never" });
  await lost.until("web", "ready", isReady);
  process.kill(lost.machine.pid ?? 0, "SIGKILL");
  const { status } = await lost.until("web", "failed", hasEnded);
  assert.equal(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 137);
});

test("nothing is left when the node is killed", { skip }, async () => {
  const child = fork(new URL("./doomed.ts", import.meta.url), { stdio: "inherit" });
  const died = once(child, "exit").then(([code]) => assert.fail(`the node did not come up (exit ${String(code)})`));
  const [{ state, pid }] = (await Promise.race([once(child, "message"), died])) as [{ state: string; pid: number }];
  const shim = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  assert.notEqual(shim.trim(), "");
  died.catch(() => {});
  child.kill("SIGKILL");
  const isGone = async (process: string): Promise<boolean> => !(await readdir("/proc")).includes(process);
  const seconds = String(10_000_000 + (child.pid ?? 0));
  const left = async (): Promise<readonly string[]> => {
    const [launcher, itself] = await Promise.all([isGone(String(pid)), isGone(shim.trim())]);
    const commands = await Promise.all(
      (await readdir("/proc")).map((one) => readFile(`/proc/${one}/cmdline`, "utf8").catch(() => "")),
    );
    const programs = commands.filter((command) => command.includes(seconds));
    return [...(launcher ? [] : ["the launcher of the namespaces"]), ...(itself ? [] : ["the shim"]), ...programs];
  };
  await eventually("the end of everything", left, (some) => some.length === 0);
  assert.doesNotMatch(await readFile("/proc/mounts", "utf8"), new RegExp(state));
  await rm(state, { recursive: true, force: true });
});
