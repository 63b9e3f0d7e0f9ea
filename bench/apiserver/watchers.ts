/** A thousand watchers of one kind while two hundred objects a second are written: every event, in order, and how late. */
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { Client } from "@capstan/client";
import { ConfigMap, Namespace } from "@capstan/kinds/v1";
import { until } from "../load.ts";
import { type Figures, quantile } from "../result.ts";
import type { Server } from "./servers.ts";

const watchers = 1000;
const writesPerSecond = 200;
const seconds = 10;
const clients = 10;

/** What one watcher saw: how much had come when, and a sum over all of it. */
interface Seen {
  readonly arrivals: { at: number; bytes: number }[];
  bytes: number;
  sum: number;
}

/** Watches, writes, and compares what came with what was written. */
export async function measureWatchers(server: Server, figures: Figures): Promise<void> {
  const namespace = `watched-${Date.now()}`;
  await server.client.create(Namespace, { metadata: { name: namespace } });
  const stop = new AbortController();
  const connections = await Promise.all(Array.from({ length: clients }, () => server.connect()));
  const lines: string[] = [];
  const all = await Promise.all(
    Array.from({ length: watchers }, (_, at) => {
      const client = connections[at % clients] ?? server.client;
      return watch(client, namespace, stop.signal, at === 0 ? (text) => lines.push(text) : undefined);
    }),
  );
  const sent = await write(server.client, namespace);
  const count = writesPerSecond * seconds;
  await until(async () => lines.join("").split("\n").length - 1 >= count, 200);
  const whole = all[0]?.bytes ?? 0;
  await until(async () => all.every(({ bytes }) => bytes >= whole), 200);
  stop.abort();
  const disagreeing = all.filter(({ sum, bytes }) => sum !== all[0]?.sum || bytes !== whole).length;
  figures.add(
    server.name,
    "watchers that missed an event or saw another order",
    "of 1,000",
    disagreeing + disorder(lines),
  );
  figures.add(server.name, "event to 1,000 watchers, p99", "ms", quantile(delays(all, lines, sent), 0.99));
  for (const client of connections) await client.close();
}

async function watch(
  client: Client,
  namespace: string,
  signal: AbortSignal,
  keep: ((text: string) => void) | undefined,
): Promise<Seen> {
  const seen: Seen = { arrivals: [], bytes: 0, sum: 0 };
  const { body } = await client.transport.request({
    method: "GET",
    path: `/api/v1/namespaces/${namespace}/configmaps?watch=true&resourceVersion=0`,
    headers: { accept: "application/json" },
    signal,
  });
  const read = async (): Promise<void> => {
    for await (const chunk of body) {
      seen.bytes += chunk.length;
      seen.sum = crc32(chunk, seen.sum);
      seen.arrivals.push({ at: performance.now(), bytes: seen.bytes });
      keep?.(Buffer.from(chunk).toString("utf8"));
    }
  };
  read().catch(() => undefined);
  return seen;
}

/** Writes at a steady pace and remembers when each was sent. */
async function write(client: Client, namespace: string): Promise<Map<string, number>> {
  const sent = new Map<string, number>();
  const began = performance.now();
  const running: Promise<unknown>[] = [];
  for (let at = 0; at < writesPerSecond * seconds; at++) {
    const due = began + (at * 1000) / writesPerSecond;
    await sleep(Math.max(0, due - performance.now()));
    const name = `event-${at}`;
    sent.set(name, performance.now());
    running.push(client.create(ConfigMap, { metadata: { namespace, name }, data: { at: String(at) } }));
  }
  await Promise.all(running);
  return sent;
}

/** One when versions do not rise from event to event. */
function disorder(lines: readonly string[]): number {
  const versions = lines
    .join("")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => versionOf(line));
  return versions.every((version, at) => at === 0 || version > (versions[at - 1] ?? 0)) ? 0 : 1;
}

function versionOf(line: string): number {
  return Number(/"resourceVersion":"(\d+)"/.exec(line)?.[1]);
}

/** How long each event took to each watcher: all got the same bytes, so an event has arrived when its last byte has. */
function delays(all: readonly Seen[], lines: readonly string[], sent: ReadonlyMap<string, number>): number[] {
  const ends: { end: number; sent: number }[] = [];
  let offset = 0;
  for (const line of lines.join("").split("\n")) {
    offset += Buffer.byteLength(line) + 1;
    const name = /"name":"(event-\d+)"/.exec(line)?.[1];
    const time = name === undefined ? undefined : sent.get(name);
    if (time !== undefined) ends.push({ end: offset, sent: time });
  }
  return all.flatMap(({ arrivals }) => {
    let next = 0;
    return ends.map(({ end, sent: time }) => {
      while ((arrivals[next]?.bytes ?? Infinity) < end) next++;
      return (arrivals[next]?.at ?? Number.NaN) - time;
    });
  });
}
