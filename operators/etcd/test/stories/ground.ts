/** The two clusters on which every story is told: the embedded one with real pods, and a real Kubernetes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { startCluster } from "@capstan/cluster";
import { buildTestImages, useKubernetes } from "@capstan/kubernetes";
import { loadArchive, openStore } from "@capstan/oci";
import { startForwarder } from "./forwarder.ts";

/** Where a story happens. */
export interface Ground {
  readonly name: "embedded" | "kubernetes";
  readonly kubeconfig: string;
  readonly namespace: string;
  /** The socket of a forwarder into the network of the pods. */
  readonly socket: string;
  readonly folder: string;
}

export const IMAGE = "capstan.test/etcd:{version}";
const IMAGES = ["etcd-3.5", "etcd-3.6", "etcd-3.7", "busybox"];

/** Archives of more images are loaded beside those that all stories need. */
export type StartGround = (test: TestContext, archives?: readonly string[]) => Promise<Ground>;

export const GROUNDS: { readonly [name in Ground["name"]]: StartGround } = { embedded, kubernetes };

async function embedded(test: TestContext, archives: readonly string[] = []): Promise<Ground> {
  const folder = await tidyFolder(test);
  const images = await openStore(join(folder, "images"));
  const built = await buildTestImages({ only: IMAGES });
  for (const archive of [...built.map((image) => image.archive), ...archives]) await loadArchive(archive, images);
  const cluster = await startCluster({ pods: "real", images, nodes: 3 });
  test.after(() => cluster.stop());
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig ?? "");
  const socket = join(folder, "pods.sock");
  const server = await startForwarder(socket, (host, port) => cluster.network.dial(host, port));
  test.after(() => server.close());
  return { name: "embedded", kubeconfig, namespace: "default", socket, folder };
}

async function kubernetes(test: TestContext, archives: readonly string[] = []): Promise<Ground> {
  const folder = await tidyFolder(test);
  const cluster = await useKubernetes(test, { node: true });
  const built = await buildTestImages({ only: IMAGES });
  await cluster.load([...built.map(({ archive }) => archive), ...archives]);
  const socket = join(folder, "pods.sock");
  const tool = fileURLToPath(import.meta.resolve("@capstan/kubernetes")).replace("index.ts", "main.ts");
  const program = [process.execPath, "--conditions=@capstan/source", join(import.meta.dirname, "forwarder.ts"), socket];
  const child = spawn(
    process.execPath,
    ["--conditions=@capstan/source", tool, "exec", "--name", cluster.name, "--", ...program],
    {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, NODE_TEST_CONTEXT: "" },
    },
  );
  test.after(async () => {
    const gone = once(child, "exit");
    child.stdin?.end();
    await gone;
  });
  await once(child.stdout, "data");
  return { name: "kubernetes", kubeconfig: cluster.kubeconfig, namespace: cluster.namespace, socket, folder };
}

async function tidyFolder(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "etcd-story-"));
  test.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
