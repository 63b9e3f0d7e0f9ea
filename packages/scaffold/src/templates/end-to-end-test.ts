/** The test of a whole operator as a process on a cluster, with its metrics read as a scraper reads them. */
import type { Inputs } from "../project/inputs.ts";
import { isCheckout } from "./root-files.ts";
import { withHeader } from "./source.ts";

/** e2e/operator.test.ts */
export function endToEndTest(inputs: Inputs): string {
  return withHeader(inputs, `${opening(inputs)}${stories}${asking}`);
}

function opening(inputs: Inputs): string {
  const { name } = inputs;
  const condition = isCheckout(inputs) ? `"--conditions=@capstan/source", ` : "";
  return `/** The operator as a process on a cluster: that of KUBECONFIG, or an embedded one. Needs kubectl. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

const folder = mkdtempSync(join(tmpdir(), "${name}-e2e-"));
const own = process.env["KUBECONFIG"] === undefined;
const kubeconfig = process.env["KUBECONFIG"] ?? join(folder, "kubeconfig");
const cluster = \`${name}-e2e-\${process.pid}\`;
const scraper = \`${name}-scraper-\${process.pid}\`;

const run = (command: string, ...args: string[]): string => execFileSync(command, args, { encoding: "utf8" });
const kubectl = (...args: string[]): string => run("kubectl", "--kubeconfig", kubeconfig, ...args);

let operator: ChildProcess | undefined;
let metrics = 0;

before(async () => {
  if (own) run("npx", "capstan", "cluster", "start", "--name", cluster, "--pods", "simulated", "--kubeconfig-out", kubeconfig);
  metrics = await freePort();
  const flags = ["--install-crds", "--health-probe-bind-address=0", \`--metrics-bind-address=127.0.0.1:\${metrics}\`];
  operator = spawn(process.execPath, [${condition}"src/main.ts", \`--kubeconfig=\${kubeconfig}\`, ...flags], { stdio: "inherit" });
  await until("the operator serves its metrics", async () => (await scrape()).status === 401);
});

after(async () => {
  kubectl("delete", "--ignore-not-found", "--filename", "samples");
  kubectl("delete", "--ignore-not-found", \`serviceaccount/\${scraper}\`, \`clusterrole/\${scraper}\`, \`clusterrolebinding/\${scraper}\`);
  if (operator !== undefined && operator.exitCode === null) {
    operator.kill("SIGTERM");
    await once(operator, "exit");
  }
  if (own) run("npx", "capstan", "cluster", "stop", "--name", cluster);
  rmSync(folder, { recursive: true });
});

`;
}

const stories = `test("the samples are reconciled, and an authorized client reads the metrics", async () => {
  kubectl("apply", "--filename", "samples");
  kubectl("create", "serviceaccount", scraper);
  kubectl("create", "clusterrole", scraper, "--verb=get", "--non-resource-url=/metrics");
  kubectl("create", "clusterrolebinding", scraper, \`--clusterrole=\${scraper}\`, \`--serviceaccount=default:\${scraper}\`);
  const token = kubectl("create", "token", scraper).trim();
  const reconciled = /^controller_runtime_reconcile_total\\{controller="[^"]+",result="success"\\} [1-9]/m;
  await until("an object is reconciled", async () => reconciled.test((await scrape(token)).text));
});

test("other clients cannot read the metrics", async () => {
  assert.equal((await scrape()).status, 401);
  assert.equal((await scrape("not-a-token")).status, 401);
});

`;

const asking = `/** Reads the metrics as a scraper does. */
function scrape(token?: string): Promise<{ status: number; text: string }> {
  const headers = token === undefined ? {} : { authorization: \`Bearer \${token}\` };
  return new Promise((resolve, reject) => {
    // The operator makes its own certificate; the scraper is known by its token.
    get(\`https://127.0.0.1:\${metrics}/metrics\`, { headers, rejectUnauthorized: false, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    }).on("error", reject);
  });
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds().catch(() => false))) {
    assert.ok(Date.now() < end, \`waited a minute, but not: \${what}\`);
    await pause(100);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : assert.fail();
}
`;
