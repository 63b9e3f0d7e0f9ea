/** The environment of one story: a cluster, the operator as a process, and the actions of a user. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { ObjectOf } from "capstan";
import { connectEtcd } from "../../src/etcd/index.ts";
import type { EtcdClient, TlsMaterial } from "../../src/etcd/index.ts";
import type { EtcdCluster } from "../../src/kinds/index.ts";
import { hostOf } from "../../src/pods/index.ts";
import { dialThrough } from "./forwarder.ts";
import { Gate } from "./gate.ts";
import { IMAGE } from "./ground.ts";
import type { Ground } from "./ground.ts";
import { openKube } from "./kube.ts";
import type { Kube, KubeObject } from "./kube.ts";

export type ClusterObject = ObjectOf<typeof EtcdCluster>;
export type ClusterSpec = { readonly size?: number; readonly version: string; readonly [field: string]: unknown };

/** The identity of a client of a member. Default: the certificate of the clients' Secret. */
export interface Guise {
  /** Another Secret with a certificate; `none`: no certificate. */
  readonly secret?: string | { readonly is: "none" };
  readonly credentials?: { readonly name: string; readonly password: string };
}

/** The limit of any wait: generous, because machines are busy. */
const PATIENCE = 300_000;

export class Scene {
  readonly ground: Ground;
  readonly kube: Kube;
  readonly name: string;
  /** The proxy between the operator and the members. */
  readonly gate: Gate;
  #operator: ChildProcess | undefined;
  #runs = 0;

  private constructor({ ground, kube, gate, name }: Pick<Scene, "ground" | "kube" | "gate" | "name">) {
    this.ground = ground;
    this.kube = kube;
    this.gate = gate;
    this.name = name;
  }

  static async open(test: TestContext, ground: Ground, name = "e"): Promise<Scene> {
    const gate = await Gate.open(join(ground.folder, `gate-${name}.sock`), ground.socket);
    const scene = new Scene({ ground, kube: await openKube(ground.kubeconfig), gate, name });
    scene.startOperator();
    test.after(async () => {
      await scene.killOperator();
      await gate[Symbol.asyncDispose]();
    });
    await scene.until(
      "the kinds are served",
      async () => (await scene.kube.get("/apis/etcd.capstan.dev/v1")) !== undefined,
    );
    return scene;
  }

