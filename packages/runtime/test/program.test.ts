/** An operator as a program: flags, endpoints, leader election, and a clean end, on a real kube-apiserver. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { get } from "node:https";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startApiServer } from "@capstan/apiserver";
import { createClient, loadConfig, processHost } from "@capstan/client";
import { ClusterRole, ClusterRoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { ConfigMap, ServiceAccount } from "@capstan/kinds/v1";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { apiOf } from "../src/client-api.ts";
import { sleep, systemClock } from "../src/clock.ts";
import { CustomResourceDefinition } from "../src/crds/crds.ts";
import { Lease } from "../src/leader/lease.ts";
import type { LeaseObject } from "../src/leader/lease.ts";
import { replay } from "../src/testing/index.ts";
import { app } from "./program/main.ts";

const Widget = {
  group: "program.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
} as const;

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

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const end = systemClock.now() + 120_000;
  while (!(await holds().catch(() => false))) {
    assert.ok(systemClock.now() < end, `waited in vain for ${what}`);
    await sleep(systemClock, 50);
  }
}

test(
  "runs from flags, serves its endpoints, and releases the lease on a signal",
  { skip: kubernetesMissing() },
  async (t) => {
    const { kubeconfig, namespace } = await useKubernetes(t);
    const [health, metrics] = [await freePort(), await freePort()];
    const main = fileURLToPath(new URL("program/main.ts", import.meta.url));
    const folder = mkdtempSync(join(tmpdir(), "program-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const recording = join(folder, "watches");
    const flags = [
      `--kubeconfig=${kubeconfig}`,
      `--namespaces=${namespace}`,
      `--record-watches=${recording}`,
      "--leader-elect",
      `--leader-election-namespace=${namespace}`,
      `--health-probe-bind-address=127.0.0.1:${health}`,
      `--metrics-bind-address=127.0.0.1:${metrics}`,
      "--metrics-secure=false",
    ];
    const program = spawn(process.execPath, ["--conditions=@capstan/source", main, ...flags], {
      stdio: ["ignore", "inherit", "pipe"],
    });
    t.after(() => void program.kill("SIGKILL"));
    const lines: string[] = [];
    program.stderr.setEncoding("utf8").on("data", (text: string) => lines.push(...text.trim().split("\n")));
    await using client = createClient(await loadConfig(processHost(), { kubeconfig }));
    const api = apiOf(client);
    const ask = (port: number, path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
    await until(async () => (await ask(health, "/readyz")).status === 200, `readiness\n${lines.join("\n")}`);

    const object = {
      apiVersion: "program.example.com/v1",
      kind: "Widget",
      metadata: { namespace, name: "w" },
      spec: { size: 5 },
    };
    await api.apply(Widget, object, { manager: "user" });
    await until(
      async () => (await api.get(ConfigMap, { namespace, name: "w" })).metadata.ownerReferences?.length === 1,
      "the child",
    );
    await until(async () => (await ask(health, `/explain/widget/${namespace}/w`)).status === 200, "the explanation");
    const { reconciles } = (await (await ask(health, `/explain/widget/${namespace}/w`)).json()) as {
      reconciles: { triggers: { relation: string }[] }[];
    };
    assert.equal(reconciles[0]?.triggers[0]?.relation, "self");
    const text = await (await ask(metrics, "/metrics")).text();
    assert.match(text, /^controller_runtime_reconcile_total\{controller="widget",result="success"\} [1-9]/mu);
    assert.match(text, /^leader_election_master_status\{name="program"\} 1$/mu);
    assert.match(text, /^rest_client_requests_total\{code="200",method="PATCH",host="[^"]+:\d+"\} /mu);
    assert.match(text, /^rest_client_requests_total\{code="201",method="POST",host="[^"]+:\d+"\} /mu, "of the lease");
    assert.match(text, /^rest_client_requests_total\{code="404",method="GET",host="[^"]+:\d+"\} /mu, "and before it");

    const crd = await api.get(CustomResourceDefinition, { namespace: "", name: "widgets.program.example.com" });
    const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
    const { version } = JSON.parse(manifest) as { readonly version: string };
    assert.equal(crd.metadata.annotations?.["capstan.dev/operator-version"], version, "that of the program's package");

    program.kill("SIGTERM");
    // Not on "exit": its last output may arrive after it.
    const [code] = (await once(program, "close")) as [number | null];
    assert.equal(code, 0, lines.join("\n"));
    assert.equal((JSON.parse(lines.at(-1) ?? "{}") as { message?: string }).message, "stopped");
    const lease: LeaseObject = await api.get(Lease, { namespace, name: "program" });
    assert.equal(lease.spec?.holderIdentity, "");

    const { writes } = await replay(app, readFileSync(recording, "utf8"));
    assert.deepEqual(
      writes.map(({ verb, kind, key }) => `${verb} ${kind} ${key}`),
      [`apply ConfigMap ${namespace}/w`, `status Widget ${namespace}/w`],
      "what it was told then can be told again",
    );
    assert.equal(statSync(recording).mode & 0o077, 0, "nobody else may read it");
  },
);

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Requests over TLS with a bearer token, as Prometheus does. */
function askSecurely(port: number, token: string | undefined): Promise<Answer> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    // The certificate is self-signed.
    const asking = get(`https://127.0.0.1:${port}/metrics`, { headers, rejectUnauthorized: false }, (response) => {
      const chunks: string[] = [];
      response.setEncoding("utf8").on("data", (text: string) => chunks.push(text));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: chunks.join("") }));
    });
    asking.on("error", reject);
  });
}

