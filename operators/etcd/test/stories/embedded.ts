/** The embedded cluster with real pods, as a cluster for stories. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { startCluster } from "@capstan/cluster";
import type { FaultTarget, RealCluster } from "@capstan/cluster";
import { buildTestImages } from "@capstan/kubernetes";
import { loadArchive, openStore } from "@capstan/oci";
import type { Breakage } from "./breakage.ts";
import { Gate } from "./gate.ts";
import type { Ground, GroundParts } from "./ground.ts";
import { startInside } from "./inside.ts";

const NAMESPACE = "default";

export async function startEmbedded(test: TestContext, parts: GroundParts): Promise<Ground> {
  const { folder } = parts;
  const images = await openStore(join(folder, "images"));
  const built = await buildTestImages({ only: parts.images });
  for (const archive of [...built.map((image) => image.archive), ...parts.archives]) await loadArchive(archive, images);
  const state = join(folder, "state");
  const cluster = await startCluster({ pods: "real", images, nodes: 3, state });
  test.after(() => cluster.stop());
  const gate = await Gate.open(0, cluster.server.port ?? 0);
  test.after(() => gate[Symbol.asyncDispose]());
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, (cluster.kubeconfig ?? "").replaceAll(`:${cluster.server.port}`, `:${gate.port}`));
  const socket = await startInside(test, (argv) => cluster.network.enter(argv), folder);
  const breakage = breakageOf(cluster, gate, state);
  return { name: "embedded", kubeconfig, namespace: NAMESPACE, socket, folder, breakage };
}

/** The kubelets run in the process of the API server, so it is made unavailable only for the operator and for users. */
function breakageOf({ faults }: RealCluster, gate: Gate, state: string): Breakage {
  const nodeTarget = (name: string): FaultTarget => ({ kind: "node", name });
  return {
    cut: async (pods) => {
      for (const name of pods) await faults.set({ do: "cut", target: { kind: "pod", namespace: NAMESPACE, name } });
    },
    heal: async () => void (await faults.set({ do: "heal" })),
    loseNode: async (node, how) =>
      void (await faults.set({ do: how === "killed" ? "kill" : "cut", target: nodeTarget(node) })),
    returnNode: async (node) => void (await faults.set({ do: "heal", target: nodeTarget(node) })),
    stopApiServer: async (how) => gate.shut(how === "killed" ? "refused" : "silent"),
    startApiServer: async () => gate.reopen(),
    folderOf: ({ hostPath }) => join(state, "disk", hostPath?.path ?? ""),
  };
}
