/** A real node for tests: an API server in process, own namespaces, the test images loaded. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer, type ApiServer, type NodeConnector } from "@capstan/apiserver";
import { createClient, inProcess, systemClock, type Client, type Clock } from "@capstan/client";
import { Pod, type Container, type PodSpec } from "@capstan/kinds/v1";
import { buildTestImages } from "@capstan/kubernetes";
import {
  inspectMachine,
  startMachine,
  startNode,
  startServiceProxy,
  type ServiceProxy,
  type LinuxRuntime,
  type Machine,
  type RunningNode,
} from "@capstan/node";
import { loadArchive, openStore } from "@capstan/oci";

export interface RealWorld extends AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  /** A client over the network, for calls that need a socket. */
  readonly outside: Client;
  readonly machine: Machine;
  readonly runtime: LinuxRuntime;
  readonly node: RunningNode;
  readonly state: string;
  readonly proxy: ServiceProxy;
  run(name: string, spec: Partial<PodSpec>): Promise<void>;
  pod(name: string): Promise<Pod>;
  /** Waits until a pod matches; reports its state on a timeout. */
  until(name: string, what: string, isSo: (pod: Pod) => boolean): Promise<Pod>;
  /** The output of a command in a running pod. Default: in its first container. */
  inside(pod: string, command: readonly string[], container?: string): Promise<string>;
  /** Runs a script to its end and returns its output. */
  outputOf(name: string, script: string, container?: Partial<Container>, spec?: Partial<PodSpec>): Promise<string>;
}

const report = await inspectMachine(process);
const missing = report.findings.filter(({ ok }) => !ok).map(({ what, detail }) => `${what}: ${detail}`);

/** Why tests with real pods are skipped: CI has the tools, a developer's machine may not. */
export const skip: string | false =
  report.canRunPods || process.env["CI"] === "true" ? false : `this machine cannot run pods (${missing.join("; ")})`;

/** Whether this machine can delay links. */
export const canDelay: boolean = report.findings.some(({ what, ok }) => what === "slow lines" && ok);

/** Why tests of limits are skipped: without cgroups nothing is limited. */
export const skipLimits: string | false =
  skip === false && report.findings.some(({ what, ok }) => what === "limits" && !ok)
    ? `this machine enforces no limits (${missing.join("; ")})`
    : skip;

/** Waits for a condition, with a timeout for slow machines. */
export async function eventually<T>(what: string, look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  const end = Date.now() + 180_000;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (Date.now() > end) throw new Error(`${what} does not come about: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

export const busybox = "capstan.test/busybox:1";
export const memcached = "capstan.test/memcached:1.6";

/** Options of the world. */
export interface RealOptions {
  /** Root can also use the user mode, so that its tests do not need another user. */
  readonly rights?: "root" | "user";
  /** Archives of images to load instead of building the test images, which requires root. */
  readonly archives?: readonly string[];
  /** The clock of the node. */
  readonly clock?: Clock;
  /** Receives errors that do not stop the machine. */
  readonly report?: (error: unknown) => void;
}

/** The archives of the test images. */
export async function testArchives(): Promise<readonly string[]> {
  return (await buildTestImages({ only: ["busybox", "memcached"] })).map(({ archive }) => archive);
}

export async function startRealWorld(options: RealOptions = {}): Promise<RealWorld> {
  const state = await mkdtemp(join(tmpdir(), "node-"));
  const store = await openStore(join(state, "images"));
  for (const archive of options.archives ?? (await testArchives())) await loadArchive(archive, store);
  // The API server and the node need each other: calls to pods wait until the node runs.
  let node: RunningNode | undefined;
  const handOver: NodeConnector["handOver"] = (_name, request, call) => {
    if (node === undefined) throw new Error("the node does not run yet");
    return node.handle(request, call);
  };
  const server = await startApiServer({
    listen: { port: 0, tls: false },
    nodes: { handOver },
    advertise: { address: "172.30.0.1", port: 6443 },
  });
  const cluster = { server: server.url ?? "" };
  const user = { proof: { type: "token", token: server.token } } as const;
  const client = createClient(inProcess(server.fetch));
  const outside = createClient({ name: "test", cluster, user, namespace: "default" });
  const rights = options.rights ?? (process.getuid?.() === 0 ? "root" : "user");
  const apiServer = { host: "127.0.0.1", port: server.port ?? 0 };
  const { report = (): void => {} } = options;
  const machine = await startMachine({ state, clock: systemClock, store, rights, apiServer, report });
  const runtime = await machine.addNode({ name: "one", address: "172.30.0.1", podCidr: "10.244.0.0/24" });
  const proxy = startServiceProxy({
    client,
    clock: systemClock,
    setRules: (rules) => machine.setRules(rules),
    forgetFlows: (marks) => machine.forgetFlows(marks),
    report: (error) => process.emitWarning(String(error)),
  });
  machine.setNames((question) => proxy.answer(question));
  node = await startNode({ client, name: "one", runtime, clock: options.clock ?? systemClock, volumeRefresh: 300 });
  const pod = (name: string): Promise<Pod> => client.get(Pod, { namespace: "default", name });
  const running = node;
  const world: RealWorld = {
    server,
    client,
    outside,
    machine,
    runtime,
    node: running,
    state,
    proxy,
    pod,
    async run(name, spec) {
      const containers = spec.containers ?? [{ name: "main", image: busybox, command: ["sleep", "1000"] }];
      const complete = { nodeName: "one", terminationGracePeriodSeconds: 1, ...spec, containers };
      await client.create(Pod, { metadata: { namespace: "default", name, labels: { app: name } }, spec: complete });
    },
    until: (name, what, isSo) => eventually(`${name} ${what}`, () => pod(name), isSo),
    async inside(name, command, container) {
      const records = [...(running.find("default", name)?.situation.containers.values() ?? [])];
      const chosen = records.find(
        (one) => one.life.is === "running" && (container ?? one.container.spec.name) === one.container.spec.name,
      );
      if (chosen?.life.is !== "running") throw new Error(`${name} has no running container ${container ?? ""}`);
      return (await runtime.exec(chosen.life.id, command, 60_000)).output.trim();
    },
    async outputOf(name, script, more = {}, spec = {}) {
      const container = { name: "main", image: busybox, command: ["sh", "-c", script], ...more };
      await world.run(name, { restartPolicy: "Never", ...spec, containers: [container] });
      const { metadata } = await world.until(name, "ended", hasEnded);
      const log = await readFile(`${state}/logs/default_${name}_${metadata.uid}/main/0.log`, "utf8");
      return log.replace(/^\S+ std(out|err) F /gm, "");
    },
    async [Symbol.asyncDispose]() {
      proxy.stop();
      await running.close();
      await machine.close();
      await outside.close();
      await client.close();
      await server.close();
      await rm(state, { recursive: true, force: true });
    },
  };
  return world;
}

export const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") === true;

export const hasEnded = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";
