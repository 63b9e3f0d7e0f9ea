import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { transportTo } from "../src/connect.ts";
import { isApiError } from "../src/error/api-error.ts";
import type { Host } from "../src/host/host.ts";
import { rewriteFile } from "../src/host/rewrite-file.ts";
import type { ClusterConfig } from "../src/kubeconfig/kubeconfig.ts";
import { chooseContext, loadConfig } from "../src/kubeconfig/load.ts";
import { parseKubeconfig } from "../src/kubeconfig/parse.ts";
import { manualClock, testHost } from "./host.ts";
import type { ManualClock } from "./host.ts";
import { idToken, startProvider } from "./oidc-provider.ts";
import type { Provider } from "./oidc-provider.ts";
import { http1Server } from "./server.ts";

const hourMs = 3_600_000;
const inManyYears = 4_000_000_000_000;
const old = idToken(0, "old");

/** A machine with real files in a temporary folder and a manual clock. */
interface Machine extends Host, AsyncDisposable {
  readonly clock: ManualClock;
  readonly folder: string;
  readonly warnings: string[];
  path(name: string): string;
}

async function startMachine(clock = manualClock(), env: Record<string, string> = {}): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), "oidc-"));
  const warnings: string[] = [];
  const later: ManualClock["later"] = (_delay, run) => (void setImmediate().then(run), { cancel() {} });
  return {
    ...testHost({ clock, env }),
    clock,
    folder,
    warnings,
    path: (name) => join(folder, name),
    readFile: (path) => readFile(path, "utf8"),
    rewriteFile: (path, change) => rewriteFile({ ...clock, later }, path, change),
    warn: (text) => void warnings.push(text),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A kubeconfig as a user would write it; `tokens` are the provider's lines. */
function kubeconfig(server: URL, provider: Provider, tokens: readonly string[]): string {
  return `# of the office
apiVersion: v1
kind: Config
current-context: office
contexts:
- {name: office,   context: {cluster: office, user: me}}
clusters:
- name: office
  cluster:
    server: "${server.origin}"
    insecure-skip-tls-verify: true
users:
- name: other   # not me
  user: {auth-provider: {name: oidc, config: {idp-issuer-url: x, client-id: me, refresh-token: refresh-1}}}
- name: me
  user:
    auth-provider:
      config:
        idp-issuer-url: ${provider.url.origin}
        client-id: me # not secret
${tokens.map((line) => `        ${line}\n`).join("")}      name: oidc
`;
}

const lines = (idTokenNow: string, refreshToken: string): string[] => [
  `id-token: ${idTokenNow}`,
  `refresh-token: "${refreshToken}" # of last week`,
];

/** An API server that records the tokens it receives. */
async function startServer(): Promise<AsyncDisposable & { readonly url: URL; readonly seen: (string | undefined)[] }> {
  const seen: (string | undefined)[] = [];
  const running = await http1Server((request, response) => {
    seen.push(request.headers.authorization);
    response.end("{}");
  }, "https");
  return { ...running, seen };
}

async function call(host: Host, config: ClusterConfig): Promise<void> {
  const transport = transportTo(config, host);
  try {
    await (await transport.request({ method: "GET", path: "/", headers: {} })).body.text();
  } finally {
    await transport.close?.();
  }
}

test("renewed tokens are written to the user's entry, and nothing else changes", async () => {
  await using host = await startMachine();
  await using provider = await startProvider({ expiresAt: () => host.clock.wall() + hourMs });
  await using server = await startServer();
  const file = host.path("config");
  await writeFile(file, kubeconfig(server.url, provider, lines(old, "refresh-1")));
  await call(host, await loadConfig(host, { kubeconfig: file }));
  const [first = ""] = provider.idTokens;
  assert.equal(await readFile(file, "utf8"), kubeconfig(server.url, provider, lines(first, "refresh-2")));
  assert.deepEqual([await readdir(host.folder), host.warnings], [["config"], []]);
  await call(host, await loadConfig(host, { kubeconfig: file }));
  assert.deepEqual([server.seen, provider.asked], [[`Bearer ${first}`, `Bearer ${first}`], ["refresh-1"]]);
});

test("an ID token alone is written if the refresh token stays, or is new", async () => {
  await using host = await startMachine();
  await using provider = await startProvider({ expiresAt: () => host.clock.wall() + hourMs, lasting: true });
  await using server = await startServer();
  const file = host.path("config");
  const refreshToken = "refresh-token: refresh-1";
  await writeFile(file, kubeconfig(server.url, provider, [refreshToken]));
  await call(host, await loadConfig(host, { kubeconfig: file }));
  const user = (await loadConfig(host, { kubeconfig: file })).user.proof;
  assert.ok(user.type === "oidc");
  assert.deepEqual([user.oidc.idToken, user.oidc.refreshToken], [provider.idTokens[0], "refresh-1"]);
  const without = (await readFile(file, "utf8")).replace(`        id-token: ${provider.idTokens[0]}\n`, "");
  assert.equal(without, kubeconfig(server.url, provider, [refreshToken]));
});

test("of several KUBECONFIG files, the one of the user is written", async () => {
  const env: Record<string, string> = {};
  await using host = await startMachine(manualClock(), env);
  await using provider = await startProvider({ expiresAt: () => host.clock.wall() + hourMs });
  await using server = await startServer();
  const names = ["contexts", "first", "second"];
  const whole = kubeconfig(server.url, provider, lines(old, "refresh-1"));
  const contexts = whole.slice(0, whole.indexOf("users:"));
  await Promise.all(names.map((name) => writeFile(host.path(name), name === "contexts" ? contexts : whole)));
  env["KUBECONFIG"] = names.map((name) => host.path(name)).join(":");
  await call(host, await loadConfig(host));
  const [first = ""] = provider.idTokens;
  const written = await Promise.all(names.map((name) => readFile(host.path(name), "utf8")));
  assert.deepEqual(written, [contexts, kubeconfig(server.url, provider, lines(first, "refresh-2")), whole]);
});

test("a configuration without a file is not written", async () => {
  await using host = await startMachine();
  await using provider = await startProvider({ expiresAt: () => host.clock.wall() + hourMs });
  await using server = await startServer();
  const text = kubeconfig(server.url, provider, lines(old, "refresh-1"));
  // A file of that name exists, but the text does not come from it.
  await writeFile(host.path("config"), text);
  await call(host, chooseContext(await parseKubeconfig(text, host.path("config"))));
  assert.deepEqual(provider.asked, ["refresh-1"]);
  assert.equal(await readFile(host.path("config"), "utf8"), text);
});

test("a read-only file is reported once, and no call fails for it", async () => {
  await using host = await startMachine();
  await using provider = await startProvider({ expiresAt: () => host.clock.wall() + hourMs });
  await using server = await startServer();
  const file = host.path("config");
  await writeFile(file, kubeconfig(server.url, provider, lines(old, "refresh-1")));
  const refused = async (): Promise<never> => Promise.reject(new Error("EROFS: read-only file system"));
  const config = await loadConfig(host, { kubeconfig: file });
  const transport = transportTo(config, { ...host, rewriteFile: refused });
  for (const hour of [1, 2, 3]) {
    await (await transport.request({ method: "GET", path: "/", headers: {} })).body.text();
    assert.equal(provider.idTokens.length, hour);
    await host.clock.advance(hourMs);
  }
  await transport.close?.();
  assert.deepEqual(provider.asked, ["refresh-1", "refresh-2", "refresh-3"]);
  const start = `Cannot keep the renewed tokens of the OpenID Connect provider ${provider.url.origin} in ${file}: EROFS`;
  assert.deepEqual(
    host.warnings.map((text) => text.startsWith(start)),
    [true],
    host.warnings.join("\n"),
  );
});

test("tokens that another program wrote are used before the provider is asked", async () => {
  await using host = await startMachine();
  await using provider = await startProvider({ expiresAt: () => host.clock.wall() + hourMs });
  await using server = await startServer();
  const file = host.path("config");
  await writeFile(file, kubeconfig(server.url, provider, lines(old, "refresh-1")));
  const config = await loadConfig(host, { kubeconfig: file });
  const theirs = idToken(host.clock.wall() + hourMs, "theirs");
  provider.given.push("refresh-of-others");
  await writeFile(file, kubeconfig(server.url, provider, lines(theirs, "refresh-of-others")));
  const transport = transportTo(config, host);
  await (await transport.request({ method: "GET", path: "/", headers: {} })).body.text();
  assert.deepEqual([server.seen, provider.asked], [[`Bearer ${theirs}`], []]);
  await host.clock.advance(hourMs);
  await (await transport.request({ method: "GET", path: "/", headers: {} })).body.text();
  assert.deepEqual(provider.asked, ["refresh-of-others"]);
  await transport.close?.();
});

test("an entry that changed its provider keeps its tokens", async () => {
  await using host = await startMachine();
  await using server = await startServer();
  const file = host.path("config");
  let other = "";
  await using provider = await startProvider({
    expiresAt: () => host.clock.wall() + hourMs,
    before: () => writeFile(file, other),
  });
  const text = kubeconfig(server.url, provider, lines(old, "refresh-1"));
  other = text.replace("client-id: me #", "client-id: you #");
  await writeFile(file, text);
  await call(host, await loadConfig(host, { kubeconfig: file }));
  assert.deepEqual([await readFile(file, "utf8"), host.warnings], [other, []]);
});

test("a caller that stops waiting does not lose an issued token", async () => {
  await using host = await startMachine();
  await using server = await startServer();
  const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using provider = await startProvider({
    expiresAt: () => host.clock.wall() + hourMs,
    async before() {
      asked.resolve();
      await go.promise;
    },
  });
  const file = host.path("config");
  await writeFile(file, kubeconfig(server.url, provider, lines(old, "refresh-1")));
  const transport = transportTo(await loadConfig(host, { kubeconfig: file }), host);
  const stop = new AbortController();
  const given = transport.request({ method: "GET", path: "/", headers: {}, signal: stop.signal });
  await asked.promise;
  stop.abort(new Error("enough"));
  await assert.rejects(given, /enough/u);
  go.resolve();
  await (await transport.request({ method: "GET", path: "/", headers: {} })).body.text();
  assert.deepEqual(provider.asked, ["refresh-1"]);
  const [first = ""] = provider.idTokens;
  assert.equal(await readFile(file, "utf8"), kubeconfig(server.url, provider, lines(first, "refresh-2")));
  await transport.close?.();
});

test("a process that lost the race waits for the other one to write", async () => {
  await using host = await startMachine(manualClock(undefined, "running"));
  await using provider = await startProvider({ expiresAt: () => host.clock.wall() + hourMs });
  await using server = await startServer();
  const file = host.path("config");
  await writeFile(file, kubeconfig(server.url, provider, lines(old, "refresh-1")));
  provider.given.push("refresh-of-others");
  const theirs = idToken(inManyYears, "theirs");
  let looks = 0;
  const readFileLater = async (path: string): Promise<string> => {
    looks += 1;
    if (looks === 9) await writeFile(file, kubeconfig(server.url, provider, lines(theirs, "refresh-of-others")));
    return readFile(path, "utf8");
  };
  await call({ ...host, readFile: readFileLater }, await loadConfig(host, { kubeconfig: file }));
  assert.deepEqual([server.seen, provider.asked, looks], [[`Bearer ${theirs}`], ["refresh-1"], 9]);
});

test("one sentence explains an expired refresh token, after a timeout", async () => {
  await using host = await startMachine(manualClock(undefined, "running"));
  await using provider = await startProvider({ expiresAt: () => host.clock.wall() + hourMs });
  await using server = await startServer();
  const file = host.path("config");
  await writeFile(file, kubeconfig(server.url, provider, lines(old, "used-up")));
  await assert.rejects(call(host, await loadConfig(host, { kubeconfig: file })), (error) => {
    assert.ok(isApiError(error, "CredentialsFailed"), String(error));
    assert.match(error.message, /\/token answered 400\. Log in again\.$/u);
    return true;
  });
  assert.deepEqual([provider.asked, server.seen], [["used-up"], []]);
});

/** Limits are twenty times as long: each process waits for the other one. */
const program = `
  import { createClient, loadConfig, processHost, systemClock } from "@capstan/client";
  const clock = { ...systemClock, later: (delay, run) => systemClock.later(delay * 20, run) };
  const host = { ...processHost(), clock };
  await using client = createClient(await loadConfig(host), { host });
  await (await client.transport.request({ method: "GET", path: "/", headers: {} })).body.text();
`;

/** Runs a program that makes one call; returns its exit and output. */
async function runProgram(file: string): Promise<readonly unknown[]> {
  const args = ["--conditions=@capstan/source", "--input-type=module", "--eval", program];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    env: { PATH: process.env["PATH"], KUBECONFIG: file },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  const [code] = await once(child, "close");
  return [code, String(Buffer.concat(said))];
}

test("two processes that renew the same token both continue with the valid one", async () => {
  await using host = await startMachine();
  await using server = await startServer();
  const file = host.path("config");
  const [both, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using provider = await startProvider({
    expiresAt: () => inManyYears,
    // The refused process asked before the other one was served, and gets its result from the file.
    async before(answer) {
      if (provider.asked.length > 1) both.resolve();
      await (answer === "given" ? both.promise : written.promise);
    },
  });
  await writeFile(file, kubeconfig(server.url, provider, lines(old, "refresh-1")));
  const ends = [runProgram(file), runProgram(file)];
  const isOneDone = Promise.race(ends).then(() => written.resolve());
  assert.deepEqual(await Promise.all(ends), [
    [0, ""],
    [0, ""],
  ]);
  await isOneDone;
  const [first = ""] = provider.idTokens;
  assert.deepEqual(provider.asked, ["refresh-1", "refresh-1"]);
  assert.deepEqual(server.seen, [`Bearer ${first}`, `Bearer ${first}`]);
  assert.equal(await readFile(file, "utf8"), kubeconfig(server.url, provider, lines(first, "refresh-2")));
  assert.deepEqual(await readdir(host.folder), ["config"]);
});

test("a refresh token is not sent in plain text to any token endpoint", async () => {
  await using provider = await http1Server((_request, response) =>
    response.end(JSON.stringify({ token_endpoint: "http://tokens.example.com/token" })),
  );
  const oidc = { issuer: provider.url.origin, clientId: "me", idToken: old, refreshToken: "secret" };
  const user = { proof: { type: "oidc", oidc } } as const;
  const cluster = { server: "http://127.0.0.1:1" };
  const transport = transportTo({ name: "test", namespace: "default", user, cluster }, testHost());
  await assert.rejects(transport.request({ method: "GET", path: "/", headers: {} }), (error) => {
    assert.ok(isApiError(error, "CredentialsFailed"));
    assert.match(error.message, /http:\/\/tokens\.example\.com\/token is not an https URL/u);
    return true;
  });
});
