/** The programs behind the launchers: `kube-apiserver` and `etcd`. They run until they are stopped. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { openAuditLog } from "../audit/log.ts";
import { describeLongTurn, type LongTurn } from "../turn/turn-watch.ts";
import { lastValue, parseFlags, type Flags } from "./flags.ts";

const [program = "", ...args] = process.argv.slice(2);
const flags = parseFlags(args);
process.exitCode = await run(program, flags).catch(refuse);

async function run(name: string, asked: Flags): Promise<number> {
  switch (name) {
    case "kube-apiserver":
      return runServer(asked);
    case "etcd":
      return runEtcd(asked);
    default:
      process.stderr.write(`could not launch ${JSON.stringify(name)}: it is neither kube-apiserver nor etcd\n`);
      return 2;
  }
}

/** A server that cannot start prints the reason, as kube-apiserver does, without a stack trace. */
function refuse(error: unknown): number {
  process.stderr.write(`${program} could not start: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
}

async function runServer(asked: Flags): Promise<number> {
  const { serverFlags, toServerOptions } = await import("./server-options.ts");
  if (asked.has("help")) return help("kube-apiserver", serverFlags);
  if (asked.has("version")) return say("Kubernetes v1.36.3");
  const { startApiServer } = await import("../server.ts");
  const options = toServerOptions(asked, { read, readIfThere, now: () => Date.now() });
  const report = (error: unknown): void => void process.stderr.write(`${describe(error)}\n`);
  const auditPath = lastValue(asked, "audit-log-path");
  using audit = auditPath === undefined ? undefined : openAuditLog(auditPath);
  const onLongTurn = (turn: LongTurn): void => void process.stderr.write(`${describeLongTurn(turn)}\n`);
  await using server = await startApiServer({ ...options, report, onLongTurn, ...(audit && { audit: audit.tell }) });
  say(`ready on ${server.url}`);
  await stopSignal();
  return 0;
}

async function runEtcd(asked: Flags): Promise<number> {
  const { etcdFlags, startEtcd } = await import("./etcd.ts");
  if (asked.has("help")) return help("etcd", etcdFlags);
  const server = startEtcd(asked);
  await stopSignal();
  server.closeAllConnections();
  server.close();
  return 0;
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}

function readIfThere(path: string): string | undefined {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

function help(name: string, known: readonly string[]): number {
  return say([`${name} [flags]`, "", ...known.map((flag) => `  --${flag} string`)].join("\n"));
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function stopSignal(): Promise<void> {
  await Promise.race(["SIGTERM", "SIGINT"].map((signal) => once(process, signal)));
}
