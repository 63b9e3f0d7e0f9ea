/** Counts the writes to Widgets and ConfigMaps that the API server has answered, by its own metrics: nothing can be missed on the way. */
import type { World } from "./world.ts";

const series = /^apiserver_request_total\{([^}]*)\} (\S+)$/gm;

/** Verbs of operators; what else writes in a cluster, such as the publisher of the root certificate, creates. */
const verbs: ReadonlySet<string> = new Set(["APPLY", "PATCH", "PUT"]);
const resources: ReadonlySet<string> = new Set(["widgets", "configmaps"]);

/** How many there were since the server started. */
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
