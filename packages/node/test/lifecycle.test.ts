import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Event, Node, Pod, type Container, type PodSpec } from "@capstan/kinds/v1";
import { busybox, eventually, hasEnded, isReady, skip, startRealWorld, type RealWorld } from "./real-world.ts";

let world: RealWorld;
before(async () => {
  if (skip === false) world = await startRealWorld();
});
after(async () => {
  if (skip === false) await world[Symbol.asyncDispose]();
});

const shell = (script: string, more: Partial<Container> = {}): Container => ({
  name: "main",
  image: busybox,
  command: ["sh", "-c", script],
  ...more,
});
const shared: Pick<PodSpec, "volumes"> = { volumes: [{ name: "shared", emptyDir: {} }] };
const volumeMounts = [{ name: "shared", mountPath: "/shared" }];
const firstState = ({ status }: Pod): NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number] => {
  const [first] = status?.containerStatuses ?? [];
  assert.ok(first);
  return first;
};
const reasonOf = (pod: Pod): string | undefined => firstState(pod).state?.waiting?.reason;
const waitsWith =
  (reason: string) =>
  (pod: Pod): boolean =>
    (pod.status?.containerStatuses ?? []).length > 0 && reasonOf(pod) === reason;

test("folders of an image can be removed, recreated and moved", { skip }, async () => {
  const script = "ls -d /home; rm -rf /home && mkdir /home && ls -A /home && mv /home /moved && ls -d /moved";
  assert.equal(await world.outputOf("remover", `(${script}) 2>&1; true`), "/home\n/moved\n");
});

test("hooks run after the start and before the end: exec, httpGet and sleep", { skip }, async () => {
  const server = shell("mkdir /www; touch /www/bye /www/end; exec httpd -f -vv -p 8080 -h /www", {
    readinessProbe: { httpGet: { port: 8080, path: "/bye" }, periodSeconds: 1 },
  });
  await world.run("server", { containers: [server] });
  const host = (await world.until("server", "ready", isReady)).status?.podIP ?? "";
  const lifecycle = {
    postStart: { exec: { command: ["sh", "-c", "echo started > /shared/log"] } },
    preStop: { httpGet: { host, port: 8080, path: "/end" } },
  };
  const resting = shell("sleep 1000", { name: "resting", lifecycle: { preStop: { sleep: { seconds: 1 } } } });
  const containers = [shell("trap 'exit 0' TERM; sleep 1000 & wait", { lifecycle, volumeMounts }), resting];
  await world.run("hooked", { ...shared, containers, terminationGracePeriodSeconds: 5 });
  await world.until("hooked", "ready", isReady);
  assert.equal(await world.inside("hooked", ["cat", "/shared/log"]), "started");
  await world.client.delete(Pod, { namespace: "default", name: "hooked" });
  const pod = { namespace: "default", name: "server" };
  await eventually(
    "the request of the hook",
    () => world.outside.logs(pod).text(),
    (log) => log.includes("url:/end"),
  );
});

test("a failed hook ends its container and is reported", { skip }, async () => {
  const lifecycle = { postStart: { exec: { command: ["sh", "-c", "echo no; exit 3"] } } };
  await world.run("unhooked", { containers: [shell("sleep 1000", { lifecycle })] });
  const pod = await world.until("unhooked", "told", (one) => hasMessage(one, "Exec lifecycle hook"));
  assert.match(JSON.stringify(pod.status), /exited with 3: no/);
});

function hasMessage({ status }: Pod, text: string): boolean {
  return status?.containerStatuses?.some(({ state }) => state?.waiting?.message?.includes(text)) === true;
}

/** Waits until an event of a pod matches. */
async function told(pod: string, words: RegExp): Promise<void> {
  const messages = async (): Promise<readonly string[]> => {
    const events = await Array.fromAsync(world.client.list(Event, { namespace: "default" }));
    return events.flatMap(({ involvedObject, message = "" }) => (involvedObject.name === pod ? [message] : []));
  };
  await eventually(`${String(words)} about ${pod}`, messages, (seen) => seen.some((message) => words.test(message)));
}

