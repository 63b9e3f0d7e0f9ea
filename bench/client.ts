/** CPU time of one small request on one connection to a real kube-apiserver: ours, bare node:http2, client-node. */
import { readFile } from "node:fs/promises";
import { connect } from "node:http2";
import { createClient, loadConfig, processHost } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { useKubernetes } from "@capstan/kubernetes";
import type { TestCluster } from "@capstan/kubernetes";

/** The promise: at most this many microseconds of CPU per request, as a median. */
const ceiling = 60;
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

/** Measures in turns, so that what else the machine does hits all alike; the medians. */
async function measure(
  contenders: Readonly<Record<string, () => Promise<unknown>>>,
  count: number,
): Promise<Map<string, number>> {
  const figures = new Map(Object.keys(contenders).map((name) => [name, [] as number[]]));
  for (const request of Object.values(contenders)) await round(request, count);
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const [name, request] of Object.entries(contenders)) figures.get(name)?.push(await round(request, count));
  }
  return new Map([...figures].map(([name, found]) => [name, report(name, found)]));
}

function report(name: string, figures: number[]): number {
  figures.sort((a, b) => a - b);
  const median = figures[Math.floor(rounds / 2)] ?? 0;
  const best = figures[0] ?? 0;
  console.log(`${name.padEnd(24)} ${median.toFixed(1).padStart(8)} us CPU per request (best ${best.toFixed(1)})`);
  return median;
}

/** The least that Node can do: one session, one stream a request, the body parsed. */
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

await using cluster = await useKubernetes({ after: () => {} });
const { namespace } = cluster;
await using client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
await client.create(ConfigMap, { metadata: { namespace, name: "small" }, data: { key: "value" } });

const bare = await bareHttp2(cluster, `/api/v1/namespaces/${namespace}/configmaps/small`);
const figures = await measure(
  { "bare node:http2": bare.request, "@capstan/client": () => client.get(ConfigMap, { namespace, name: "small" }) },
  requests,
);
bare.end();
if (!process.argv.includes("--alone")) await measure({ "@kubernetes/client-node": await clientNode(cluster) }, 200);
const ours = figures.get("@capstan/client") ?? 0;
console.log(`ours is ${(ours / (figures.get("bare node:http2") ?? 1)).toFixed(2)} x bare node:http2`);
if (ours > ceiling) {
  console.error(`@capstan/client needs ${ours.toFixed(1)} us, more than the ${ceiling} that are promised`);
  process.exitCode = 1;
}
