/** The environment of a story: the embedded cluster with real servers, the operator as a process, and a user. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { startCluster } from "@capstan/cluster";
import type { RealCluster } from "@capstan/cluster";
import { buildTestImages } from "@capstan/kubernetes";
import { loadArchive, openStore } from "@capstan/oci";
import type { ObjectOf } from "capstan";
import { Pod, Secret } from "capstan/kinds/v1";
import { stateful } from "capstan/stateful";
import type { ClusterObject } from "capstan/stateful";
import { mariadb } from "../../src/adapter.ts";
import { Sql } from "../../src/sql.ts";
import { dialThrough } from "./forwarder.ts";
import { buildOperatorImage } from "./images.ts";

/** The kind; its controllers run in the operator's process. */
export const {
  kind: MariaDB,
  backupKind,
  restoreKind,
} = stateful(mariadb, {
  group: "mariadb.capstan.dev",
  kind: "MariaDB",
  environment: { now: () => 0, steady: () => 0, randomText: () => "" },
});

const NAMESPACE = "default";
/** The address of the story inside the network: no node has it, so that a cut leaves no way around. */
const STORY_ADDRESS = "172.31.255.1";
/** The limit of any wait: generous, because machines are busy. */
const PATIENCE_MS = 300_000;

/** What a story needs. */
export interface SceneOptions {
  /** Images of the server. */
  readonly images?: readonly string[];
  /** Whether the image of backup pods is there. */
  readonly hasBackups?: boolean;
}

export class Scene {
  readonly cluster: RealCluster;
  readonly namespace: string = NAMESPACE;
  readonly name = "m";
  readonly #folder: string;
  readonly #socket: string;
  #operator: ChildProcess | undefined;
  #runs = 0;

  private constructor(cluster: RealCluster, folder: string) {
    this.cluster = cluster;
    this.#folder = folder;
    this.#socket = join(folder, "pods.sock");
  }

  static async open(
    test: TestContext,
    { images = ["mariadb-10.11"], hasBackups = false }: SceneOptions = {},
  ): Promise<Scene> {
    const folder = await mkdtemp(join(tmpdir(), "mariadb-story-"));
    test.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const store = await openStore(join(folder, "images"));
    for (const { archive } of await buildTestImages({ only: images })) await loadArchive(archive, store);
    if (hasBackups) await loadArchive(await buildOperatorImage(folder), store);
    const cluster = await startCluster({ pods: "real", images: store, nodes: 3, state: join(folder, "state") });
    test.after(() => cluster.stop());
    const scene = new Scene(cluster, folder);
    await writeFile(join(folder, "kubeconfig"), cluster.kubeconfig ?? "");
    await scene.#startForwarder(test);
    scene.startOperator();
    test.after(() => scene.killOperator());
    return scene;
  }