test("HTTP and TCP probes decide about readiness and restarts", { skip }, async () => {
  const patient = { periodSeconds: 1, timeoutSeconds: 20 };
  const livenessProbe = { ...patient, tcpSocket: { port: 8080 }, initialDelaySeconds: 5 };
  const server = "mkdir -p /www; httpd -p 8080 -h /www; sleep 1000";
  const readinessProbe = { ...patient, httpGet: { path: "/ok", port: 8080 } };
  await world.run("probed", { containers: [shell(server, { livenessProbe, readinessProbe })] });
  await told("probed", /^Readiness probe failed: HTTP probe failed with statuscode: 404$/);
  assert.equal(isReady(await world.pod("probed")), false);
  await world.inside("probed", ["touch", "/www/ok"]);
  await world.until("probed", "ready", isReady);
  await world.inside("probed", ["killall", "httpd"]);
  await world.until("probed", "started anew", (pod) => firstState(pod).restartCount >= 1);
  await told("probed", /^Liveness probe failed: dial tcp .*: connect: connection refused$/);
  await told("probed", /^Container main failed liveness probe, will be restarted$/);
});

test("sidecars start before and end after all other containers", { skip }, async () => {
  const sidecar = shell(
    "trap 'echo side-end >> /shared/log; exit 0' TERM; echo side >> /shared/log; sleep 1000 & wait",
    {
      name: "side",
      restartPolicy: "Always",
      volumeMounts,
      startupProbe: {
        exec: { command: ["grep", "-q", "side", "/shared/log"] },
        periodSeconds: 1,
        timeoutSeconds: 30,
        failureThreshold: 60,
      },
    },
  );
  const initContainers = [sidecar, shell("echo init >> /shared/log", { name: "init", volumeMounts })];
  await world.run("accompanied", {
    ...shared,
    restartPolicy: "Never",
    initContainers,
    containers: [shell("cat /shared/log", { volumeMounts })],
    terminationGracePeriodSeconds: 60,
  });
  const { status } = await world.until("accompanied", "ended", hasEnded);
  assert.equal(status?.phase, "Succeeded");
  const log = await world.outside.logs({ namespace: "default", name: "accompanied", container: "main" }).text();
  assert.equal(log, "side\ninit\n");
  assert.equal(status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode, 0);
});

test("an ephemeral container can inspect another container", { skip }, async () => {
  await world.run("watched", { containers: [shell("sleep 4321")] });
  await world.until("watched", "ready", isReady);
  const debugger_ = { name: "debugger", image: busybox, command: ["sleep", "1000"], targetContainerName: "main" };
  const patch = { strategic: { spec: { ephemeralContainers: [debugger_] } } };
  const target = { namespace: "default", name: "watched" };
  await world.client.patch(Pod, target, patch, { subresource: "ephemeralcontainers" });
  await world.until(
    "watched",
    "joined",
    ({ status }) => status?.ephemeralContainerStatuses?.[0]?.state?.running !== undefined,
  );
  assert.match(await world.inside("watched", ["ps"], "debugger"), /sleep 4321/);
});

test("containers of a pod can share their PID namespace", { skip }, async () => {
  const containers = [
    shell("sleep 4321"),
    shell("sleep 1000", { name: "other", securityContext: { runAsUser: 1000 } }),
  ];
  await world.run("open", { shareProcessNamespace: true, containers });
  await world.until("open", "ready", isReady);
  assert.match(await world.inside("open", ["ps"], "other"), /sleep 4321/);
  await world.client.delete(Pod, { namespace: "default", name: "open" });
});

/** Waits until no process on the node has this word in its command line. */
async function nobodyRuns(word: string): Promise<void> {
  const look = "for file in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $file; echo; done 2>/dev/null; true";
  const commands = async (): Promise<readonly string[]> =>
    (await world.machine.run(["sh"], look)).stdout.split("\n").filter((line) => line.includes(word));
  await eventually(`the end of ${word}`, commands, (left) => left.length === 0);
}

test("a container ends with its program, also in a shared PID namespace", { skip }, async () => {
  const containers = [shell("sleep 76541 & exit 0"), shell("sleep 2", { name: "other" })];
  await world.run("shared", { shareProcessNamespace: true, restartPolicy: "Never", containers });
  const main = await world.until("shared", "half over", ({ status }) =>
    (status?.containerStatuses ?? []).some(({ name, state }) => name === "main" && state?.terminated !== undefined),
  );
  assert.equal(firstState(main).state?.terminated?.exitCode, 0);
  await nobodyRuns("76541");
  await world.until("shared", "over", hasEnded);
});

