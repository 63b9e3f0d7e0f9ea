/** The launchers as envtest uses them: flags, certificates, readiness and stop. */
import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { request as requestPlain } from "node:http";
import { request } from "node:https";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { createAuthority, createPrivateKeyPem, validFor, type KeyedCertificate } from "@capstan/pki";
import type { AuditEvent } from "../src/index.ts";

const launchers = join(import.meta.dirname, "../launchers");
const address = "127.0.0.1";

/** A free port, chosen like envtest does. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, address);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Asked {
  readonly method?: string;
  readonly url: string;
  readonly client?: KeyedCertificate | undefined;
  readonly body?: object;
}

function ask({ method = "GET", url, client, body }: Asked): Promise<Answer> {
  const options = {
    method,
    agent: false,
    headers: { "content-type": "application/json" },
    rejectUnauthorized: false,
    ...(client === undefined ? {} : { cert: client.certificate, key: client.privateKey }),
  } as const;
  return new Promise((resolve, reject) => {
    const send = url.startsWith("https:") ? request : requestPlain;
    const asking = send(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asking.on("error", reject);
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
}

/** How a program is started on a port, and the response that shows it is ready. */
type Plan = (port: number) => { readonly flags: readonly string[]; readonly ready: Asked };

/**
 * Starts a program and waits until it is ready. Another process may take the port first: then the program exits, and another port is
 * tried.
 */
async function start(program: string, plan: Plan): Promise<Started> {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const port = await freePort();
    const { flags, ready } = plan(port);
    const child = spawn(join(launchers, program), flags, { detached: true, stdio: ["ignore", "ignore", "inherit"] });
    if (await isReady(child, ready)) return { child, port };
  }
  throw new Error(`${program} does not start`);
}

async function isReady(child: ChildProcess, ready: Asked): Promise<boolean> {
  while (child.exitCode === null) {
    const answer = await ask(ready).catch(() => undefined);
    if (answer?.status === 200) return true;
    await pause(20);
  }
  return false;
}

/** Stops it like envtest does; returns the exit code. */
async function stop(child: ChildProcess): Promise<number | null> {
  const ended = once(child, "exit") as Promise<[number | null]>;
  child.kill("SIGTERM");
  const [code] = await ended;
  return code;
}

/** Whether a process of the program's group is still running. */
function isGroupAlive({ pid = 0 }: ChildProcess): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The files that envtest writes before it starts the server, and the client certificate of its administrator. */
async function writeCertificates(folder: string): Promise<KeyedCertificate> {
  const now = new Date();
  const period = validFor({ now, days: 1 });
  const servers = createAuthority({ commonName: "servers", now, days: 1 });
  const clients = createAuthority({ commonName: "clients", now, days: 1 });
  const server = servers.issue({ commonName: "localhost", usages: ["server"], ipAddresses: [address], ...period });
  await writeFile(join(folder, "apiserver.crt"), server.certificate);
  await writeFile(join(folder, "apiserver.key"), server.privateKey);
  await writeFile(join(folder, "client-cert-auth-ca.crt"), clients.certificate);
  await writeFile(join(folder, "sa-signer.key"), createPrivateKeyPem());
  return clients.issue({ commonName: "admin", organizations: ["system:masters"], usages: ["client"], ...period });
}

function etcdPlan(folder: string, url: string): ReturnType<Plan> {
  const flags = [
    "--listen-peer-urls=http://localhost:0",
    `--advertise-client-urls=${url}`,
    `--listen-client-urls=${url}`,
    `--data-dir=${join(folder, "etcd")}`,
    "--unsafe-no-fsync=true",
  ];
  return { flags, ready: { url: `${url}/health` } };
}

interface ServerPlan {
  readonly folder: string;
  readonly etcdUrl: string;
  readonly at: number;
  readonly client: KeyedCertificate;
}

function serverPlan({ folder, etcdUrl, at, client }: ServerPlan): ReturnType<Plan> {
  const url = `https://${address}:${at}`;
  const flags = [
    "--allow-privileged=true",
    "--authorization-mode=RBAC",
    `--bind-address=${address}`,
    `--cert-dir=${folder}`,
    `--client-ca-file=${join(folder, "client-cert-auth-ca.crt")}`,
    "--disable-admission-plugins=ServiceAccount",
    `--etcd-servers=${etcdUrl}`,
    `--secure-port=${at}`,
    `--service-account-issuer=${url}/`,
    `--service-account-key-file=${join(folder, "sa-signer.key")}`,
    `--service-account-signing-key-file=${join(folder, "sa-signer.key")}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    `--audit-log-path=${join(folder, "audit.log")}`,
  ];
  return { flags, ready: { url: `${url}/readyz`, client } };
}

test("the launchers start with envtest's flags and leave no processes behind", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-launchers-"));
  const started: ChildProcess[] = [];
  try {
    const client = await writeCertificates(folder);
    const files = await readdir(folder);
    const etcd = await start("etcd", (at) => etcdPlan(folder, `http://${address}:${at}`));
    started.push(etcd.child);
    const etcdUrl = `http://${address}:${etcd.port}`;
    const { child: main, port } = await start("kube-apiserver", (at) => serverPlan({ folder, etcdUrl, at, client }));
    started.push(main);
    const url = `https://${address}:${port}`;
    const pods = `${url}/api/v1/namespaces/default/pods`;
    const pod = { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } };
    assert.equal((await ask({ method: "POST", url: pods, client, body: pod })).status, 201);
    assert.equal((await ask({ url: pods })).status, 403, "nobody in particular may not list");
    for (const child of started.toReversed()) assert.equal(await stop(child), 0);
    for (const child of started) assert.equal(isGroupAlive(child), false);
    await assert.rejects(ask({ url: `${url}/readyz`, client }), { code: "ECONNREFUSED" });
    assert.deepEqual((await readdir(folder)).toSorted(), [...files, "audit.log"].toSorted());
    const lines = (await readFile(join(folder, "audit.log"), "utf8")).trimEnd().split("\n");
    const events = lines.map((line) => JSON.parse(line) as AuditEvent);
    const created = events.find(({ verb }) => verb === "create");
    assert.equal(created?.user.username, "admin");
    assert.deepEqual(created?.objectRef, { resource: "pods", namespace: "default", name: "a", apiVersion: "v1" });
  } finally {
    for (const child of started) if (child.exitCode === null) child.kill("SIGKILL");
    await rm(folder, { recursive: true });
  }
});

test("--help lists the supported flags, which envtest reads", async () => {
  const { stdout } = await promisify(execFile)(join(launchers, "kube-apiserver"), ["--help"]);
  assert.match(stdout, /^ {2}--secure-port string$/m);
  assert.match(stdout, /^ {2}--audit-log-path string$/m);
  assert.doesNotMatch(stdout, /insecure-port/);
});
