/** The live view of a foreground cluster: polls every second and draws the changes until it is stopped. */
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "@capstan/client";
import { Event } from "@capstan/kinds/v1";
import type { Terminal } from "../../terminal.ts";
import { formatView, mostHappenings, type Happening } from "./format.ts";
import { readTable } from "./server-table.ts";

/** The cluster of the view. */
export interface ViewedCluster {
  readonly client: Client;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** The poll interval in milliseconds. */
const LOOK = 1000;

/** How many pods it requests; further ones are only counted. */
const MOST = 500;

/** Draws until the signal aborts; the last screen stays. */
export async function showView(cluster: ViewedCluster, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const happenings: Happening[] = [];
  void followEvents(cluster.client, happenings, signal);
  let shown = "";
  while (!signal.aborted) {
    const next = await look(cluster, happenings, terminal).catch(() => shown);
    if (next !== shown && !signal.aborted) terminal.out(`${erase(shown)}${next}`);
    shown = next;
    await wait(LOOK, undefined, { signal }).catch(() => {});
  }
}

async function look({ fetch }: ViewedCluster, happenings: readonly Happening[], terminal: Terminal): Promise<string> {
  const [nodes, pods] = await Promise.all([
    readTable(fetch, "/api/v1/nodes", MOST),
    readTable(fetch, "/api/v1/pods", MOST),
  ]);
  return formatView({ nodes, pods, happenings, now: Date.now() }, terminal);
}

/** Moves to the first drawn line and erases everything below it. */
function erase(shown: string): string {
  return shown === "" ? "" : `\u001B[${shown.split("\n").length - 1}A\u001B[0J`;
}

/** Keeps the latest events; events from before the start are dropped. */
async function followEvents(client: Client, happenings: Happening[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const { resourceVersion = "" } = (await client.list(Event, { namespace: "*", limit: 1 }).all()).metadata;
      for await (const event of client.watch(Event, { namespace: "*", resourceVersion, signal })) {
        if (event.type === "ERROR") throw event.error;
        if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
        happenings.push(toHappening(event.object));
        happenings.splice(0, happenings.length - mostHappenings);
      }
    } catch {
      await wait(LOOK, undefined, { signal }).catch(() => {});
    }
  }
}

function toHappening({ type, reason = "", message = "", involvedObject, metadata }: Event): Happening {
  const { kind = "", name = "" } = involvedObject ?? {};
  const place = metadata.namespace === undefined ? name : `${metadata.namespace}/${name}`;
  return { at: Date.now(), isWarning: type === "Warning", object: `${kind.toLowerCase()} ${place}`, reason, message };
}
