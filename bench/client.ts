/** CPU time of one small request on one connection to a real kube-apiserver: ours, bare node:http2, client-node. */
import { readFile } from "node:fs/promises";
import { connect } from "node:http2";
import { createClient, loadConfig, processHost } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { useKubernetes } from "@capstan/kubernetes";
import type { TestCluster } from "@capstan/kubernetes";
import { Figures } from "./result.ts";
import type { Found } from "./result.ts";

const requests = 3000;
const inFlight = 16;
const rounds = 9;

/** CPU microseconds per request of one round. */
async function round(request: () => Promise<unknown>, count: number): Promise<number> {
  let left = count;
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left > 0) {
        left -= 1;
        await request();
      }
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

interface Contender {
  readonly name: string;
  readonly count: number;
  readonly request: () => Promise<unknown>;
}

/** Alternates between contenders, so that load from other processes affects all of them; the first round only warms up. */
async function measure(contenders: readonly Contender[], figures: Figures): Promise<void> {
  for (const { request, count } of contenders) await round(request, count);
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const { name, request, count } of contenders) {
      figures.add(name, "small request, CPU", "us", await round(request, count));
    }
  }
}

/** The least that Node can do: one session, one stream per request, the body parsed. */
async function bareHttp2(
  { server, kubeconfig }: TestCluster,
  path: string,
): Promise<{ request: () => Promise<unknown>; end: () => void }> {
  const config = await loadConfig(processHost(), { kubeconfig });
  const text = (source: { data: string } | { file: string } | undefined): Promise<string> =>
    source === undefined
      ? Promise.resolve("")
      : "data" in source
        ? Promise.resolve(source.data)
        : readFile(source.file, "utf8");
  const { cluster, user } = config;
  const [ca, cert, key] = await Promise.all([
    text(cluster.certificateAuthority),
    text(user.clientCertificate),
    text(user.clientKey),
  ]);
  const session = connect(server, { ca, cert, key });
  const request = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ":path": path, accept: "application/json" });
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString("utf8"))));
      stream.on("error", reject);
    });
  return { request, end: () => session.destroy() };
}

async function clientNode({ kubeconfig, namespace }: TestCluster): Promise<() => Promise<unknown>> {
  const { CoreV1Api, KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  return () => api.readNamespacedConfigMap({ namespace, name: "small" });
}

/** One ConfigMap, read again and again, sixteen at a time. */
export async function benchClient(): Promise<Found> {
  await using cluster = await useKubernetes({ after: () => {} }, { own: true });
  const { namespace } = cluster;
  await using client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
  await client.create(ConfigMap, { metadata: { namespace, name: "small" }, data: { key: "value" } });
  const bare = await bareHttp2(cluster, `/api/v1/namespaces/${namespace}/configmaps/small`);
  const figures = new Figures("client");
  const get = (): Promise<unknown> => client.get(ConfigMap, { namespace, name: "small" });
  await measure(
    [
      { name: "capstan", count: requests, request: get },
      { name: "bare node:http2", count: requests, request: bare.request },
      { name: "client-node", count: 200, request: await clientNode(cluster) },
    ],
    figures,
  );
  bare.end();
  return { rows: figures.rows() };
}
