/** An operator as a program: flags, doors, leader election, and a clean end, on a real kube-apiserver. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
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
import { createClient, loadConfig, processHost } from "@capstan/client";
import { ClusterRole, ClusterRoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { ConfigMap, ServiceAccount } from "@capstan/kinds/v1";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { apiOf } from "../src/client-api.ts";
import { sleep, systemClock } from "../src/clock.ts";
import { Lease } from "../src/manager/lease.ts";
import type { LeaseObject } from "../src/manager/lease.ts";
import { replay } from "../src/testing/index.ts";
import { app } from "./program/main.ts";

const Widget = {
  group: "program.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
} as const;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const end = systemClock.now() + 120_000;
  while (!(await holds().catch(() => false))) {
    assert.ok(systemClock.now() < end, `waited in vain for ${what}`);
    await sleep(systemClock, 50);
  }
}

test(
  "runs from flags, answers at its doors, and gives the lease back when it is told to stop",
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
    const { turns } = (await (await ask(health, `/explain/widget/${namespace}/w`)).json()) as {
      turns: { causes: { relation: string }[] }[];
    };
    assert.equal(turns[0]?.causes[0]?.relation, "self");
    const text = await (await ask(metrics, "/metrics")).text();
    assert.match(text, /^controller_runtime_reconcile_total\{controller="widget",result="success"\} [1-9]/mu);
    assert.match(text, /^leader_election_master_status\{name="program"\} 1$/mu);
    assert.match(text, /^rest_client_requests_total\{code="200",method="PATCH",host=""\} /mu);

    program.kill("SIGTERM");
    const [code] = (await once(program, "exit")) as [number | null];
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

/** Asks over TLS with a bearer token, as Prometheus does. */
function askSecurely(port: number, token: string | undefined): Promise<Answer> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    // The certificate is of the program's own making.
    const asking = get(`https://127.0.0.1:${port}/metrics`, { headers, rejectUnauthorized: false }, (response) => {
      const chunks: string[] = [];
      response.setEncoding("utf8").on("data", (text: string) => chunks.push(text));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: chunks.join("") }));
    });
    asking.on("error", reject);
  });
}

test(
  "shows its metrics over TLS, and only to those whom the cluster lets read them",
  { skip: kubernetesMissing() },
  async (t) => {
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

    await until(async () => (await askSecurely(metrics, undefined)).status === 401, "the door");
    assert.equal((await askSecurely(metrics, "nonsense")).status, 401);
    assert.deepEqual(await askSecurely(metrics, stranger), {
      status: 403,
      text: "The token may not get the non-resource URL /metrics: grant it with a ClusterRole.\n",
    });
    const { status, text } = await askSecurely(metrics, prometheus);
    assert.equal(status, 200);
    assert.match(text, /^controller_runtime_max_concurrent_reconciles\{controller="widget"\} 16$/mu);
    await assert.rejects(fetch(`http://127.0.0.1:${metrics}/metrics`), "nobody reads them in the clear");
    program.kill("SIGTERM");
    const [code] = (await once(program, "exit")) as [number | null];
    assert.equal(code, 0);
  },
);

describe("a program that cannot start", () => {
  const main = fileURLToPath(new URL("program/main.ts", import.meta.url));
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    spawnSync(process.execPath, ["--conditions=@capstan/source", main, ...args], {
      encoding: "utf8",
      env: { ...env, PATH: process.env["PATH"] },
      timeout: 120_000,
    });

  test("says what can be set when it is asked", () => {
    const { status, stdout } = run(["--help"]);
    assert.equal(status, 0);
    assert.match(stdout, /^Runs the operator program until it is told to stop\.$/mu);
    for (const flag of ["kubeconfig", "leader-elect", "webhook-url", "install-crds"]) {
      assert.match(stdout, new RegExp(`^  --${flag} +\\S`, "mu"));
    }
  });

  test("says in one sentence what is wrong with its settings, without a stack", () => {
    const cases: [readonly string[], RegExp][] = [
      [["--log-level=loud"], /^Cannot use "loud" for log-level: .*\n$/u],
      [["--nonsense"], /^There is no setting "nonsense"\. .*\n$/u],
      [["--toString=1"], /^Cannot read the argument .*\n$/u],
      [["--config=/nonexistent.json"], /^ENOENT.*nonexistent\.json.*\n$/u],
      [["--kubeconfig=/nonexistent"], /^[^\n]*\/nonexistent[^\n]*\n$/u],
      [["--webhook-url=http://here"], /^Cannot reach webhooks at "http:\/\/here".*\n$/u],
    ];
    for (const [args, expected] of cases) {
      const { status, stderr } = run(args);
      assert.match(stderr, expected);
      assert.equal(status, 1);
    }
  });

  test("says in one sentence what is wrong with its cluster", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "program-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const other = createHttpServer((_request, response) => void response.end("<html>Welcome</html>")).listen(
      0,
      "127.0.0.1",
    );
    await once(other, "listening");
    t.after(() => void other.close());
    const kubeconfigFor = (server: string): string => {
      const path = join(folder, `${server.replaceAll(/\W/gu, "-")}.json`);
      const clusters = [{ name: "c", cluster: { server } }];
      const contexts = [{ name: "c", context: { cluster: "c", user: "u" } }];
      const users = [{ name: "u", user: { token: "x" } }];
      writeFileSync(path, JSON.stringify({ clusters, contexts, users, "current-context": "c" }));
      return path;
    };
    const broken = join(folder, "broken");
    writeFileSync(broken, "clusters: [");
    const cases: [string, RegExp][] = [
      [broken, /^[^\n]*broken[^\n]*\n$/u],
      [
        kubeconfigFor("https://127.0.0.1:1"),
        /^Cannot apply [^\n]*Cannot reach the API server at https:\/\/127\.0\.0\.1:1: [^\n]*\n$/u,
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
});
