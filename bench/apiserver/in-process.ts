/** Servers inside this process, as tests start them: how soon they respond, and what remains in memory after five hundred of them. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startApiServer } from "@capstan/apiserver";
import type { Figures } from "../result.ts";

const servers = 500;

/** Starts and stops servers; the first one also loads the code. */
export async function measureInProcess(figures: Figures): Promise<void> {
  for (let at = 0; at < 5; at++) {
    const began = performance.now();
    await using server = await startApiServer();
    await server.fetch(new Request("http://server/readyz"));
    figures.add("capstan", "start in process", "ms", performance.now() - began);
  }
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  // The target of a weak reference is kept until the current job ends: only then can it be collected.
  const collect = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
  };
  await many(20);
  await collect();
  const before = process.memoryUsage().heapUsed;
  await many(servers);
  await collect();
  const kept = (process.memoryUsage().heapUsed - before) / 2 ** 20 / servers;
  figures.add("capstan", "memory kept by 500 servers", "MiB a server", kept);
}

async function many(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    await using server = await startApiServer();
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } });
    const headers = { "content-type": "application/json" };
    const path = "http://server/api/v1/namespaces/default/configmaps";
    await server.fetch(new Request(path, { method: "POST", body, headers }));
  }
}
