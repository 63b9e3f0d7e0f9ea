/** Counts the writes to Widgets and ConfigMaps in the API server's metrics, which miss none. */
import type { World } from "./world.ts";

const series = /^apiserver_request_total\{([^}]*)\} (\S+)$/gm;

/** Verbs of operators; other writers in a cluster, such as the publisher of the root certificate, use create. */
const verbs: ReadonlySet<string> = new Set(["APPLY", "PATCH", "PUT"]);
const resources: ReadonlySet<string> = new Set(["widgets", "configmaps"]);

/** The number of writes since the server started. */
export async function countWrites({ client }: World): Promise<number> {
  const headers = { accept: "text/plain" };
  const { body } = await client.transport.request({ method: "GET", path: "/metrics", headers });
  let sum = 0;
  for (const [, labels = "", value = "0"] of (await body.text()).matchAll(series)) {
    const label = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    if (verbs.has(label("verb")) && resources.has(label("resource"))) sum += Number(value);
  }
  return sum;
}