test("serves its metrics over TLS, and only to authorized requests", { skip: kubernetesMissing() }, async (t) => {
  const { kubeconfig, namespace } = await useKubernetes(t);
  const metrics = await freePort();
  const main = fileURLToPath(new URL("program/main.ts", import.meta.url));
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--namespaces=${namespace}`,
    "--health-probe-bind-address=0",
    `--metrics-bind-address=127.0.0.1:${metrics}`,
  ];
  const program = spawn(process.execPath, ["--conditions=@capstan/source", main, ...flags], { stdio: "ignore" });
  t.after(() => void program.kill("SIGKILL"));
  await using client = createClient(await loadConfig(processHost(), { kubeconfig }));
  const tokenOf = async (name: string): Promise<string> => {
    await client.create(ServiceAccount, { metadata: { namespace, name } });
    return (await client.createToken({ namespace, name }, {})).status.token;
  };
  const [prometheus, stranger] = [await tokenOf("prometheus"), await tokenOf("stranger")];
  const role = `metrics-${namespace}`;
  const rules = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }];
  await client.create(ClusterRole, { metadata: { name: role }, rules });
  const subjects = [{ kind: "ServiceAccount", namespace, name: "prometheus" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role };
  await client.create(ClusterRoleBinding, { metadata: { name: role }, subjects, roleRef });
  t.after(async () => {
    await using tidy = createClient(await loadConfig(processHost(), { kubeconfig }));
    await tidy.delete(ClusterRole, { name: role });
    await tidy.delete(ClusterRoleBinding, { name: role });
  });

  await until(async () => (await askSecurely(metrics, undefined)).status === 401, "the endpoint");
  assert.equal((await askSecurely(metrics, "nonsense")).status, 401);
  assert.deepEqual(await askSecurely(metrics, stranger), {
    status: 403,
    text: "The token may not get the non-resource URL /metrics: grant it with a ClusterRole.\n",
  });
  // RBAC rules take effect a moment after they were created.
  await until(async () => (await askSecurely(metrics, prometheus)).status === 200, "the metrics");
  const { text } = await askSecurely(metrics, prometheus);
  assert.match(text, /^controller_runtime_max_concurrent_reconciles\{controller="widget"\} 16$/mu);
  await assert.rejects(fetch(`http://127.0.0.1:${metrics}/metrics`), "nobody reads them in the clear");
  program.kill("SIGTERM");
  const [code] = (await once(program, "exit")) as [number | null];
  assert.equal(code, 0);
});

