import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { ConfigMap } from "@capstan/kinds/v1";
import { createClient, processHost } from "../src/index.ts";
import { isApiError } from "../src/error/api-error.ts";
import { ConfigError } from "../src/error/config-error.ts";
import { loadConfig } from "../src/kubeconfig/load.ts";
import { transportTo } from "../src/connect.ts";
import type { ClusterConfig, UserEntry } from "../src/kubeconfig/kubeconfig.ts";
import type { TransportRequest } from "../src/transport/transport.ts";
import { manualClock, testHost } from "./host.ts";
import { certificate, http1Server, http2Server } from "./server.ts";

const get: TransportRequest = { method: "GET", path: "/", headers: {} };

function configOf(url: URL, user: UserEntry): ClusterConfig {
  const certificateAuthority = { data: certificate().cert };
  return { name: "test", namespace: "default", user, cluster: { server: url.origin, certificateAuthority } };
}

/** A plugin that logs in without a terminal. */
const plugin = {
  apiVersion: "client.authentication.k8s.io/v1",
  command: "login",
  args: [],
  env: [],
  interactiveMode: "Never",
  provideClusterInfo: false,
} as const;

test("a rejected token is renewed by the plugin once and the request repeated", async () => {
  const seen: (string | undefined)[] = [];
  await using running = await http2Server((request, response) => {
    seen.push(request.headers.authorization);
    if (request.headers.authorization !== "Bearer two") response.writeHead(401);
    response.end("{}");
  });
  const tokens = ["one", "two", "three"];
  const { apiVersion } = plugin;
  const host = testHost({
    clock: manualClock(),
    program: () => ({
      stdout: JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token: tokens.shift() } }),
    }),
  });
  const transport = transportTo(configOf(running.url, { proof: { type: "exec", exec: plugin } }), host);
  const answers = await Promise.all([
    transport.request(get),
    transport.request({ ...get, method: "POST", body: "{}" }),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  assert.deepEqual(
    seen.map(String).sort((a, b) => a.localeCompare(b)),
    ["Bearer one", "Bearer one", "Bearer two", "Bearer two"],
  );
  assert.equal(host.ran.length, 2);
  await transport.close?.();
});

test("a rejected token that cannot be renewed returns the 401 with its body", async () => {
  await using running = await http2Server((_request, response) => {
    response.writeHead(401);
    response.end("no");
  });
  const transport = transportTo(configOf(running.url, { proof: { type: "token", token: "x" } }), testHost());
  const response = await transport.request(get);
  assert.equal(response.status, 401);
  assert.equal(await response.body.text(), "no");
  await transport.close?.();
});

test("impersonation sends one header for each group", async () => {
  const received: (readonly string[])[] = [];
  await using running = await http2Server((request, response) => {
    received.push(request.rawHeaders);
    response.end();
  });
  const impersonate = { user: "alice", groups: ["a", "b"] };
  const user: UserEntry = { proof: { type: "token", token: "x" }, impersonate };
  const transport = transportTo(configOf(running.url, user), testHost());
  await (await transport.request(get)).body.text();
  const pairs = received[0]?.flatMap((name, index, all) => (name === "impersonate-group" ? [all[index + 1]] : []));
  assert.deepEqual(pairs, ["a", "b"]);
  await transport.close?.();
});

for (const start of [http1Server, http2Server]) {
  test(`impersonated names and extras are escaped as in Go (${start.name})`, async () => {
    let seen: IncomingHttpHeaders = {};
    await using running = await start(
      (request: { readonly headers: IncomingHttpHeaders }, response: { end(): unknown }) => {
        seen = request.headers;
        response.end();
      },
    );
    const impersonate = { user: "王 Jürgen", extra: { "a(b)/c": ["é"] } };
    const transport = transportTo(configOf(running.url, { proof: { type: "none" }, impersonate }), testHost());
    await (await transport.request(get)).body.text();
    // Node's servers read a byte as a character.
    const text = (name: string): string => Buffer.from(String(seen[name]), "latin1").toString("utf8");
    assert.equal(text("impersonate-user"), "王 Jürgen");
    assert.equal(text("impersonate-extra-a%28b%29%2fc"), "é");
    await transport.close?.();
  });
}

