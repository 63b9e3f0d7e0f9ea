/** Requests a second with sixteen in flight: get, create, and a mixture of everything. */
import type { Client } from "@capstan/client";
import { ConfigMap, Namespace } from "@capstan/kinds/v1";
import type { Figures } from "../result.ts";
import type { Server } from "./servers.ts";

const seconds = 5;
const inFlight = 16;
const data = { text: "x".repeat(300) };

/**
 * Each kind of request for some seconds. The objects stay: deleting a namespace keeps controllers, API server and etcd busy while the
 * other server is measured.
 */
export async function measureThroughput(server: Server, figures: Figures): Promise<void> {
  const { client } = server;
  const namespace = `load-${Date.now()}`;
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(Namespace, { metadata: { name: `${namespace}-few` } });
  for (let at = 0; at < 10; at++) {
    await client.create(ConfigMap, { metadata: { namespace: `${namespace}-few`, name: `few-${at}` }, data });
  }
  const calls = requestsOf(client, namespace);
  const mixture = [calls.get, calls.list, calls.create, calls.patch, calls.apply];
  await measureRate("get", calls.get, { server, figures });
  await measureRate("create", calls.create, { server, figures });
  await measureRate("mixed", (at) => mixture[at % mixture.length]?.(at), { server, figures });
}

type Request = (at: number) => Promise<unknown> | undefined;

function requestsOf(client: Client, namespace: string) {
  const few = `${namespace}-few`;
  let made = 0;
  return {
    get: (at: number) => client.get(ConfigMap, { namespace: few, name: `few-${at % 10}` }),
    list: () => client.list(ConfigMap, { namespace: few }).all(),
    create: () => client.create(ConfigMap, { metadata: { namespace, name: `made-${made++}` }, data }),
    patch: (at: number) =>
      client.patch(ConfigMap, { namespace: few, name: `few-${at % 10}` }, { merge: { data: { at: String(at) } } }),
    apply: (at: number) =>
      client.apply(
        ConfigMap,
        { metadata: { namespace: few, name: `applied-${at % 10}` }, data: { at: String(at) } },
        { fieldManager: "bench", force: true },
      ),
  };
}

interface Measured {
  readonly server: Server;
  readonly figures: Figures;
}

/** Requests a second, and the CPU of each: the second figure is the same on a busy machine. */
async function measureRate(what: string, request: Request, { server, figures }: Measured): Promise<void> {
  for (let at = 0; at < 200; at++) await request(at);
  let done = 0;
  const cost = server.cpuSeconds();
  const began = performance.now();
  const end = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() < end) {
        await request(done);
        done++;
      }
    }),
  );
  figures.add(server.name, what, "requests per second", done / ((performance.now() - began) / 1000));
  figures.add(server.name, `${what}, CPU of the server`, "us", ((server.cpuSeconds() - cost) / done) * 1e6);
}
