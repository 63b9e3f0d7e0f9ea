/** The memory of a server with ten thousand ConfigMaps, and whether a list of them delays other requests. */
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigMap } from "@capstan/kinds/v1";
import { fillMaps } from "../cache.ts";
import type { Figures } from "../result.ts";
import type { Server } from "./servers.ts";

const maps = 10_000;
const lists = 5;

/** Fills the server and lists its objects while another client sends small requests. */
export async function measureMemory(server: Server, figures: Figures): Promise<void> {
  const { name, client } = server;
  await sleep(1000);
  figures.add(name, "memory after start", "MiB", server.residentMiB());
  await warmUp(server);
  const before = server.residentMiB();
  await fillMaps({ client, kubeconfig: "" }, maps, "filled");
  await sleep(1000);
  const after = server.residentMiB();
  const json = await bytesOfList(server, forms[""]);
  const share = ((after - before) * 2 ** 20) / json;
  figures.add(name, "memory of 10,000 ConfigMaps over their JSON", "times", share);
  for (const [form, accept] of Object.entries(forms)) await measureStall(server, figures, { form, accept });
}

/** The first requests load and compile code. They run before, so that the figure is the memory of the objects. */
async function warmUp({ client }: Server): Promise<void> {
  await fillMaps({ client, kubeconfig: "" }, maps / 4, "warm");
  const path = "/api/v1/namespaces/warm/configmaps";
  for await (const _ of (await client.transport.request({ method: "DELETE", path, headers: {} })).body);
  await sleep(3000);
}

/** The list formats of scripts, Go programs and kubectl. */
const forms = {
  "": "application/json",
  " as protobuf": "application/vnd.kubernetes.protobuf",
  " as a table": "application/json;as=Table;g=meta.k8s.io;v=v1",
};

async function bytesOfList({ client }: Server, accept: string): Promise<number> {
  const path = "/api/v1/namespaces/filled/configmaps";
  let bytes = 0;
  for await (const chunk of (await client.transport.request({ method: "GET", path, headers: { accept } })).body) {
    bytes += chunk.length;
  }
  return bytes;
}

/** The longest time of a small request on another connection while lists are made; this process parses nothing meanwhile. */
async function measureStall(
  server: Server,
  figures: Figures,
  { form, accept }: { form: string; accept: string },
): Promise<void> {
  const other = await server.connect();
  const get = (): Promise<unknown> => other.get(ConfigMap, { namespace: "filled", name: "map-1" });
  for (let at = 0; at < 50; at++) await get();
  const listing = new AbortController();
  let longest = 0;
  const asking = (async () => {
    while (!listing.signal.aborted) {
      const began = performance.now();
      await get();
      longest = Math.max(longest, performance.now() - began);
      await sleep(2);
    }
  })();
  for (let at = 0; at < lists; at++) await bytesOfList(server, accept);
  listing.abort();
  await asking;
  figures.add(server.name, `stall by a list of 10,000${form}`, "ms", longest);
  await other.close();
}
