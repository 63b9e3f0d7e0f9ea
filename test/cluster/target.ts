/** The clusters of a story: an embedded one with real pods, and a real Kubernetes. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { createClient, loadConfig, processHost, type Client } from "@capstan/client";
import { Namespace, Pod } from "@capstan/kinds/v1";
import { buildTestImages, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { inspectMachine } from "@capstan/node";
import { openHome, type Home } from "./embedded.ts";

const execute = promisify(execFile);

/** A cluster as a story sees it. */
export interface Target {
  /** Replaced after a restart of everything. */
  readonly client: Client;
  readonly namespace: string;
  readonly kubeconfig: string;
  /** Runs a program of this machine in the network of the pods; returns its output. */
  readonly inside: (argv: readonly string[], timeout?: number) => Promise<string>;
  /** Loads the images of an OCI archive on all nodes. */
  readonly load: (archive: string) => Promise<void>;
  readonly accidents: Accidents;
}

/** Faults in an exclusive cluster. */
export interface Accidents {
  /** A node loses power, with all that runs on it. */
  readonly killNode: (name: string) => Promise<void>;
  readonly restartNode: (name: string) => Promise<void>;
  /** Everything loses power, and restarts. */
  readonly restartEverything: () => Promise<void>;
  /** Cuts a pod off from other pods. */
  readonly cut: (pod: string) => Promise<void>;
  readonly heal: (pod: string) => Promise<void>;
}

/** A kind of cluster. */
export interface Stage {
  readonly name: "embedded" | "real Kubernetes";
  /** Why it is not available here. */
  readonly skip: string | false;
  /** Starts the cluster, or a part of one, for a test, with these test images. */
  readonly open: (t: TestContext, images: readonly string[], wishes?: Wishes) => Promise<Target>;
}

/** Special requirements of a story. */
export interface Wishes {
  /** An exclusive cluster, so that it may be broken. */
  readonly own?: boolean;
  /** How many nodes there are. */
  readonly nodes?: number;
}

const { canRunPods } = await inspectMachine(process);
const isCi = process.env["CI"] === "true";

const embedded: Stage = {
  name: "embedded",
  skip: canRunPods || isCi ? false : "this machine cannot run real pods; capstan doctor says why",
  async open(t, images, { nodes = 1 } = {}) {
    const home = await openHome();
    t.after(() => home[Symbol.asyncDispose]());
    for (const { archive } of await buildTestImages({ only: images })) await say(home, ["load-image", archive]);
    const words = ["--pods", "real", "--nodes", String(nodes), "--data", join(home.folder, "data")];
    let cluster = await home.start({ words });
    const namespace = "story";
    await cluster.client.create(Namespace, { metadata: { name: namespace } });
    return {
      get client() {
        return cluster.client;
      },
      namespace,
      kubeconfig: cluster.kubeconfig,
      inside: (argv, timeout = 60_000) => say(home, ["exec", "--", "timeout", String(timeout / 1000), ...argv]),
      load: async (archive) => void (await say(home, ["load-image", archive])),
      accidents: {
        killNode: async (name) => void (await say(home, ["fault", "kill", `node/${name}`])),
        restartNode: async (name) => void (await say(home, ["fault", "heal", `node/${name}`])),
        async restartEverything() {
          await cluster.kill();
          cluster = await home.start({ words });
        },
        cut: async (pod) => void (await say(home, ["fault", "cut", pod, "--namespace", namespace])),
        heal: async (pod) => void (await say(home, ["fault", "heal", pod, "--namespace", namespace])),
      },
    };
  },
};

/** Runs a command for the cluster of a home, which must succeed. */
async function say(home: Home, words: readonly string[]): Promise<string> {
  const { code, out, err } = await home.capstan(["cluster", ...words]);
  if (code !== 0) throw new Error(`capstan cluster ${words.join(" ")} ended with ${code}: ${err}`);
  return out;
}

const real: Stage = {
  name: "real Kubernetes",
  skip: kubernetesMissing(),
  async open(t, images, { own = false, nodes = 1 } = {}) {
    const cluster = await useKubernetes(t, { nodes, own });
    await cluster.load((await buildTestImages({ only: images })).map(({ archive }) => archive));
    const client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
    t.after(() => client.close());
    const { namespace, name } = cluster;
    const tool = join(import.meta.dirname, "../../tools/kubernetes/src/main.ts");
    return {
      client,
      namespace,
      kubeconfig: cluster.kubeconfig,
      async inside(argv, timeout = 60_000) {
        const words = ["--conditions=@capstan/source", tool, "exec", "--name", name, "--", ...argv];
        return (await execute(process.execPath, words, { timeout })).stdout;
      },
      load: (archive) => cluster.load([archive]),
      accidents: {
        killNode: (node) => cluster.killNode(node),
        restartNode: (node) => cluster.restartNode(node),
        async restartEverything() {
          await cluster.killEverything();
          await cluster.restartEverything();
        },
        async cut(pod) {
          const { status } = await client.get(Pod, { namespace, name: pod });
          await cluster.cutPods([status?.podIP ?? ""]);
        },
        heal: () => cluster.cutPods([]),
      },
    };
  },
};

/** Every stage. */
export const stages: readonly Stage[] = [embedded, real];
