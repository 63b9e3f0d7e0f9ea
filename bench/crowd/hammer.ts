/** A program of 200 clients without any pause: expensive lists, large objects, broken bodies, abandoned watches. */
import type { Client } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { receiveOrders } from "./orders.ts";
import { clientAs } from "./population.ts";

const { kubeconfig, namespace, tokens } = await receiveOrders();
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const json = { "content-type": "application/json" };
const large = { text: "y".repeat(100_000) };
let made = 0;

const misdeeds: readonly ((client: Client) => Promise<unknown>)[] = [
  (client) => read(client, "GET", path),
  (client) =>
    client.create(ConfigMap, { metadata: { namespace, name: `large-${process.pid}-${made++ % 50}` }, data: large }),
  (client) => read(client, "POST", path, `{"metadata":`),
  async (client) => {
    const watch = client.watch(ConfigMap, { namespace, signal: AbortSignal.timeout(1_000), sendInitialEvents: true });
    for await (const _ of watch) break;
  },
];

/** Bodies are read and not decoded: the work is the server's. */
async function read(client: Client, method: string, url: string, body?: string): Promise<void> {
  const request = { method, path: url, headers: json, ...(body === undefined ? {} : { body: Buffer.from(body) }) };
  const response = await client.transport.request(request);
  await response.body.text();
}

const clients = await Promise.all(tokens.map((token) => clientAs(kubeconfig, token)));
for (const [at, client] of clients.entries()) void misbehave(client, misdeeds[at % misdeeds.length]);
process.send?.("ready");

async function misbehave(client: Client, misdeed: ((client: Client) => Promise<unknown>) | undefined): Promise<void> {
  for (;;) {
    // A rejected client of this sort comes back at once.
    await misdeed?.(client).catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
