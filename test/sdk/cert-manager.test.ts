/** The kustomize tree with cert-manager enabled: cert-manager manages the operator's webhooks, and they work. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startApiServer } from "@capstan/apiserver";
import type { ApiServer } from "@capstan/apiserver";
import { buildPrograms, DEFAULT_RELEASE, kubernetesProgram, programPath, showProgress } from "@capstan/kubernetes";
import { createAuthority, validFor } from "@capstan/pki";
import { parseAllDocuments } from "yaml";

const run = promisify(execFile);
const program = resolve("packages/runtime/test/program/volumes.ts");
const source = "--conditions=@capstan/source";

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly annotations?: Texts };
  readonly [field: string]: unknown;
}
type Texts = { readonly [name: string]: string };

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-cert-manager-"));
  const words = ["generate", "kustomize", "--entry", program, "--namespace", "volumes-system", "--out", "config"];
  await run(process.execPath, [source, resolve("apps/cli/src/main.ts"), ...words], { cwd: folder });
});
after(() => rm(folder, { recursive: true, force: true }));

/** The output of kubectl for the tree. */
async function build(): Promise<Manifest[]> {
  const kubectl = kubernetesProgram("kubectl", DEFAULT_RELEASE.kubernetes);
  await buildPrograms([kubectl], showProgress(process.stderr));
  const { stdout } = await run(programPath(kubectl), ["kustomize", join(folder, "config/default")]);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

async function switchOn(): Promise<void> {
  const file = join(folder, "config/default/kustomization.yaml");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replaceAll(/^#(components:| {2}- \.\.\/certmanager)$/gm, "$1"));
}

const kindsOf = (objects: readonly Manifest[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

test("two uncommented lines enable it, and remove the rights it makes unnecessary", async () => {
  const without = kindsOf(await build());
  assert.ok(!without.some((one) => /Issuer|Certificate |WebhookConfiguration/.test(one)), without.join("\n"));
  await switchOn();
  const with_ = kindsOf(await build());
  assert.deepEqual(with_.filter((one) => !without.includes(one)).sort(), [
    "Certificate volumes-serving-cert",
    "Issuer volumes-selfsigned-issuer",
    "MutatingWebhookConfiguration volumes.pods.example.com",
    "ValidatingWebhookConfiguration volumes.pods.example.com",
  ]);
  assert.deepEqual(
    without.filter((one) => !with_.includes(one)).sort(),
    ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"].map((kind) => `${kind} volumes-webhooks`),
  );
});

test("with cert-manager's output, objects are validated, defaulted and converted", async () => {
  await switchOn();
  const objects = await build();
  const certificate = find(objects, "Certificate")["spec"] as { secretName: string; dnsNames: string[] };
  const pod = podOf(find(objects, "Deployment"));
  assert.deepEqual(pod.volumes, [{ name: "webhook-certs", secret: { secretName: certificate.secretName } }]);
  const service = find(objects, "Service", "volumes-webhook");
  assert.ok(certificate.dnsNames.includes(`${service.metadata.name}.${service.metadata.namespace}.svc`));

  const port = await freePort();
  const now = new Date();
  const authority = createAuthority({ commonName: "cert-manager", now, days: 1 });
  const names = { commonName: "volumes", dnsNames: ["localhost"] };
  const pair = authority.issue({ ...validFor({ now, days: 1 }), ...names, usages: ["server"] });
  await writeFile(join(folder, "tls.crt"), pair.certificate);
  await writeFile(join(folder, "tls.key"), pair.privateKey);

  await using server = await startApiServer({ listen: { port: 0, tls: false } });
  const issued = objects
    .filter(({ apiVersion }) => !apiVersion.startsWith("cert-manager.io/"))
    .map((object) => asIssued(object, { port, authority: authority.certificate }));
  for (const object of issued) await create(server, object);
  await using operator = await startOperator(pod.containers[0], { server, port });
  await operator.ready;

  const refused = await send(
    server,
    "POST",
    "/apis/pods.example.com/v2/namespaces/default/volumes",
    volume("bad", "huge"),
  );
  assert.match(await refused.text(), /there is no such profile/u);
  const made = await send(server, "POST", "/apis/pods.example.com/v2/namespaces/default/volumes", volume("good"));
  assert.equal(((await made.json()) as { spec: { profile: string } }).spec.profile, "small", "it was defaulted");
  const old = await send(server, "GET", "/apis/pods.example.com/v1/namespaces/default/volumes/good");
  assert.equal(((await old.json()) as { spec: { gigabytes: number } }).spec.gigabytes, 3, "it was converted");
});

function find(objects: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = objects.find((one) => one.kind === kind && (name === undefined || one.metadata.name === name));
  return found ?? assert.fail(`there is no ${kind} ${name ?? ""}`);
}

interface Container {
  readonly args: readonly string[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
}

function podOf(deployment: Manifest) {
  const { template } = deployment["spec"] as {
    template: { spec: { volumes: readonly object[]; containers: readonly [Container] } };
  };
  return template.spec;
}

interface Issued {
  readonly port: number;
  readonly authority: string;
}

/**
 * Stands in for cert-manager: injects the authority where an annotation requests it. No pod runs here, so the Service is a port of this
 * machine.
 */
function asIssued(object: Manifest, { port, authority }: Issued): Manifest {
  if (object.metadata.annotations?.["cert-manager.io/inject-ca-from"] !== "volumes-system/volumes-serving-cert")
    return object;
  const text = JSON.stringify(object, (key, value: unknown) => {
    if (key !== "clientConfig") return value;
    const { service } = value as { service: { name: string; path: string; port: number } };
    assert.deepEqual([service.name, service.port], ["volumes-webhook", 443]);
    return { url: `https://localhost:${port}${service.path}`, caBundle: Buffer.from(authority).toString("base64") };
  });
  return JSON.parse(text) as Manifest;
}

/** The operator with the arguments of its Deployment, except its addresses. */
async function startOperator(container: Container, { server, port }: { server: ApiServer; port: number }) {
  const mount = container.volumeMounts[0]?.mountPath ?? assert.fail("nothing is mounted");
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigOf(server));
  const flags = container.args
    .filter((flag) => !/^--(leader-elect|health-probe|metrics)/.test(flag))
    .map((flag) => flag.replace(mount, folder));
  assert.ok(flags.includes(`--webhook-cert-dir=${folder}`));
  const here = [
    `--kubeconfig=${kubeconfig}`,
    `--webhook-bind-address=127.0.0.1:${port}`,
    "--health-probe-bind-address=0",
  ];
  const child = spawn(process.execPath, [source, program, ...flags, ...here], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  const ready = (async () => {
    const lines: string[] = [];
    for await (const line of createInterface(child.stderr)) {
      lines.push(line);
      if (line.includes('"message":"started"')) return;
    }
    assert.fail(`it ended:\n${lines.join("\n")}`);
  })();
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  return { ready, [Symbol.asyncDispose]: stop };
}

function kubeconfigOf({ url, token }: ApiServer): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: url } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  });
}

const plurals: Texts = {
  Namespace: "namespaces",
  Service: "services",
  ServiceAccount: "serviceaccounts",
  CustomResourceDefinition: "customresourcedefinitions",
  Deployment: "deployments",
  Role: "roles",
  RoleBinding: "rolebindings",
  ClusterRole: "clusterroles",
  ClusterRoleBinding: "clusterrolebindings",
  MutatingWebhookConfiguration: "mutatingwebhookconfigurations",
  ValidatingWebhookConfiguration: "validatingwebhookconfigurations",
};

async function create(server: ApiServer, object: Manifest): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
  const plural = plurals[kind] ?? assert.fail(`${kind} is not known here`);
  const response = await send(server, "POST", `${group}${place}/${plural}`, object);
  assert.equal(response.status, 201, `${kind} ${metadata.name}: ${await response.text()}`);
}

function send(server: ApiServer, method: string, path: string, body?: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  return server.fetch(new Request(`https://server${path}`, init));
}

function volume(name: string, profile?: string): object {
  return {
    apiVersion: "pods.example.com/v2",
    kind: "Volume",
    metadata: { name },
    spec: { size: "3Gi", ...(profile === undefined ? {} : { profile }) },
  };
}

/** A free port below the ephemeral range, so that no outgoing connection takes it before the program listens. */
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