test("a deleted pod with an endless hook is removed together with its hook", { skip }, async () => {
  const lifecycle = { postStart: { exec: { command: ["sleep", "76542"] } } };
  await world.run("hooked-on", { containers: [shell("sleep 76543", { lifecycle })] });
  await told("hooked-on", /Container started/);
  await world.client.delete(Pod, { namespace: "default", name: "hooked-on", gracePeriodSeconds: 1 });
  await nobodyRuns("7654");
  const names = async (): Promise<readonly string[]> =>
    (await Array.fromAsync(world.client.list(Pod, { namespace: "default" }))).map(({ metadata }) => metadata.name);
  await eventually("the end of the pod", names, (left) => !left.includes("hooked-on"));
});

test("a probe that times out counts, and its container can still end", { skip }, async () => {
  const exec = { command: ["sh", "-c", "sleep 76545"] };
  const livenessProbe = { exec, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 2 };
  const preStop = { exec: { command: ["sleep", "76546"] } };
  const containers = [
    shell("trap 'exit 0' TERM; while :; do sleep 1; done", { livenessProbe, lifecycle: { preStop } }),
  ];
  await world.run("tried", { containers, terminationGracePeriodSeconds: 2 });
  await world.until("tried", "started again", ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 0);
  await world.client.delete(Pod, { namespace: "default", name: "tried", gracePeriodSeconds: 2 });
  const names = async (): Promise<readonly string[]> =>
    (await Array.fromAsync(world.client.list(Pod, { namespace: "default" }))).map(({ metadata }) => metadata.name);
  await eventually("the end of the pod", names, (left) => !left.includes("tried"));
  await nobodyRuns("7654");
});

test("a command that times out leaves nothing behind", { skip }, async () => {
  await world.run("asked", {});
  await world.until("asked", "ready", isReady);
  const record = world.node.find("default", "asked")?.situation.containers.get("main");
  assert.equal(record?.life.is, "running");
  const { passed } = await world.runtime.runCommand(record.life.id, ["sh", "-c", "sleep 76544; true"], 300);
  assert.equal(passed, false);
  await nobodyRuns("76544");
});

const refusals: readonly (readonly [string, string, Partial<PodSpec>])[] = [
  ["an unreadable image name", "InvalidImageName", { containers: [shell("true", { image: "Not/Valid!" })] }],
  ["an image nobody has", "ErrImagePull", { containers: [shell("true", { image: "capstan.test/none:1" })] }],
  [
    "an image that must be there",
    "ErrImageNeverPull",
    { containers: [shell("true", { image: "capstan.test/none:2", imagePullPolicy: "Never" })] },
  ],
  [
    "a missing config map",
    "CreateContainerConfigError",
    { containers: [shell("true", { envFrom: [{ configMapRef: { name: "none" } }] })] },
  ],
  [
    "root where none may be",
    "CreateContainerConfigError",
    { containers: [shell("true", { securityContext: { runAsNonRoot: true } })] },
  ],
  [
    "a path with a variable that is not there",
    "CreateContainerConfigError",
    {
      ...shared,
      containers: [shell("true", { volumeMounts: [{ name: "shared", mountPath: "/s", subPathExpr: "$(NONE)" }] })],
    },
  ],
  [
    "a path out of its volume",
    "CreateContainerConfigError",
    {
      ...shared,
      initContainers: [shell("ln -s / /shared/out", { name: "planter", volumeMounts })],
      containers: [shell("true", { volumeMounts: [{ name: "shared", mountPath: "/s", subPath: "out/etc" }] })],
    },
  ],
];

test("containers that cannot start are reported with the kubelet's reasons", { skip }, async () => {
  for (const [index, [what, reason, spec]] of refusals.entries()) {
    await world.run(`refused-${index}`, spec);
    const pod = await world.until(`refused-${index}`, `told (${what})`, waitsWith(reason));
    assert.equal(pod.status?.phase, "Pending", what);
  }
  await world.until("refused-1", "held back", waitsWith("ImagePullBackOff"));
});

test("a pod with hostUsers: false is rejected in the kubelet's words", { skip }, async () => {
  await world.run("own-users", { hostUsers: false });
  await told(
    "own-users",
    /^Failed to create pod sandbox: can't set `spec\.hostUsers: false`, runtime does not support user namespaces$/,
  );
  const { status } = await world.client.get(Node, { name: "one" });
  assert.equal(status?.runtimeHandlers?.[0]?.features?.userNamespaces, false);
});

