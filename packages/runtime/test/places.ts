/** The two servers of tests in real time: the embedded one, and a real one. */
import type { TestContext } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess, loadConfig, processHost } from "@capstan/client";
import { useKubernetes } from "@capstan/kubernetes";
import type { Api } from "../src/api.ts";
import { apiOf } from "../src/client-api.ts";

/** A server, and a namespace that only the test uses. */
export interface Place {
  readonly api: Api;
  readonly namespace: string;
}

/** On real Kubernetes. */
export async function onReal(t: TestContext): Promise<Place> {
  const cluster = await useKubernetes(t);
  const client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
  t.after(() => client.close());
  return { api: apiOf(client), namespace: cluster.namespace };
}

/** In this process. */
export async function onEmbedded(): Promise<Place> {
  return { api: apiOf(createClient(inProcess((await startApiServer()).fetch))), namespace: "default" };
}
