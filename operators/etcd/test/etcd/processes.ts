/** Real etcd members as processes on the loopback, of any version that the tests know, for tests without a Kubernetes cluster. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPrograms, etcdToolPrograms, programPath, showProgress } from "@capstan/kubernetes";
import { connectEtcd } from "../../src/etcd/index.ts";
import type { ConnectOptions, EtcdClient } from "../../src/etcd/index.ts";

/** The paths of etcd's programs of a version; builds them first if necessary. */
export async function etcdPrograms(version: string): Promise<Record<"etcd" | "etcdctl" | "etcdutl", string>> {
  const programs = etcdToolPrograms(version);
  await buildPrograms(programs, showProgress(process.stderr));
  const path = (name: string): string => {
    const program = programs.find((candidate) => candidate.name === name);
    if (program === undefined) throw new Error(`etcd ${version} has no program ${name}`);
    return programPath(program);
  };
  return { etcd: path("etcd"), etcdctl: path("etcdctl"), etcdutl: path("etcdutl") };
}

/** Options of a member. */
export interface MemberOptions {
  readonly version: string;
  readonly name?: string;
  readonly scheme?: "http" | "https";
  readonly arguments?: readonly string[];
  /** The other members, `name=peerURL` each. Default: this member alone. */
  readonly peers?: readonly string[];
  readonly state?: "new" | "existing";
  readonly connect?: Partial<ConnectOptions>;
  /** The folder and ports of an earlier process. */
  readonly place?: MemberPlace;
}

/** What remains after the process: its ports and its data. */
export interface MemberPlace {
  readonly folder: string;
  readonly clientPort: number;
  readonly peerPort: number;
}

/** A running member with a client. */
export interface EtcdProcess extends AsyncDisposable {
  readonly name: string;
  readonly place: MemberPlace;
  readonly clientURL: string;
  readonly peerURL: string;
  readonly client: EtcdClient;
  readonly process: ChildProcess;
  /** The output so far. */
  log(): string;
  /** Ends the process; the data stays. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** A folder and two free ports. */
export async function takePlace(): Promise<MemberPlace> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-etcd-"));
  const [clientPort, peerPort] = await freePorts();
  return { folder, clientPort, peerPort };
}

/** Starts a member without waiting until it serves. */
export async function startEtcd(options: MemberOptions): Promise<EtcdProcess> {
  const { version, name = "m0", scheme = "http", state = "new" } = options;
  const place = options.place ?? (await takePlace());
  const clientURL = `${scheme}://127.0.0.1:${place.clientPort}`;
  const peerURL = `${scheme}://127.0.0.1:${place.peerPort}`;
  const { etcd } = await etcdPrograms(version);
  const flags = {
    name,
    "data-dir": join(place.folder, "data"),
    "listen-client-urls": clientURL,
    "advertise-client-urls": clientURL,
    "listen-peer-urls": peerURL,
    "initial-advertise-peer-urls": peerURL,
    "initial-cluster": [...(options.peers ?? []), `${name}=${peerURL}`].join(","),
    "initial-cluster-state": state,
    "initial-cluster-token": "capstan-test",
    "unsafe-no-fsync": "true",
    "heartbeat-interval": "100",
    "election-timeout": "1000",
  };
  const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  const child = spawn(etcd, [...args, ...(options.arguments ?? [])], { stdio: ["ignore", "ignore", "pipe"] });
  const lines: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => lines.push(text));
  const client = connectEtcd({ endpoint: clientURL, ...options.connect });
  const stop = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  };
  return {
    name,
    place,
    clientURL,
    peerURL,
    client,
    process: child,
    log: () => lines.join(""),
    stop,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await stop();
      await rm(place.folder, { recursive: true, force: true });
    },
  };
}

/** Waits until a member responds with quorum; the failure's message is its log. */
export async function untilHealthy(member: EtcdProcess): Promise<EtcdProcess> {
  await until(`${member.name} to be healthy`, async () => {
    if (member.process.exitCode !== null)
      throw new Error(`etcd ended with ${member.process.exitCode}:\n${member.log()}`);
    await member.client.maintenance.checkHealth({ timeoutMs: 5000 });
    return true;
  });
  return member;
}

/** Starts one healthy member. */
export async function startHealthyEtcd(options: MemberOptions): Promise<EtcdProcess> {
  const member = await startEtcd(options);
  try {
    return await untilHealthy(member);
  } catch (error) {
    await member[Symbol.asyncDispose]();
    throw error;
  }
}

/** Starts several members that form a cluster. */
export async function startEtcdCluster(
  count: number,
  options: Omit<MemberOptions, "name" | "peers" | "place">,
): Promise<{ readonly members: readonly EtcdProcess[] } & AsyncDisposable> {
  const places = await Promise.all(Array.from({ length: count }, takePlace));
  const scheme = options.scheme ?? "http";
  const peers = places.map(({ peerPort }, at) => `m${at}=${scheme}://127.0.0.1:${peerPort}`);
  const members = await Promise.all(
    places.map((place, at) =>
      startEtcd({ ...options, name: `m${at}`, place, peers: peers.filter((_, i) => i !== at) }),
    ),
  );
  const dispose = async (): Promise<void> => {
    await Promise.all(members.map((member) => member[Symbol.asyncDispose]()));
  };
  try {
    await Promise.all(members.map(untilHealthy));
  } catch (error) {
    await dispose();
    throw error;
  }
  return { members, [Symbol.asyncDispose]: dispose };
}

/** Polls until the result is true; the last thrown error is the cause of the timeout. */
export async function until(what: string, ask: () => Promise<boolean> | boolean, limitMs = 180_000): Promise<void> {
  const end = performance.now() + limitMs;
  let last: unknown;
  while (performance.now() < end) {
    try {
      if (await ask()) return;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain for ${what}`, { cause: last });
}

/** Free ports below the ephemeral range, so that no outgoing connection takes them before etcd does. */
async function freePorts(): Promise<[number, number]> {
  return [await freePort(), await freePort()];
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