  async #startForwarder(test: TestContext): Promise<void> {
    const program = join(import.meta.dirname, "forwarder.ts");
    const { network } = this.cluster;
    const [ip = "", ...words] = network.enter(["ip", "address", "add", `${STORY_ADDRESS}/32`, "dev", "lo"]);
    await promisify(execFile)(ip, words);
    const [command = "", ...args] = network.enter([process.execPath, program, this.#socket, STORY_ADDRESS]);
    const child = spawn(command, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, NODE_TEST_CONTEXT: "" },
    });
    test.after(async () => {
      const gone = once(child, "exit");
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await gone;
    });
    await once(child.stdout, "data");
  }

  startOperator(): void {
    const child = spawn(
      process.execPath,
      [
        "--conditions=@capstan/source",
        "--disable-warning=ExperimentalWarning",
        join(import.meta.dirname, "operator.ts"),
        `--kubeconfig=${join(this.#folder, "kubeconfig")}`,
        `--namespaces=${NAMESPACE}`,
        "--health-probe-bind-address=0",
        "--log-level=debug",
      ],
      {
        env: { ...process.env, NODE_TEST_CONTEXT: "", MARIADB_OPERATOR_SOCKET: this.#socket },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const log = createWriteStream(join(this.#folder, `operator-${++this.#runs}.log`));
    child.stdout?.pipe(log);
    child.stderr?.pipe(log);
    this.#operator = child;
  }

  async killOperator(): Promise<void> {
    const child = this.#operator;
    this.#operator = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  /** Creates the cluster, or changes its spec. */
  async apply(spec: { readonly [field: string]: unknown }, name: string = this.name): Promise<void> {
    await this.until("the kind is served", async () => {
      await this.cluster.client.apply(
        MariaDB,
        {
          metadata: { name, namespace: NAMESPACE },
          spec: { image: "capstan.test/mariadb:{version}", storage: { size: "1Gi", onDelete: "Delete" }, ...spec },
        } as never,
        { fieldManager: "story", force: true },
      );
      return true;
    });
  }

  async object(name: string = this.name): Promise<ClusterObject> {
    return await this.cluster.client.get(MariaDB, { namespace: NAMESPACE, name });
  }

  /** The member that leads, by the status. */
  async primary(): Promise<string> {
    return (await this.object()).status?.primary ?? "";
  }

  async pods(): Promise<readonly ObjectOf<typeof Pod>[]> {
    const found: ObjectOf<typeof Pod>[] = [];
    for await (const pod of this.cluster.client.list(Pod, { namespace: NAMESPACE })) found.push(pod);
    return found;
  }

  async pod(name: string): Promise<ObjectOf<typeof Pod>> {
    return await this.cluster.client.get(Pod, { namespace: NAMESPACE, name });
  }

  /** Polls until a condition holds. */
  async until<T>(what: string, look: () => Promise<T | false | undefined>, patience = PATIENCE_MS): Promise<T> {
    const end = performance.now() + patience;
    let failure: unknown;
    while (performance.now() < end) {
      try {
        const seen = await look();
        if (seen !== false && seen !== undefined) return seen;
      } catch (error) {
        failure = error;
      }
      await delay(100);
    }
    const object = await this.object().catch(() => undefined);
    const why = failure instanceof Error ? failure.message : "";
    assert.fail(`timed out: ${what}; ${why}\n${JSON.stringify(object?.status, undefined, 1)}\n${await this.log()}`);
  }

  /** Waits until the cluster is as its spec asks, and every acknowledged write is on two members. */
  async settled(what: string, name: string = this.name): Promise<ClusterObject> {
    return await this.until(what, async () => {
      const object = await this.object(name);
      const { status, metadata, spec } = object;
      const holds = (type: string): boolean => {
        const condition = status?.conditions?.find((one) => one.type === type);
        return condition?.status === "True" && condition.observedGeneration === metadata.generation;
      };
      const isDurable = spec.size < 2 || holds("Durable");
      const isWhole = status?.ready === spec.size && status.members?.length === spec.size;
      return holds("Available") && isDurable && isWhole && !holds("Progressing") && object;
    });
  }

  /** A connection to a member with all rights. */
  async member(name: string): Promise<Sql> {
    const owner = name.slice(0, name.lastIndexOf("-"));
    const pod = await this.pod(name);
    const secret = await this.cluster.client.get(Secret, { namespace: NAMESPACE, name: `${owner}-accounts` });
    return await Sql.connect({
      host: name,
      address: pod.status?.podIP ?? "",
      port: 3306,
      password: Buffer.from(secret.data?.["operator"] ?? "", "base64").toString(),
      dial: dialThrough(this.#socket),
      timeoutMs: 3_000,
    });
  }

  /** A byte stream to the server of a member. */
  async dialMember(name: string): Promise<Duplex> {
    const { status } = await this.pod(name);
    return await dialThrough(this.#socket)({ host: status?.podIP ?? "", port: 3306 }, {});
  }

  async log(): Promise<string> {
    const log = await readFile(join(this.#folder, `operator-${this.#runs}.log`), "utf8").catch(() => "");
    return log.split("\n").slice(-25).join("\n");
  }
}
