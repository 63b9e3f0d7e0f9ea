/** What ten thousand ConfigMaps cost a server in memory, and whether a list of them holds up others. */
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigMap } from "@capstan/kinds/v1";
import { fillMaps } from "../cache.ts";
import type { Figures } from "../result.ts";
import type { Server } from "./servers.ts";

const maps = 10_000;
const lists = 5;

/** Fills the server and lists what is in it while somebody else asks for small things. */
export async function measureMemory(server: Server, figures: Figures): Promise<void> {
  const { name, client } = server;
  await sleep(1000);
  const before = server.residentMiB();
  figures.add(name, "memory after start", "MiB", before);
  await fillMaps({ client, kubeconfig: "" }, maps, "filled");
  await sleep(1000);
  const after = server.residentMiB();
  const json = await bytesOfList(server);
  const share = ((after - before) * 2 ** 20) / json;
  figures.add(name, "memory of 10,000 ConfigMaps over their JSON", "times", share);
  await measureStall(server, figures);
}

const wholeList = {
  method: "GET",
  path: "/api/v1/namespaces/filled/configmaps",
  headers: { accept: "application/json" },
};

async function bytesOfList({ client }: Server): Promise<number> {
  let bytes = 0;
  for await (const chunk of (await client.transport.request(wholeList)).body) bytes += chunk.length;
  return bytes;
}

/** The longest that a small request on another connection takes while lists are made; nothing is parsed here meanwhile. */
async function measureStall(server: Server, figures: Figures): Promise<void> {
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
  for (let at = 0; at < lists; at++) await bytesOfList(server);
  listing.abort();
  await asking;
  figures.add(server.name, "stall by a list of 10,000", "ms", longest);
  await other.close();
}
