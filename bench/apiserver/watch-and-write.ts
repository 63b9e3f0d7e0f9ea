/**
 * A program that opens a thousand watches on a server while it writes two hundred objects a second, and reports what it saw. It is a
 * separate process, so that earlier measurements leave nothing in its memory and any delay comes from the server.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { type Client, loadConfig, processHost } from "@capstan/client";
import { ConfigMap, Namespace } from "@capstan/kinds/v1";
import { until } from "../load.ts";
import { quantile } from "../result.ts";
import { connectTo } from "./servers.ts";
import { type Seen, WatchingConnection, type WatchTarget } from "./watching-connection.ts";

/** The messages of the program: when it begins, when all watches have every event, and what they saw. */
export type Told =
  | { readonly type: "writing" }
  | { readonly type: "heard" }
  | { readonly type: "found"; readonly ended: number; readonly missed: number; readonly late: Late | undefined };

/** Milliseconds from the sending of a write to the arrival of its event. */
export interface Late {
  readonly p50: number;
  readonly p99: number;
}

const watchers = 1000;
const writesPerSecond = 200;
const seconds = 10;
const written = writesPerSecond * seconds;
const clients = 10;
/** A watch that lacks events after this many milliseconds has missed some. */
const longestWait = 60_000;

/**
 * Watches, writes, and compares the events with the writes and with one more watch. A server may end a watch that it takes for slow, like
 * kube-apiserver's cache: that is a result, and such a watch has no delays.
 */
async function watchAndWrite(kubeconfig: string, tell: (told: Told) => void): Promise<void> {
  const client = await connectTo(kubeconfig);
  const namespace = `watched-${Date.now()}`;
  await client.create(Namespace, { metadata: { name: namespace } });
  const path = `/api/v1/namespaces/${namespace}/configmaps?watch=true&resourceVersion=0`;
  const lines: string[] = [];
  const stop = new AbortController();
  const witness = await keepLines(client, path, lines, stop.signal);
  const connections = await openAll(await toWatchTarget(kubeconfig), path);
  const all = connections.flatMap(({ seen }) => seen);
  tell({ type: "writing" });
  const sent = await write(client, namespace);
  await orEnough(() => witness.events >= written || witness.hasEnded);
  await orEnough(() => all.every(({ bytes, hasEnded }) => bytes >= witness.bytes || hasEnded));
  tell({ type: "heard" });
  const ended = all.filter(({ hasEnded }) => hasEnded).length;
  stop.abort();
  for (const connection of connections) connection.close();
  await client.close();
  const hasWitness = witness.events >= written;
  const complete = all.filter(({ sum, bytes }) => hasWitness && sum === witness.sum && bytes === witness.bytes);
  const late = delays(complete, lines, sent);
  const missed = watchers - complete.length + (hasWitness ? disorder(lines) : 0);
  const told = late.length === 0 ? undefined : { p50: quantile(late, 0.5), p99: quantile(late, 0.99) };
  tell({ type: "found", ended, missed, late: told });
}

/** The address and the credentials of the watches. */
async function toWatchTarget(kubeconfig: string): Promise<WatchTarget> {
  const { cluster, user } = await loadConfig(processHost(), { kubeconfig });
  const pem = (source: { data: string } | { file: string } | undefined): string | undefined =>
    source === undefined ? undefined : "data" in source ? source.data : readFileSync(source.file, "utf8");
  return {
    url: new URL(cluster.server),
    authority: pem(cluster.certificateAuthority),
    token: user.proof.type === "token" ? user.proof.token : undefined,
    certificate: pem(user.clientCertificate),
    privateKey: pem(user.clientKey),
  };
}

/** Opens connections with all watches; a server that does not start them in time fails the suite with an error instead of a hang. */
async function openAll(target: WatchTarget, path: string): Promise<readonly WatchingConnection[]> {
  const signal = AbortSignal.timeout(longestWait);
  return await Promise.all(
    Array.from({ length: clients }, () =>
      WatchingConnection.open(target, { path, watches: watchers / clients, signal }),
    ),
  );
}

/** Waits for a condition, up to the longest allowed time. */
async function orEnough(isDone: () => boolean): Promise<void> {
  const end = performance.now() + longestWait;
  await until(async () => isDone() || performance.now() > end, 200);
}

interface Witness extends Pick<Seen, "bytes" | "sum" | "hasEnded"> {
  events: number;
}

/** One more watch that keeps its lines: all others must have seen the same. */
async function keepLines(client: Client, path: string, lines: string[], signal: AbortSignal): Promise<Witness> {
  const seen: Witness = { bytes: 0, sum: 0, events: 0, hasEnded: false };
  const headers = { accept: "application/json" };
  const { body } = await client.transport.request({ method: "GET", path, headers, signal });
  const read = async (): Promise<void> => {
    for await (const chunk of body) {
      seen.bytes += chunk.length;
      seen.sum = crc32(chunk, seen.sum);
      const text = Buffer.from(chunk).toString("utf8");
      seen.events += text.split("\n").length - 1;
      lines.push(text);
    }
  };
  const end = (): void => void (seen.hasEnded = true);
  read().then(end, end);
  return seen;
}

/** Writes at a steady pace and records when each write was sent. */
async function write(client: Client, namespace: string): Promise<Map<string, number>> {
  const sent = new Map<string, number>();
  const began = performance.now();
  const running: Promise<unknown>[] = [];
  for (let at = 0; at < written; at++) {
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

/** The delay of each event for each watch: all got the same bytes, so an event has arrived with its last byte. */
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
      while ((arrivals.bytes[next] ?? Infinity) < end) next++;
      return (arrivals.at[next] ?? Number.NaN) - time;
    });
  });
}

const [, , kubeconfig = ""] = process.argv;
await watchAndWrite(kubeconfig, (told) => process.send?.(told));
process.disconnect?.();
