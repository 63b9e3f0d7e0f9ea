/** The throughput of a service compared with the pod behind it: a memcached that is queried in both ways from the same place. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { Client } from "@capstan/client";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { Pod, Service } from "@capstan/kinds/v1";
import type { Figures } from "../result.ts";
import { type EmbeddedCluster, openHome } from "./embedded.ts";

const execute = promisify(execFile);
const namespace = "default";
const port = 11_211;

/** Alternates, so that load from other processes affects both. */
export async function measureService(figures: Figures, rounds: number): Promise<void> {
  using home = await openHome(["memcached"]);
  await using cluster = await home.start();
  const { service, pod } = await serve(cluster.client);
  await ask(cluster, service);
  for (let round = 0; round < rounds; round++) {
    for (const [contender, host] of [
      ["capstan", service],
      ["direct", pod],
    ] as const) {
      const { requests, megabytes, connections } = await ask(cluster, host);
      figures.add(contender, "service, requests", "per second", requests);
      figures.add(contender, "service, large values", "MB/s", megabytes);
      figures.add(contender, "service, new connections", "per second", connections);
    }
  }
}

interface Rates {
  readonly requests: number;
  readonly megabytes: number;
  readonly connections: number;
}

async function ask(cluster: EmbeddedCluster, host: string): Promise<Rates> {
  const asker = join(import.meta.dirname, "service-asker.ts");
  const [command = "", ...words] = cluster.inside([process.execPath, asker, host, String(port)]);
  return JSON.parse((await execute(command, words)).stdout) as Rates;
}

async function serve(client: Client): Promise<{ readonly service: string; readonly pod: string }> {
  const labels = { app: "cache" };
  const created = await client.create(Service, {
    metadata: { name: "cache", namespace },
    spec: { selector: labels, ports: [{ port }] },
  });
  const container = { name: "main", image: "capstan.test/memcached:1.6", readinessProbe: { tcpSocket: { port } } };
  await client.create(Pod, { metadata: { name: "cache", namespace, labels }, spec: { containers: [container] } });
  for (;;) {
    const slices = (await client.list(EndpointSlice, { namespace }).all()).items;
    const mine = slices.find(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "cache");
    const [endpoint] = mine?.endpoints ?? [];
    if (endpoint?.conditions?.ready === true) {
      return { service: created.spec?.clusterIP ?? "", pod: endpoint.addresses[0] ?? "" };
    }
    await wait(20);
  }
}
