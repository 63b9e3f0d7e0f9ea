/** The end of an operator's process: whatever its program and its callers left open, it ends on a signal and after it lost its lease. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { startApiServer } from "@capstan/apiserver";
import { createClient, loadConfig, processHost } from "@capstan/client";
import type { Api } from "../src/api.ts";
import { apiOf } from "../src/client-api.ts";
import { sleep, systemClock } from "../src/clock.ts";
import { Lease } from "../src/leader/lease.ts";
import type { LeaseObject } from "../src/leader/lease.ts";

const Widget = {
  group: "careless.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
} as const;
const key = { namespace: "default", name: "careless" };
const PATIENCE = 120_000;

/** A port that is free now, and below the ephemeral range: no other process gets it before the program listens. */
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

async function until(holds: () => Promise<boolean>, what: () => string): Promise<void> {
  const end = systemClock.now() + PATIENCE;
  while (!(await holds().catch(() => false))) {
    assert.ok(systemClock.now() < end, `waited in vain for ${what()}`);
    await sleep(systemClock, 50);
  }
}

async function holder(api: Api): Promise<string | null | undefined> {
  const lease: LeaseObject = await api.get(Lease, key);
  return lease.spec?.holderIdentity;
}

interface Running {
  readonly api: Api;
  readonly program: ChildProcess;
  readonly lines: string[];
  readonly health: number;
  /** The exit code; rejects when the process does not end. */
  readonly exit: () => Promise<number | null>;
}

/** The careless program, as leader. */
async function start(t: TestContext): Promise<Running> {
  const server = await startApiServer({ listen: { port: 0, host: "127.0.0.1", tls: true } });
  t.after(() => server[Symbol.asyncDispose]());
  const folder = mkdtempSync(join(tmpdir(), "end-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, "kubeconfig");
  const authority = Buffer.from(server.authority.certificate).toString("base64");
  const cluster = { server: server.url, "certificate-authority-data": authority };
  const context = { name: "c", context: { cluster: "k", user: "u" } };
  const users = [{ name: "u", user: { token: server.token } }];
  writeFileSync(
    kubeconfig,
    JSON.stringify({ "current-context": "c", contexts: [context], clusters: [{ name: "k", cluster }], users }),
  );
  const health = await freePort();
  const main = fileURLToPath(new URL("program/careless.ts", import.meta.url));
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect",
    `--health-probe-bind-address=127.0.0.1:${health}`,
    "--metrics-bind-address=0",
  ];
  const program = spawn(process.execPath, ["--conditions=@capstan/source", main, ...flags], {
    stdio: ["ignore", "inherit", "pipe"],
  });
  t.after(() => void program.kill("SIGKILL"));
  const exited = once(program, "exit") as Promise<[number | null]>;
  const lines: string[] = [];
  program.stderr.setEncoding("utf8").on("data", (text: string) => lines.push(...text.trim().split("\n")));
  const client = createClient(await loadConfig(processHost(), { kubeconfig }));
  t.after(() => client[Symbol.asyncDispose]());
  const api = apiOf(client);
  await until(
    async () => (await holder(api)) !== "" && lines.some((line) => line.includes('"message":"started"')),
    () => `the start\n${lines.join("\n")}`,
  );
  const late = AbortSignal.timeout(PATIENCE);
  const exit = async (): Promise<number | null> => {
    const [code] = await Promise.race([exited, once(late, "abort").then(() => assert.fail(lines.join("\n")))]);
    return code;
  };
  return { api, program, lines, health, exit };
}

test("a process that lost the lease ends, although the program left a timer", async (t) => {
  const { api, exit } = await start(t);
  const body = { spec: { holderIdentity: "thief", leaseDurationSeconds: 3600 } };
  await api.patch(Lease, key, body, { type: "merge", manager: "thief" });
  assert.equal(await exit(), 1);
});

test("a process that is stopped ends despite a timer and a half-sent request", async (t) => {
  const { api, program, health, exit } = await start(t);
  const caller: Socket = connect(health, "127.0.0.1");
  caller.on("error", () => undefined);
  t.after(() => caller.destroy());
  await once(caller, "connect");
  caller.write("GET /healthz HTTP/1.1\r\nHost: x\r\n");
  // Its response shows that the server has accepted the earlier connection, too.
  await fetch(`http://127.0.0.1:${health}/healthz`);
  program.kill("SIGTERM");
  assert.equal(await exit(), 0);
  assert.equal(await holder(api), "", "the lease was given back");
});

test("an unhandled rejection is logged and does not end the process", async (t) => {
  const { api, program, lines, exit } = await start(t);
  const apiVersion = "careless.example.com/v1";
  const request = async (size: number): Promise<void> => {
    const object = { apiVersion, kind: "Widget", metadata: { namespace: "default", name: "w" }, spec: { size } };
    await api.apply(Widget, object, { manager: "user", force: true });
    const stored = async () => (await api.get(Widget, { namespace: "default", name: "w" })) as { status?: unknown };
    await until(
      async () => JSON.stringify((await stored()).status) === JSON.stringify({ reconciles: size }),
      () => `reconcile ${size}\n${lines.join("\n")}`,
    );
  };
  await request(1);
  await request(2);
  await until(
    async () => lines.some((line) => line.includes("a promise that is not awaited failed")),
    () => `the line\n${lines.join("\n")}`,
  );
  program.kill("SIGTERM");
  assert.equal(await exit(), 0);
});