test("a token is renewed through the environment's proxy, and errors name the provider", async () => {
  const tunnels: (string | undefined)[] = [];
  await using proxy = await http1Server(() => {});
  proxy.server.on("connect", (request, socket) => {
    tunnels.push(request.url);
    socket.end("HTTP/1.1 502 no way\r\n\r\n");
  });
  const host = testHost({ env: { HTTPS_PROXY: proxy.url.origin } });
  const oidc = { issuer: "https://idp.test", clientId: "me", refreshToken: "first" };
  const transport = transportTo(configOf(proxy.url, { proof: { type: "oidc", oidc } }), host);
  await assert.rejects(transport.request(get), (error) => {
    assert.ok(isApiError(error, "CredentialsFailed"), String(error));
    assert.match(error.message, /the OpenID Connect provider https:\/\/idp\.test cannot be reached \(.*502 no way\)/u);
    return true;
  });
  assert.deepEqual(tunnels, ["idp.test:443"]);
  await transport.close?.();
});

test("a renewed certificate uses a new connection", async () => {
  let refuse = false;
  await using running = await http2Server((_request, response) => {
    if (refuse) response.writeHead(401);
    refuse = false;
    response.end();
  });
  const { cert, key } = certificate();
  const apiVersion = "client.authentication.k8s.io/v1beta1";
  let runs = 0;
  const host = testHost({
    program: () => {
      runs += 1;
      const status = { clientCertificateData: `${cert}${"\n".repeat(runs)}`, clientKeyData: key };
      return { stdout: JSON.stringify({ apiVersion, kind: "ExecCredential", status }) };
    },
  });
  const exec = { ...plugin, apiVersion };
  const transport = transportTo(configOf(running.url, { proof: { type: "exec", exec } }), host);
  await (await transport.request(get)).body.text();
  refuse = true;
  assert.equal((await transport.request(get)).status, 200);
  assert.equal(running.sessions.length, 2);
  await transport.close?.();
});

const tokenUntil = (ms: number, id: string): string =>
  ["{}", JSON.stringify({ exp: Math.floor(ms / 1000), id })]
    .map((part) => Buffer.from(part).toString("base64url"))
    .join(".") + ".s";

test("an expired OIDC token is renewed at the issuer with the refresh token", async () => {
  const host = testHost();
  const forms: URLSearchParams[] = [];
  const fresh = tokenUntil(host.clock.wall() + 3_600_000, "fresh");
  await using issuer = await http1Server((request, response) => {
    if (request.url === "/realm/.well-known/openid-configuration") {
      response.end(JSON.stringify({ token_endpoint: new URL("/token", issuer.url).href }));
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      forms.push(new URLSearchParams(Buffer.concat(chunks).toString()));
      response.end(JSON.stringify({ id_token: fresh, refresh_token: "second" }));
    });
  }, "https");
  const seen: (string | undefined)[] = [];
  await using running = await http2Server((request, response) => {
    seen.push(request.headers.authorization);
    response.end();
  });
  const oidc = {
    issuer: new URL("/realm", issuer.url).href,
    clientId: "me",
    clientSecret: "secret",
    idToken: tokenUntil(host.clock.wall() - 1000, "old"),
    refreshToken: "first",
    certificateAuthority: { data: certificate().cert },
  };
  const transport = transportTo(configOf(running.url, { proof: { type: "oidc", oidc } }), host);
  await (await transport.request(get)).body.text();
  assert.deepEqual(seen, [`Bearer ${fresh}`]);
  const expected = { grant_type: "refresh_token", refresh_token: "first", client_id: "me", client_secret: "secret" };
  assert.deepEqual(Object.fromEntries(forms[0] ?? []), expected);
  await transport.close?.();
});

test("CA and token files are read again for the next connection", async () => {
  const seen: (string | undefined)[] = [];
  await using running = await http2Server((request, response) => {
    seen.push(request.headers.authorization);
    response.end();
  });
  const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
  const env = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: running.url.port };
  const host = testHost({ env, files: { [`${folder}/ca.crt`]: "", [`${folder}/token`]: "one" } });
  const transport = transportTo(await loadConfig(host), host);
  await assert.rejects(transport.request(get), (error) => isApiError(error, "TlsFailed"));
  host.files.set(`${folder}/ca.crt`, certificate().cert);
  await (await transport.request(get)).body.text();
  host.files.set(`${folder}/token`, "two");
  await host.clock.advance(60_001);
  await (await transport.request(get)).body.text();
  assert.deepEqual(seen, ["Bearer one", "Bearer two"]);
  await transport.close?.();
});

test("one sentence explains a missing file of the configuration", async () => {
  const user: UserEntry = {
    proof: { type: "none" },
    clientCertificate: { file: "/gone.crt" },
    clientKey: { file: "/gone.key" },
  };
  const transport = transportTo(configOf(new URL("https://127.0.0.1:1"), user), testHost());
  await assert.rejects(transport.request(get), (error) => {
    assert.ok(isApiError(error, "InvalidConfig"));
    assert.match(error.message, /^Cannot read \/gone\.(crt|key), which the configuration names: ENOENT/u);
    return true;
  });
});

