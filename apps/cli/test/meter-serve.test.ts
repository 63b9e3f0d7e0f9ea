/** Tests of `meter serve`: endpoints and formats, and attacks of callers on the data of others. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test, { after, before } from "node:test";
import { closeInvoices, parseBook } from "@capstan/metering";
import { settingOf } from "../src/commands/meter-serve.ts";
import { type Listened, startServer } from "../src/meter/serve/server.ts";
import { parseTokens, tokenAuthenticator } from "../src/meter/serve/token-file.ts";
import { capstan } from "./terminal.ts";

const bookText = `
currency: EUR
meters:
- { name: calls, type: event, unit: call }
- { name: secret.meter, type: event, unit: call }
- { name: members, type: level, unit: member }
prices:
- { meter: members, amount: "0.25", per: member-hour }
- { meter: calls, amount: "0.001", per: call }
- { meter: calls, amount: "0.002", per: call, when: { tenant: globex } }
shared: [{ name: system, match: { namespace: kube-system }, by: cost }]
`;
const tokens = [
  { token: "t-viewer", user: "vera", tenants: ["acme"], role: "viewer" },
  { token: "t-writer", user: "will", tenants: ["acme"], role: "writer" },
  { token: "t-admin", user: "ada", role: "admin" },
];
const records = [
  { id: "1", meter: "calls", at: "2026-03-02T00:00:00Z", amount: "1000", tenant: "acme", namespace: "acme" },
  { id: "2", meter: "calls", at: "2026-03-02T00:00:00Z", amount: "500", tenant: "globex", namespace: "globex-prod" },
  {
    id: "3",
    meter: "secret.meter",
    at: "2026-03-02T00:00:00Z",
    amount: "1",
    tenant: "globex",
    namespace: "globex-prod",
  },
  { id: "4", meter: "calls", at: "2026-03-02T00:00:00Z", amount: "300", namespace: "kube-system" },
];
const march = "from=2026-03-01&to=2026-04-01";
const now = "2026-05-01T00:00:00Z";

let folder = "";
let server: Listened | undefined;
const refusals: string[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "meter-serve-"));
  await writeFile(join(folder, "metering.yaml"), bookText);
  await writeFile(join(folder, "tokens.json"), JSON.stringify(tokens));
  const text = records.map((record) => JSON.stringify(record)).join("\n");
  await writeFile(join(folder, "records.ndjson"), text);
  const ran = await capstan(["meter", "import", "usage", "records.ndjson", "--now", now], { cwd: folder });
  assert.equal(ran.code, 0, ran.err);
  const { cwd, ...terminal } = terminalOf(folder);
  server = await startServer({
    setting: settingOf({ store: undefined, book: undefined, now }, { ...terminal, cwd }),
    authenticator: tokenAuthenticator(parseTokens(JSON.stringify(tokens), "tokens.json")),
    listening: { host: "127.0.0.1", port: 0 },
    atOnce: 2,
    log: () => {},
    onRefused: async ({ user, path, code }) => void refusals.push(`${code} ${user} ${path}`),
  });
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function terminalOf(cwd: string) {
  return {
    cwd,
    env: {},
    isInteractive: false,
    isWatched: false,
    color: false,
    columns: 120,
    out: () => {},
    err: () => {},
    ask: async () => "",
    input: async () => "",
  };
}

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function ask(path: string, token?: string, init: RequestInit = {}): Promise<Asked> {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...Object.fromEntries(new Headers(init.headers)),
  };
  const response = await fetch(`${server?.url}${path}`, { ...init, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function askJson(path: string, token: string): Promise<unknown> {
  const { status, text } = await ask(`/metering/v1/${path}`, token);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

async function post(path: string, token: string, body: string): Promise<Asked> {
  return ask(`/metering/v1/${path}`, token, { method: "POST", body });
}

test("a report by HTTP is that of the command", async () => {
  const words = ["meter", "report", "--from", "2026-03-01", "--to", "2026-04-01", "--by", "tenant,namespace"];
  const path = `/metering/v1/report?${march}&by=tenant,namespace`;
  const command = await capstan([...words, "-o", "json"], { cwd: folder });
  const { text } = await ask(path, "t-admin");
  assert.deepEqual(JSON.parse(text), JSON.parse(command.out));
  const csv = await ask(`${path}&format=csv`, "t-admin");
  assert.equal(csv.text, (await capstan([...words, "-o", "csv"], { cwd: folder })).out);
  assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/);
});

test("health and metrics need no token; all else answers 401 without one", async () => {
  for (const path of ["/healthz", "/readyz", "/metrics"]) assert.equal((await ask(path)).status, 200);
  assert.match((await ask("/metrics")).text, /capstan_meter_watermark_age_seconds\{meter="calls"\} \d+/);
  for (const path of ["report", "invoices", "invoices/2026-03/acme", "meters", "prices", "coverage", "nothing"]) {
    const { status, text, headers } = await ask(`/metering/v1/${path}`);
    assert.equal(status, 401, path);
    assert.ok(headers.has("www-authenticate"));
    const { kind, code, reason } = JSON.parse(text);
    assert.deepEqual({ kind, code, reason }, { kind: "Status", code: 401, reason: "Unauthorized" });
  }
  for (const token of ["wrong", "t-admi", "t-admin2", "__proto__"])
    assert.equal((await ask("/metering/v1/meters", token)).status, 401);
});

test("a viewer sees the own tenant only, not even names of others", async () => {
  const paths = [
    `report?${march}&by=tenant,namespace`,
    `report?${march}&by=namespace&bucket=day&idle=share`,
    `report?${march}&by=tenant&shared=split`,
    `report?${march}&by=tenant&where=tenant%3Dglobex`,
    `report?${march}&by=tenant&ratio=calls/calls`,
    `coverage?${march}`,
    "prices",
    "invoices?period=2026-03",
  ];
  for (const path of paths) {
    const text = JSON.stringify(await askJson(path, "t-viewer"));
    assert.doesNotMatch(text, /globex|kube-system|secret/, path);
  }
  const report = await askJson(`report?${march}&by=tenant`, "t-viewer");
  assert.partialDeepStrictEqual(report, { total: { cost: "1.000000", unpriced: [] }, rows: [{ cost: "1.000000" }] });
  const split = await askJson(`report?${march}&by=tenant&shared=split`, "t-viewer");
  assert.partialDeepStrictEqual(split, { rows: [{ charge: "usage" }, { charge: "shared", cost: "0.150000" }] });
});

test("a foreign tenant answers 403, a foreign invoice 404 as an absent one", async () => {
  for (const path of [
    `report?${march}&tenant=globex`,
    `coverage?${march}&tenant=globex`,
    "invoices?tenant=globex",
    "prices?tenant=globex",
  ])
    assert.equal((await ask(`/metering/v1/${path}`, "t-viewer")).status, 403, path);
  assert.ok(refusals.includes("403 vera /metering/v1/report"));
  await using store = await settingOf({ store: undefined, book: undefined, now }, terminalOf(folder)).openWriter();
  await closeInvoices(store, parseBook(bookText), { period: "2026-03", now: Date.parse(now), force: true });
  const own = await ask("/metering/v1/invoices/2026-03/acme", "t-viewer");
  assert.partialDeepStrictEqual(JSON.parse(own.text), { id: "2026-03/acme", status: "closed" });
  const encoded = await ask("/metering/v1/invoices/2026-03%2Facme", "t-viewer");
  assert.equal(encoded.text, own.text);
  const etag = own.headers.get("etag") ?? "";
  const again = await ask("/metering/v1/invoices/2026-03/acme", "t-viewer", { headers: { "if-none-match": etag } });
  assert.deepEqual([again.status, again.text], [304, ""]);
  const foreign = await ask("/metering/v1/invoices/2026-03/globex", "t-viewer");
  const absent = await ask("/metering/v1/invoices/2026-03/nobody", "t-viewer");
  assert.deepEqual([foreign.status, absent.status], [404, 404]);
  assert.equal(foreign.text.replaceAll("globex", "nobody"), absent.text);
  assert.equal((await ask("/metering/v1/invoices/2026-03/globex", "t-admin")).status, 200);
});

test("a writer posts usage of own tenants only, and all or nothing", async () => {
  const own = { id: "w1", meter: "calls", at: "2026-04-02T00:00:00Z", amount: "1", tenant: "acme" };
  const event = {
    specversion: "1.0",
    id: "e1",
    source: "s",
    type: "calls",
    time: own.at,
    data: { amount: "12345678901234567.123456" },
  };
  assert.equal((await post("usage", "t-viewer", JSON.stringify(own))).status, 403);
  const stored = await post("usage", "t-writer", `${JSON.stringify(own)}\n${JSON.stringify({ ...own, id: "w2" })}\n`);
  assert.equal(stored.status, 200, stored.text);
  assert.partialDeepStrictEqual(JSON.parse(stored.text), { stored: 2, duplicate: 0 });
  const partly = await post("usage", "t-writer", JSON.stringify([own, { ...own, id: "w3", amount: "x" }]));
  assert.equal(partly.status, 207);
  assert.partialDeepStrictEqual(JSON.parse(partly.text), {
    duplicate: 1,
    rejected: 1,
    problems: [{ where: "body:2", reason: "BadAmount" }],
  });
  const mine = await post("usage", "t-writer", JSON.stringify({ ...event, subject: "acme" }, undefined, 2));
  assert.partialDeepStrictEqual(JSON.parse(mine.text), { stored: 1 });
  const foreign: readonly unknown[] = [
    { ...own, id: "f1", tenant: "globex" },
    { ...own, id: "f2", tenant: undefined, namespace: "globex-prod" },
    { ...own, id: "f3", tenant: undefined },
    { ...event, id: "f4", subject: "globex" },
    { ...event, id: "f5", data: { ...event.data, tenant: "globex" } },
    { id: "f6", corrects: "2", amount: "-500" },
    { specversion: "1.0", id: "f7", source: "usage", data: { corrects: "2", amount: "-1" }, subject: "acme" },
  ];
  for (const record of foreign) {
    const both = `${JSON.stringify({ ...own, id: "with-foreign" })}\n${JSON.stringify(record)}\n`;
    const refused = await post("usage", "t-writer", both);
    assert.equal(refused.status, 403, `${JSON.stringify(record)}: ${refused.text}`);
  }
  const admin = await post("usage", "t-admin", JSON.stringify({ ...own, id: "with-foreign" }));
  assert.partialDeepStrictEqual(JSON.parse(admin.text), { stored: 1 });
});

test("bodies that are too large, empty, broken or encoded are refused", async () => {
  for (const [body, code] of [
    ["", 400],
    ["[1,", 400],
    ["\n\n", 400],
  ] as const)
    assert.equal((await post("usage", "t-admin", body)).status, code, body);
  const broken = await post("usage", "t-admin", "not json");
  assert.equal(broken.status, 207);
  const bytes = await ask("/metering/v1/usage", "t-admin", { method: "POST", body: Buffer.from([0xff, 0xfe]) });
  assert.equal(bytes.status, 400);
  const packed = await ask("/metering/v1/usage", "t-admin", {
    method: "POST",
    body: "x",
    headers: { "content-encoding": "gzip" },
  });
  assert.equal(packed.status, 415);
  const { port } = new URL(server?.url ?? "");
  // The length alone is refused: no byte of the body is sent.
  const request = httpRequest({
    port,
    method: "POST",
    path: "/metering/v1/usage",
    headers: { authorization: "Bearer t-admin", "content-length": 64 * 1024 * 1024 + 1 },
  });
  request.on("error", () => {});
  request.flushHeaders();
  const [response] = await once(request, "response");
  assert.equal(response.statusCode, 413);
  request.destroy();
});

test("SQL is for admins; files, network, changes and bombs are refused", async () => {
  assert.equal((await post("query", "t-viewer", "SELECT 1")).status, 403);
  assert.equal((await post("query", "t-writer", "SELECT 1")).status, 403);
  const good = await post(
    "query",
    "t-admin",
    JSON.stringify({ sql: "SELECT sum(amount) AS n FROM usage WHERE tenant = 'globex'" }),
  );
  assert.deepEqual(JSON.parse(good.text), [{ n: "501.000000" }]);
  const refused = [
    "SELECT * FROM read_csv('/etc/hosts')",
    "SELECT * FROM read_text('tokens.json')",
    "SELECT * FROM glob('/*')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM read_parquet('http://127.0.0.1:1/x.parquet')",
    "COPY usage TO '/tmp/meter-attack.csv'",
    "ATTACH '/tmp/meter-attack.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "DROP TABLE usage",
    "DELETE FROM usage",
    "SET enable_external_access = true",
    "SELECT 1; SELECT 2",
    "EXPORT DATABASE '/tmp/meter-attack'",
    "SELECT getenv('HOME')",
    "",
    "{",
  ];
  for (const sql of refused) assert.equal((await post("query", "t-admin", sql)).status, 400, sql);
  const bombs = [
    "SELECT * FROM range(1000000) a",
    "SELECT repeat('x', 1000000) FROM range(1000)",
    "SELECT list(a) FROM range(300000000) t(a)",
  ];
  for (const sql of bombs) {
    const bombed = await post("query?max-rows=100000&timeout=1s", "t-admin", sql);
    assert.ok([400, 422].includes(bombed.status), `${sql}: ${bombed.status}`);
  }
  const slow = await post(
    "query?timeout=1s",
    "t-admin",
    "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range % 7 = 3",
  );
  assert.equal(slow.status, 422, slow.text);
  assert.equal((await ask("/readyz")).status, 200);
});

test("words of an attack in any parameter change nothing and show nothing", async () => {
  const attacks = [
    "' OR 1=1 --",
    "'; DROP TABLE usage; --",
    "../../tokens.json",
    "\u0000",
    "__proto__",
    "constructor",
    "%",
    "a=b",
    "x".repeat(5000),
  ];
  const names = [
    "from",
    "to",
    "period",
    "meter",
    "by",
    "bucket",
    "time-zone",
    "where",
    "idle",
    "shared",
    "ratio",
    "format",
    "cost",
    "zzz",
  ];
  for (const attack of attacks) {
    for (const name of names) {
      const search = new URLSearchParams({ from: "2026-03-01", to: "2026-04-01" });
      search.set(name, name === "where" ? `namespace=${attack}` : attack);
      const { status, text } = await ask(`/metering/v1/report?${search.toString()}`, "t-viewer");
      assert.ok(status === 200 || status === 400, `${name}=${attack}: ${status} ${text}`);
      assert.doesNotMatch(text, /globex|t-admin|tokens\.json"?:/, `${name}=${attack}`);
    }
    const path = `/metering/v1/invoices/${encodeURIComponent(attack)}`;
    assert.equal((await ask(path, "t-admin")).status, 404, path);
    assert.equal(
      (await ask(`/metering/v1/report?${march}&tenant=${encodeURIComponent(attack)}`, "t-viewer")).status,
      403,
    );
  }
  assert.equal((await ask("/metering/v1/meters", "t-admin", { method: "DELETE" })).status, 405);
  assert.equal((await ask("/metering/v1/invoices/%", "t-admin")).status, 400);
});

test("a viewer of no tenant sees nothing", async () => {
  const authenticator = tokenAuthenticator(parseTokens('[{"token":"n","user":"n","role":"viewer"}]', "f"));
  const caller = await authenticator.callerOf("n");
  assert.deepEqual(await caller?.scopeOf({ verb: "get", resource: "reports" }), { kind: "tenants", tenants: [] });
});

test("the command names the address first, and refuses unsafe settings", async () => {
  await chmod(join(folder, "tokens.json"), 0o644);
  const run = (...words: string[]) => capstan(["meter", "serve", ...words], { cwd: folder });
  const readable = await run("--tokens", "tokens.json");
  assert.equal(readable.code, 3);
  assert.match(readable.err, /chmod 600/);
  await chmod(join(folder, "tokens.json"), 0o600);
  const open = await run("--listen", "0.0.0.0:0", "--tokens", "tokens.json");
  assert.equal(open.code, 2);
  assert.match(open.err, /--insecure/);
  assert.equal((await run("--tokens", "none.json")).code, 3);
  assert.equal((await run("--listen", "nowhere", "--tokens", "tokens.json")).code, 2);
  const main = new URL("../src/main.ts", import.meta.url).pathname;
  const words = [main, "meter", "serve", "--listen", "127.0.0.1:0", "--tokens", "tokens.json"];
  const child = spawn(process.execPath, ["--conditions=@capstan/source", ...words], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const [, url = ""] = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line) ?? [];
    const response = await fetch(`${url}/metering/v1/meters`, { headers: { authorization: "Bearer t-viewer" } });
    assert.equal(response.status, 200);
  } finally {
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    assert.equal(code, 0);
  }
});