function kubeconfigIn(
  folder: string,
  server: string,
  { token = "x", ca }: { token?: string; ca?: string } = {},
): string {
  const path = join(folder, `${server.replaceAll(/\W/gu, "-")}.json`);
  const trusted = ca === undefined ? {} : { "certificate-authority-data": ca };
  const clusters = [{ name: "c", cluster: { server, ...trusted } }];
  const contexts = [{ name: "c", context: { cluster: "c", user: "u" } }];
  const users = [{ name: "u", user: { token } }];
  writeFileSync(path, JSON.stringify({ clusters, contexts, users, "current-context": "c" }));
  return path;
}

describe("a program with a problem", () => {
  const main = fileURLToPath(new URL("program/main.ts", import.meta.url));
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    spawnSync(process.execPath, ["--conditions=@capstan/source", main, ...args], {
      encoding: "utf8",
      env: { ...env, PATH: process.env["PATH"] },
      timeout: 120_000,
    });

  test("prints its settings for --help", () => {
    const { status, stdout } = run(["--help"]);
    assert.equal(status, 0);
    assert.match(stdout, /^Runs the operator program until it is told to stop\.$/mu);
    for (const flag of ["kubeconfig", "leader-elect", "webhook-url", "install-crds"]) {
      assert.match(stdout, new RegExp(`^  --${flag} +\\S`, "mu"));
    }
  });

  test("prints one sentence about an invalid setting, without a stack", () => {
    const cases: [readonly string[], RegExp, Record<string, string>?][] = [
      [["--log-level=loud"], /^Cannot use "loud" for log-level: .*\n$/u],
      [["--nonsense"], /^There is no setting "nonsense"\. .*\n$/u],
      [["--toString=1"], /^Cannot read the argument .*\n$/u],
      [
        ["--config=/nonexistent.json"],
        /^Cannot read the settings in \/nonexistent\.json: ENOENT[^\n]*\. Check the path\.\n$/u,
      ],
      [["--install-crds=maybe"], /^Cannot use "maybe" for install-crds: write true, false or force\.\n$/u],
      [
        ["--kubeconfig=/nonexistent"],
        /^Cannot read the kubeconfig \/nonexistent: ENOENT[^\n]*\. Check the path and its permissions\.\n$/u,
      ],
      [
        [],
        /^No cluster is configured: KUBECONFIG says \/nope, but that file is missing [^\n]*\n$/u,
        { KUBECONFIG: "/nope" },
      ],
      [["--webhook-url=http://here"], /^Cannot reach webhooks at "http:\/\/here".*\n$/u],
    ];
    for (const [args, expected, env] of cases) {
      const { status, stderr } = run(args, env);
      assert.match(stderr, expected);
      assert.equal(status, 1);
    }
  });

  test("prints one sentence about an unreachable or unusable cluster", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "program-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const other = createHttpServer((_request, response) => void response.end("<html>Welcome</html>")).listen(
      0,
      "127.0.0.1",
    );
    await once(other, "listening");
    t.after(() => void other.close());
    const kubeconfigFor = (server: string): string => kubeconfigIn(folder, server);
    const broken = join(folder, "broken");
    writeFileSync(broken, "clusters: [");
    const cases: [string, RegExp][] = [
      [broken, /^[^\n]*broken[^\n]*\n$/u],
      [
        kubeconfigFor("https://127.0.0.1:1"),
        /^Cannot get [^\n]*Cannot reach the API server at https:\/\/127\.0\.0\.1:1: [^\n]*\n$/u,
      ],
      [
        kubeconfigFor(`http://127.0.0.1:${(other.address() as AddressInfo).port}`),
        /^[^\n]*(?:API server|JSON|understand)[^\n]*\n$/u,
      ],
    ];
    for (const [kubeconfig, expected] of cases) {
      const program = spawn(process.execPath, [
        "--conditions=@capstan/source",
        main,
        `--kubeconfig=${kubeconfig}`,
        "--health-probe-bind-address=0",
      ]);
      const said: string[] = [];
      program.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
      const [code] = (await once(program, "close")) as [number | null];
      assert.match(said.join(""), expected);
      assert.equal(code, 1);
    }
  });

  test("warns first that a server is too old, and continues", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "program-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const old = createHttpServer(({ url }, response) => {
      const isVersion = url === "/version";
      response.writeHead(isVersion ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(isVersion ? { major: "1", minor: "19", gitVersion: "v1.19.16" } : {}));
    }).listen(0, "127.0.0.1");
    await once(old, "listening");
    t.after(() => void old.close());
    const kubeconfig = kubeconfigIn(folder, `http://127.0.0.1:${(old.address() as AddressInfo).port}`);
    const flags = [`--kubeconfig=${kubeconfig}`, "--install-crds=false", "--health-probe-bind-address=0"];
    const program = spawn(process.execPath, ["--conditions=@capstan/source", main, ...flags]);
    t.after(() => void program.kill("SIGKILL"));
    const told = Promise.withResolvers<void>();
    const said: string[] = [];
    program.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.push(text);
      if (said.join("").includes("The API server is Kubernetes v1.19.16, but at least 1.22 is needed.")) told.resolve();
    });
    const ended = once(program, "close");
    await Promise.race([told.promise, ended.then(() => assert.fail(`it ended: ${said.join("")}`))]);
    program.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null], said.join(""));
  });

  test("uses the installed CRDs if it may not change them, and logs it as info", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "program-"));
    t.after(() => rmSync(folder, { recursive: true }));
    await using server = await startApiServer({ listen: { port: 0, host: "127.0.0.1", tls: true } });
    const ca = Buffer.from(server.authority.certificate).toString("base64");
    const admin = await loadConfig(processHost(), {
      kubeconfig: kubeconfigIn(folder, server.url ?? "", { token: server.token, ca }),
    });
    await using client = createClient(admin);
    const nobody = { namespace: "default", name: "nobody" };
    await client.create(ServiceAccount, { metadata: nobody });
    const { token } = (await client.createToken(nobody, {})).status;
    const kubeconfig = kubeconfigIn(folder, server.url ?? "", { token, ca });
    const flags = [`--kubeconfig=${kubeconfig}`, "--health-probe-bind-address=0"];
    const program = spawn(process.execPath, ["--conditions=@capstan/source", main, ...flags]);
    t.after(() => void program.kill("SIGKILL"));
    const said: string[] = [];
    const first = Promise.withResolvers<string>();
    program.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.push(text);
      const [line, ...rest] = said.join("").split("\n");
      if (line !== undefined && rest.length > 0) first.resolve(line);
    });
    const ended = once(program, "close");
    const line = await Promise.race([first.promise, ended.then(() => assert.fail(`it ended: ${said.join("")}`))]);
    const { level, message } = JSON.parse(line) as { readonly level: string; readonly message: string };
    assert.deepEqual(
      [level, message],
      ["info", "uses the CRDs that are installed: it has no rights on CRDs, and needs none where others install them"],
    );
    program.kill("SIGTERM");
    await ended;
  });

  test("prints one sentence about a port in use, with the flag for another", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "program-"));
    t.after(() => rmSync(folder, { recursive: true }));
    await using server = await startApiServer({ listen: { port: 0, host: "127.0.0.1", tls: true } });
    const ca = Buffer.from(server.authority.certificate).toString("base64");
    const kubeconfig = kubeconfigIn(folder, server.url ?? "", { token: server.token, ca });
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    t.after(() => void taken.close());
    const address = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
    const cases = [
      [`--health-probe-bind-address=${address}`],
      [`--metrics-bind-address=${address}`, "--health-probe-bind-address=0"],
    ];
    for (const flags of cases) {
      const args = ["--conditions=@capstan/source", main, `--kubeconfig=${kubeconfig}`, "--log-level=error", ...flags];
      const program = spawn(process.execPath, args);
      t.after(() => void program.kill("SIGKILL"));
      const said: string[] = [];
      program.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
      const [code] = (await once(program, "close")) as [number | null];
      const flag = flags[0]?.split("=", 1)[0];
      assert.match(
        said.join(""),
        new RegExp(
          `^Cannot serve \\w+ at ${address}: another program listens there\\. .*${flag}, or 0 for none\\.\n$`,
          "u",
        ),
      );
      assert.equal(code, 1);
    }
  });
});
