/** A program with 2,000 watches that are not read, while it writes fifty objects a second. */
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigMap } from "@capstan/kinds/v1";
import { receiveOrders } from "./orders.ts";
import { clientAs } from "./population.ts";

const watches = 2_000;
const writesPerSecond = 50;

const { kubeconfig, namespace, tokens } = await receiveOrders();
const clients = await Promise.all(tokens.map((token) => clientAs(kubeconfig, token)));
const path = `/api/v1/namespaces/${namespace}/configmaps?watch=true&allowWatchBookmarks=true`;
for (let at = 0; at < watches; at++) {
  const client = clients[at % clients.length];
  // The body is never read: its flow-control window fills, and the server has to keep or drop the rest.
  await client?.transport.request({ method: "GET", path, headers: {} });
}
process.send?.("ready");
const [writer] = clients;
const data = { text: "z".repeat(10_000) };
for (let at = 0; ; at++) {
  const object = { metadata: { namespace, name: `written-${at % 100}` }, data: { ...data, at: String(at) } };
  await writer?.apply(ConfigMap, object, { fieldManager: "bench", force: true }).catch(() => undefined);
  await sleep(1000 / writesPerSecond);
}
