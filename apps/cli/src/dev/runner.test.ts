/** A reload keeps the caches: only the program's own kinds are listed again. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { readEnvFile } from "./env-file.ts";
import { Runner } from "./runner.ts";

const Banner = { group: "example.com", version: "v1", kind: "Banner", plural: "banners", scope: "Namespaced" } as const;

async function until(holds: () => Promise<boolean> | boolean, what: () => string): Promise<void> {
  const end = Date.now() + 300_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `waited in vain until ${what()}`);
    await delay(50);
  }
}

test("a reload lists only the program's own kinds again and misses no change", async (t) => {
  const { fetch } = await startApiServer();
  const lists: string[] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://server");
    const isList = url.searchParams.get("watch") !== "true" || url.searchParams.get("sendInitialEvents") === "true";
    if (request.method === "GET" && url.pathname.endsWith("s") && isList) lists.push(url.pathname);
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Uint8Array>));
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const ending = new AbortController();
    response.once("close", () => ending.abort());
    const { method = "GET" } = request;
    const asked = new Request(url, { method, headers, signal: ending.signal, ...(body.length === 0 ? {} : { body }) });
    const answer = await fetch(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders();
    if (answer.body === null) response.end();
    else
      Readable.fromWeb(answer.body as never)
        .on("error", () => response.destroy())
        .pipe(response);
  };
  const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.close(), server.closeAllConnections()));

  const folder = mkdtempSync(join(tmpdir(), "reload-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, "kubeconfig");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clusters = [{ name: "c", cluster: { server: address } }];
  const contexts = [{ name: "c", context: { cluster: "c", user: "u", namespace: "default" } }];
  writeFileSync(
    kubeconfig,
    JSON.stringify({ clusters, contexts, users: [{ name: "u", user: {} }], "current-context": "c" }),
  );

  const client = createClient(inProcess(fetch));
  const text = async (): Promise<string | undefined> => {
    const found = (await client.get(Banner, { namespace: "default", name: "address" })) as {
      status?: { text?: string };
    };
    return found.status?.text;
  };
  const lines: string[] = [];
  let starts = 0;
  const entry = fileURLToPath(new URL("../../../../examples/03-reads-wake/main.ts", import.meta.url));
  await using runner = new Runner({
    cwd: folder,
    entry,
    flags: [`--kubeconfig=${kubeconfig}`, "--install-crds", "--webhook-bind-address=0"],
    // A killed process does not pass on its caches.
    patience: 300_000,
    line: (line) => lines.push(line),
    failed: (why) => lines.push(why),
    loaded: () => undefined,
    started: () => void starts++,
  });
  const seen = () => lines.join("\n");
  await runner.reload();
  await until(
    () => starts === 1,
    () => `it started\n${seen()}`,
  );
  await client.create(Banner, {
    metadata: { namespace: "default", name: "address" },
    spec: { source: "greeting" },
  } as never);
  await client.create(ConfigMap, { metadata: { namespace: "default", name: "greeting" }, data: { text: "hello" } });
  await until(async () => (await text()) === "hello", seen);

  lists.length = 0;
  await runner.reload();
  await until(
    () => starts === 2,
    () => `it started again\n${seen()}`,
  );
  await client.patch(ConfigMap, { namespace: "default", name: "greeting" }, { merge: { data: { text: "welcome" } } });
  await until(async () => (await text()) === "welcome", seen);
  assert.deepEqual(
    lists.filter((path) => path.endsWith("/configmaps")),
    [],
    "ConfigMaps were not listed again",
  );
  assert.ok(
    lists.some((path) => path.endsWith("/banners")),
    "its own kind was",
  );
});

test("a program that never finishes loading is replaced by the next saved one", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "reload-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const entry = join(folder, "main.mjs");
  writeFileSync(entry, 'console.log("waits"); setInterval(() => {}, 1000); await new Promise(() => {});');
  const lines: string[] = [];
  await using runner = new Runner({
    cwd: folder,
    entry,
    flags: [],
    line: (line) => lines.push(line),
    failed: (why) => lines.push(why),
    loaded: () => undefined,
    started: () => undefined,
  });
  const first = runner.reload();
  await until(
    () => lines.includes("waits"),
    () => `the first one is loaded, of which is heard: ${lines.join("; ")}`,
  );
  writeFileSync(entry, 'throw new Error("saved meanwhile");');
  await Promise.all([first, runner.reload()]);
  assert.match(lines.join("; "), /^waits; .*saved meanwhile/u);
});

test("the program gets the variables of .env, and those of the shell win", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "env-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const entry = join(folder, "main.mjs");
  writeFileSync(join(folder, ".env"), "# settings\nCAPSTAN_ZONE='a b'\nPATH=/nowhere\n");
  writeFileSync(entry, 'console.log(`zone=${process.env.CAPSTAN_ZONE} ${process.env.PATH === "/nowhere"}`);');
  const lines: string[] = [];
  await using runner = new Runner({
    cwd: folder,
    entry,
    flags: [],
    env: () => readEnvFile(folder),
    line: (line) => lines.push(line),
    failed: () => undefined,
    loaded: () => undefined,
    started: () => undefined,
  });
  await runner.reload();
  await until(
    () => lines.length > 0,
    () => "the program prints",
  );
  assert.equal(lines[0], "zone=a b false");
});