test("insecure-skip-tls-verify trusts any certificate", async () => {
  await using running = await http2Server((_request, response) => response.end("ok"));
  const cluster = { server: running.url.origin, insecureSkipTlsVerify: true };
  const config = { name: "", namespace: "", cluster, user: { proof: { type: "none" } } } as const;
  const transport = transportTo(config, testHost());
  assert.equal(await (await transport.request(get)).body.text(), "ok");
  await transport.close?.();
});

test("a rejected token that its plugin prints again is not sent again", async () => {
  let calls = 0;
  await using running = await http2Server((_request, response) => {
    calls++;
    response.writeHead(401);
    response.end("{}");
  });
  const { apiVersion } = plugin;
  const stdout = JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token: "same" } });
  const host = testHost({ program: () => ({ stdout }) });
  const transport = transportTo(configOf(running.url, { proof: { type: "exec", exec: plugin } }), host);
  const response = await transport.request(get);
  assert.equal(response.status, 401);
  assert.deepEqual([calls, host.ran.length], [1, 2]);
  await transport.close?.();
});

test("a hanging plugin is killed at the deadline", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plugin-"));
  const pidFile = join(folder, "pid");
  const exec = {
    ...plugin,
    command: "/bin/sh",
    args: ["-c", `trap "" TERM; echo $$ > ${pidFile}; exec sleep 600`],
  };
  const config = configOf(new URL("https://127.0.0.1:1"), { proof: { type: "exec", exec } });
  await using client = createClient(config, { host: processHost() });
  const isWritten = async (): Promise<number> => Number(await readFile(pidFile, "utf8").catch(() => "0"));
  const stop = new AbortController();
  const call = client.get(ConfigMap, { namespace: "default", name: "a", signal: stop.signal });
  const failed = assert.rejects(call, /enough/u);
  let pid = 0;
  while (pid === 0) {
    pid = await isWritten();
    await setImmediate();
  }
  stop.abort(new Error("enough"));
  await failed;
  while (isAlive(pid)) await setImmediate();
  const limited = client.get(ConfigMap, { namespace: "default", name: "a", timeoutMs: 500 });
  await assert.rejects(
    limited,
    (error) => isApiError(error, "DeadlineExceeded") && /exec plugin \/bin\/sh: it printed none/u.test(error.message),
  );
  await rm(folder, { recursive: true, force: true });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a client with an unusable configuration reports it and can be closed", async () => {
  const { cluster, ...rest } = configOf(new URL("https://127.0.0.1:1"), { proof: { type: "none" } });
  const config = { ...rest, cluster: { ...cluster, proxyUrl: "::nonsense" } };
  await assert.rejects(
    async () => {
      await using client = createClient(config, { host: testHost() });
      await client.get(ConfigMap, { namespace: "default", name: "a" });
    },
    (error) => isApiError(error, "InvalidConfig"),
  );
});

describe("over plain http", () => {
  const token: UserEntry = { proof: { type: "token", token: "secret" } };
  const transportFor = (server: string, user: UserEntry, more: object = {}, env: Record<string, string> = {}) =>
    transportTo({ name: "test", namespace: "default", user, cluster: { server, ...more } }, testHost({ env }));
  const refused: readonly (readonly [string, () => unknown])[] = [
    ["to another machine", () => transportFor("http://api.example.com:8080", token)],
    ["where certificates are not checked", () => transportFor("http://a.b", token, { insecureSkipTlsVerify: true })],
    ["to an address", () => transportFor("http://10.0.0.1", token)],
    ["to a name that begins like a loopback", () => transportFor("http://127.0.0.1.example.com", token)],
    ["through a proxy", () => transportFor("http://127.0.0.1:8080", token, { proxyUrl: "http://proxy.example.com" })],
    [
      "with what a plugin gives",
      () => transportFor("http://api.example.com", { proof: { type: "exec", exec: plugin } }),
    ],
  ];
  for (const [where, connect] of refused) {
    test(`credentials are not sent ${where}`, () => {
      assert.throws(connect, (error) => {
        assert.ok(error instanceof ConfigError);
        assert.equal(error.problem, "Contradiction");
        assert.match(error.message, /Use the https address of the server/u);
        assert.doesNotMatch(error.message, /secret/u);
        return true;
      });
    });
  }

  test("credentials are sent to this machine, and where the user allows it", () => {
    transportFor("http://127.0.0.1:8080", token);
    transportFor("http://localhost:8080", token);
    transportFor("http://[::1]:8080", token);
    transportFor("http://api.example.com", { proof: { type: "none" } });
    transportFor("http://api.example.com", token, {}, { CAPSTAN_CREDENTIALS_IN_THE_CLEAR: "true" });
    transportFor("https://api.example.com", token);
  });
});
