/** The clusters that a story is told on: an embedded one with real pods, and a real Kubernetes. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { createClient, loadConfig, processHost, type Client } from "@capstan/client";
import { Namespace } from "@capstan/kinds/v1";
import { buildTestImages, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { inspectMachine } from "@capstan/node";
import { openHome } from "./embedded.ts";

const execute = promisify(execFile);

/** A cluster as a story sees it. */
export interface Target {
  readonly client: Client;
  readonly namespace: string;
  readonly kubeconfig: string;
  /** Runs a program of this machine in the network of the pods; gives what it says. */
  readonly inside: (argv: readonly string[], timeout?: number) => Promise<string>;
}

/** A kind of cluster. */
export interface Stage {
  readonly name: "embedded" | "real Kubernetes";
  /** Why it cannot be had here. */
  readonly skip: string | false;
  /** Starts the cluster, or a part of one, for a test, with these test images. */
  readonly open: (t: TestContext, images: readonly string[]) => Promise<Target>;
}

const { canRunPods } = await inspectMachine(process);
const isCi = process.env["CI"] === "true";

const embedded: Stage = {
  name: "embedded",
  skip: canRunPods || isCi ? false : "this machine cannot run real pods; capstan doctor says why",
  async open(t, images) {
    const home = await openHome();
    t.after(() => home[Symbol.asyncDispose]());
    for (const { archive } of await buildTestImages({ only: images })) {
      const { code, err } = await home.capstan(["cluster", "load-image", archive]);
      if (code !== 0) throw new Error(err);
    }
    const cluster = await home.start({ words: ["--pods", "real"] });
    const namespace = "story";
    await cluster.client.create(Namespace, { metadata: { name: namespace } });
    return {
      client: cluster.client,
      namespace,
      kubeconfig: cluster.kubeconfig,
      async inside(argv, timeout = 60_000) {
        const all = ["cluster", "exec", "--", "timeout", String(timeout / 1000), ...argv];
        const { code, out, err } = await home.capstan(all);
        if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${err}`);
        return out;
      },
    };
  },
};

const real: Stage = {
  name: "real Kubernetes",
  skip: kubernetesMissing(),
  async open(t, images) {
    const cluster = await useKubernetes(t, { node: true });
    await cluster.load((await buildTestImages({ only: images })).map(({ archive }) => archive));
    const client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
    t.after(() => client.close());
    const tool = join(import.meta.dirname, "../../tools/kubernetes/src/main.ts");
    return {
      client,
      namespace: cluster.namespace,
      kubeconfig: cluster.kubeconfig,
      async inside(argv, timeout = 60_000) {
        const words = ["--conditions=@capstan/source", tool, "exec", "--name", cluster.name, "--", ...argv];
        return (await execute(process.execPath, words, { timeout })).stdout;
      },
    };
  },
};

/** Every stage. */
export const stages: readonly Stage[] = [embedded, real];