test("a pod is evicted when its emptyDir exceeds its limit", { skip }, async () => {
  const volumes = [{ name: "shared", emptyDir: { sizeLimit: "1Mi" } }];
  const fill = "dd if=/dev/zero of=/shared/big bs=1k count=$0; exec sleep 1000";
  const containers = (count: string): Container[] => [{ ...shell(fill, { volumeMounts }), args: [count] }];
  await world.run("modest", { volumes, containers: containers("500") });
  await world.run("greedy", { volumes, containers: containers("2000"), terminationGracePeriodSeconds: 1000 });
  const { status } = await world.until("greedy", "evicted", hasEnded);
  const message = 'Usage of EmptyDir volume "shared" exceeds the limit "1Mi". ';
  assert.deepEqual([status?.phase, status?.reason, status?.message], ["Failed", "Evicted", message]);
  await told("greedy", /^Usage of EmptyDir volume "shared" exceeds the limit "1Mi"\. $/);
  assert.equal((await world.until("modest", "running", isReady)).status?.phase, "Running");
});

test("program output that looks like the launcher's is kept as output", { skip }, async () => {
  const words = "bwrap: execvp nosuch: No such file or directory";
  const containers = [
    shell(`echo first; echo '${words}' >&2; exit 1`),
    shell("true", { name: "none", command: ["nosuch"] }),
  ];
  await world.run("quoting", { restartPolicy: "Never", containers });
  const { status } = await world.until("quoting", "ended", hasEnded);
  const states = status?.containerStatuses?.map(({ state }) => [
    state?.terminated?.reason,
    state?.terminated?.exitCode,
  ]);
  assert.deepEqual(states, [
    ["Error", 1],
    ["StartError", 128],
  ]);
});

test("a crashing program restarts with growing backoff", { skip }, async () => {
  await world.run("crashing", { containers: [shell("exit 7")] });
  const pod = await world.until("crashing", "held back", waitsWith("CrashLoopBackOff"));
  assert.match(
    firstState(pod).state?.waiting?.message ?? "",
    /^back-off 10s restarting failed container=main pod=crashing_default/,
  );
  assert.equal(firstState(pod).lastState?.terminated?.exitCode, 7);
});

test("the termination message comes from its file, or from the log", { skip }, async () => {
  const file = shell("echo -n words > /tmp/last; exit 1", { terminationMessagePath: "/tmp/last" });
  const log = shell("echo -n said; exit 1", { name: "log", terminationMessagePolicy: "FallbackToLogsOnError" });
  const silent = shell("echo -n said", { name: "silent", terminationMessagePolicy: "FallbackToLogsOnError" });
  await world.run("spoken", {
    restartPolicy: "Never",
    containers: [file, log, silent],
    securityContext: { runAsUser: 1000 },
  });
  const { status } = await world.until("spoken", "ended", hasEnded);
  const words = status?.containerStatuses?.map(({ state }) => state?.terminated?.message);
  assert.deepEqual(words, ["words", "said", undefined]);
});

test("a pod has an active deadline, and readiness gates count", { skip }, async () => {
  await world.run("late", { activeDeadlineSeconds: 1, containers: [shell("sleep 1000")] });
  const { status } = await world.until("late", "over", hasEnded);
  assert.deepEqual([status?.phase, status?.reason], ["Failed", "DeadlineExceeded"]);
  await world.run("gated", {
    readinessGates: [{ conditionType: "example.com/open" }],
    containers: [shell("sleep 1000")],
  });
  const closed = await world.until(
    "gated",
    "running",
    ({ status: seen }) =>
      seen?.conditions?.some(({ type, status: value }) => type === "ContainersReady" && value === "True") === true,
  );
  assert.equal(closed.status?.conditions?.find(({ type }) => type === "Ready")?.reason, "ReadinessGatesNotReady");
  const patch = { strategic: { status: { conditions: [{ type: "example.com/open", status: "True" }] } } };
  await world.client.patch(Pod, { namespace: "default", name: "gated" }, patch, { subresource: "status" });
  const open = await world.until("gated", "ready", isReady);
  assert.equal(open.status?.observedGeneration, open.metadata.generation);
});