  startOperator(): void {
    const { kubeconfig, namespace, folder } = this.ground;
    const program = join(import.meta.dirname, "operator.ts");
    const flags = [
      `--kubeconfig=${kubeconfig}`,
      `--namespaces=${namespace}`,
      "--health-probe-bind-address=0",
      "--log-level=debug",
    ];
    const child = spawn(
      process.execPath,
      ["--conditions=@capstan/source", "--disable-warning=ExperimentalWarning", program, ...flags],
      {
        env: { ...process.env, NODE_TEST_CONTEXT: "", ETCD_OPERATOR_SOCKET: join(folder, `gate-${this.name}.sock`) },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const log = createWriteStream(join(folder, `operator-${this.name}-${++this.#runs}.log`));
    child.stdout?.pipe(log);
    child.stderr?.pipe(log);
    this.#operator = child;
  }

  async killOperator(): Promise<void> {
    await this.#endOperator("SIGKILL");
  }

  /** Sends SIGTERM, like a Deployment that replaces the pod with another version. */
  async stopOperator(): Promise<void> {
    await this.#endOperator("SIGTERM");
  }

  async #endOperator(signal: NodeJS.Signals): Promise<void> {
    const child = this.#operator;
    this.#operator = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  path(plural: string, name = "", group = "/api/v1"): string {
    return `${group}/namespaces/${this.ground.namespace}/${plural}${name === "" ? "" : `/${name}`}`;
  }

  get clusterPath(): string {
    return this.path("etcdclusters", this.name, "/apis/etcd.capstan.dev/v1");
  }

  async apply(spec: ClusterSpec): Promise<void> {
    const metadata = { name: this.name, namespace: this.ground.namespace };
    const full = { image: IMAGE, ...spec };
    await this.kube.apply(this.clusterPath, {
      apiVersion: "etcd.capstan.dev/v1",
      kind: "EtcdCluster",
      metadata,
      spec: full,
    });
  }

  /** Changes a few fields of the spec and leaves the others. */
  async edit(spec: { readonly [field: string]: unknown }): Promise<KubeObject> {
    const changed = await this.kube.call("PATCH", this.clusterPath, { spec }, "application/merge-patch+json");
    return changed as KubeObject;
  }

  async cluster(): Promise<ClusterObject> {
    const found = await this.kube.get(this.clusterPath);
    assert.ok(found, "the cluster exists");
    return found as unknown as ClusterObject;
  }

  /** Polls until a condition holds. */
  async until<T>(what: string, look: () => Promise<T | false | undefined>, patience = PATIENCE): Promise<T> {
    const end = performance.now() + patience;
    let failure: unknown;
    while (performance.now() < end) {
      try {
        const seen = await look();
        if (seen !== false && seen !== undefined) return seen;
      } catch (error) {
        failure = error;
      }
      await delay(250);
    }
    const { status } = await this.cluster().catch(() => ({ status: undefined }));
    assert.fail(
      `waited in vain until ${what}; ${failure instanceof Error ? failure.message : ""}\n${JSON.stringify(status, undefined, 1)}\n${await this.#lastWords()}`,
    );
  }

  /** Waits until the cluster matches its spec and nothing is left to do. */
  async settled(what: string): Promise<ClusterObject> {
    return await this.until(what, async () => {
      const cluster = await this.cluster();
      return isSettled(cluster) && cluster;
    });
  }

  async pods(): Promise<readonly KubeObject[]> {
    return await this.kube.list(`${this.path("pods")}?labelSelector=etcd.capstan.dev/cluster=${this.name}`);
  }

  /** The address of a member's pod. */
  async addressOf(member: string): Promise<string> {
    const pod = await this.kube.get(this.path("pods", member));
    return (pod as { status?: { podIP?: string } } | undefined)?.status?.podIP ?? "0.0.0.0";
  }

  /** A client of one member. */
  async member(name: string, { secret, credentials }: Guise = {}): Promise<EtcdClient> {
    const address = await this.addressOf(name);
    const tls = await this.tls(secret);
    const place = { name: this.name, namespace: this.ground.namespace, isSecure: tls !== undefined };
    return connectEtcd({
      endpoint: `${tls === undefined ? "http" : "https"}://${address}:2379`,
      dial: dialThrough(this.ground.socket),
      ...(tls === undefined ? {} : { tls: { ...tls, serverName: hostOf(place, name) } }),
      ...(credentials === undefined ? {} : { credentials }),
    });
  }

  /** A client of the leader in the cluster's status. */
  async leader(as: Guise = {}): Promise<EtcdClient> {
    return await this.member(await this.#anyMember(), as);
  }

  /** Writes through any member until the write is acknowledged. */
  async put(key: string, value: string): Promise<void> {
    await this.until(`${key} is written`, async () => {
      await using client = await this.member(await this.#anyMember());
      await client.kv.put(key, value);
      return true;
    });
  }

  async read(key: string): Promise<string | undefined> {
    return await this.until(`${key} is read`, async () => {
      await using client = await this.member(await this.#anyMember());
      return (await client.kv.get(key))?.value.toString() ?? "nothing";
    });
  }

  async #anyMember(): Promise<string> {
    const { status } = await this.cluster();
    return status?.leader ?? status?.members?.[0]?.name ?? "";
  }

  async claims(): Promise<readonly KubeObject[]> {
    return await this.kube.list(
      `${this.path("persistentvolumeclaims")}?labelSelector=etcd.capstan.dev/cluster=${this.name}`,
    );
  }

  /** How clients connect: through the Service. */
  async ways(): Promise<{
    readonly endpoints: () => readonly string[];
    readonly connect: (endpoint: string) => EtcdClient;
  }> {
    const service = `${this.name}-client`;
    const found = (await this.kube.get(this.path("services", service))) as
      | { spec?: { clusterIP?: string } }
      | undefined;
    const tls = await this.tls();
    const serverName = `${service}.${this.ground.namespace}.svc`;
    const dial = dialThrough(this.ground.socket);
    return {
      endpoints: () => [`${tls === undefined ? "http" : "https"}://${found?.spec?.clusterIP}:2379`],
      connect: (endpoint) =>
        connectEtcd({
          endpoint,
          dial,
          timeoutMs: 2_000,
          ...(tls === undefined ? {} : { tls: { ...tls, serverName } }),
        }),
    };
  }

  /** The certificates of a client; undefined where connections are not encrypted. */
  async tls(secret?: Guise["secret"]): Promise<TlsMaterial | undefined> {
    const { status } = await this.cluster();
    if (status?.clientSecret === undefined) return undefined;
    const name = typeof secret === "string" ? secret : status.clientSecret;
    const found = (await this.kube.get(this.path("secrets", name))) as
      | { data?: { [entry: string]: string } }
      | undefined;
    const read = (entry: string): string => Buffer.from(found?.data?.[entry] ?? "", "base64").toString();
    const ca = read("ca.crt");
    return typeof secret === "object" ? { ca } : { ca, certificate: read("tls.crt"), privateKey: read("tls.key") };
  }

  async #lastWords(): Promise<string> {
    const log = await readFile(join(this.ground.folder, `operator-${this.name}-${this.#runs}.log`), "utf8").catch(
      () => "",
    );
    return log.split("\n").slice(-25).join("\n");
  }
}

/** Nothing is left to do for this spec. */
export function isSettled({ metadata, spec, status }: ClusterObject): boolean {
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  const isCurrent = progressing?.observedGeneration === metadata.generation && progressing?.status === "False";
  return isCurrent && (spec.size === 0 || (status?.ready === spec.size && status.size === spec.size));
}
