/** PackageManifests compared with those of the original package server, which reads the same catalogs. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { readConfigFolder, type RegistryServer, startRegistryServer, toCatalog } from "@capstan/bundle";
import { type Cluster as EmbeddedCluster, startCluster } from "@capstan/cluster";
import { Namespace } from "@capstan/kinds/v1";
import { buildPrograms, olmPrograms, programPath, showProgress } from "@capstan/kubernetes";
import {
  answerPackageRequest,
  CatalogSource,
  installBase,
  lifecycleManager,
  type PackageApi,
} from "@capstan/lifecycle";
import { apiOf, type RunningOperator, silentLog, systemClock } from "@capstan/runtime";
import { settingOf } from "./world.ts";

const DATA = fileURLToPath(new URL("../../../../shared/data/operatorhub/catalogs", import.meta.url));
/** The original reads the account of a pod from a folder of the system, which only root can give it. */
const skip = !existsSync(DATA)
  ? "the real catalogs are not at hand"
  : process.getuid?.() === 0
    ? false
    : "the original package server needs root";
const ROOT = "/apis/packages.operators.coreos.com/v1";
const LIMIT = 60_000;

let embedded: EmbeddedCluster;
let running: RunningOperator;
let child: ChildProcess;
let folder = "";
let api: PackageApi;
let token = "";
let port = 0;
const servers: RegistryServer[] = [];

before(async () => {
  if (skip !== false) return;
  await buildPrograms(olmPrograms(), showProgress(process.stderr));
  embedded = await startCluster({ heartbeat: false, port: 0 });
  const setting = settingOf(embedded);
  const { cluster } = setting;
  await installBase({ cluster, clock: systemClock, namespace: "olm" });
  running = lifecycleManager(setting).start({ api: apiOf(embedded.client), log: silentLog, namespace: "olm" });
  await cluster.ensure(Namespace, { metadata: { name: "shop" } });
  await serve("rabbitmq-cluster-operator", "olm");
  await serve("kube-green", "olm");
  await serve("jumpstarter-operator", "shop");
  api = {
    sources: () => cluster.list(CatalogSource),
    catalogs: setting.catalogs,
    globalNamespace: "olm",
    now: () => systemClock.wall(),
  };
  await startPackageServer();
});
after(async () => {
  if (skip !== false) return;
  child.kill("SIGKILL");
  await running.stop(0);
  await embedded[Symbol.asyncDispose]();
  for (const server of servers) await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function serve(name: string, namespace: string): Promise<void> {
  const catalog = toCatalog(await readConfigFolder(join(DATA, name)));
  const server = await startRegistryServer({ catalog: () => catalog, host: "127.0.0.1", port: 0 });
  servers.push(server);
  const spec = { sourceType: "grpc", address: server.address, displayName: `About ${name}`, publisher: "Example" };
  const { cluster } = settingOf(embedded);
  await cluster.create(CatalogSource, { metadata: { name, namespace, labels: { team: "a" } }, spec });
}

async function startPackageServer(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "capstan-packages-"));
  const kubeconfig = join(folder, "kubeconfig");
  const content = embedded.kubeconfig ?? "";
  await writeFile(kubeconfig, content);
  const { users } = JSON.parse(content) as { readonly users: readonly { readonly user: { readonly token: string } }[] };
  token = users[0]?.user.token ?? "";
  const program = olmPrograms().find(({ name }) => name === "package-server");
  assert.ok(program);
  port = await freePort();
  const flags = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map(
    (flag) => `--${flag}=${kubeconfig}`,
  );
  // The original asks for the account of a pod, which lies in a folder of its own: the program sees one of these files.
  const { clusters } = JSON.parse(content) as {
    readonly clusters: readonly {
      readonly cluster: { readonly server: string; readonly "certificate-authority-data": string };
    }[];
  };
  const server = new URL(clusters[0]?.cluster.server ?? "");
  await writeFile(join(folder, "token"), token);
  await writeFile(
    join(folder, "ca.crt"),
    Buffer.from(clusters[0]?.cluster["certificate-authority-data"] ?? "", "base64"),
  );
  const env = { ...process.env, KUBERNETES_SERVICE_HOST: server.hostname, KUBERNETES_SERVICE_PORT: server.port };
  const words = [
    ...flags,
    "--global-namespace=olm",
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    `--cert-dir=${folder}`,
  ];
  const place = "/run/secrets/kubernetes.io/serviceaccount";
  const script = `mount -t tmpfs tmpfs /run && mkdir -p ${place} && cp token ca.crt ${place}/ && exec "$0" "$@"`;
  child = spawn("unshare", ["--mount", "sh", "-c", script, programPath(program), ...words], {
    stdio: "ignore",
    cwd: folder,
    env,
  });
  const end = performance.now() + LIMIT;
  for (;;) {
    const { body } = await original(`${ROOT}/packagemanifests`).catch(() => ({ body: "" }));
    const own = await ours(`${ROOT}/packagemanifests`);
    if (body !== "" && count(body) === 3 && count(own.body) === 3) return;
    assert.ok(performance.now() < end, `the original does not list the packages: ${body.slice(0, 500)}`);
    await pause(500);
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  // A server that listens on a port has an address of this form.
  const { port: free } = probe.address() as AddressInfo;
  probe.close();
  return free;
}

function count(body: string): number {
  try {
    return (JSON.parse(body) as { readonly items?: readonly object[] }).items?.length ?? 0;
  } catch {
    return 0;
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

const JSON_ONLY = "application/json";

async function original(path: string, accept = JSON_ONLY): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, accept };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const call = request({ host: "127.0.0.1", port, path, headers, rejectUnauthorized: false }, (response) => {
    text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
  });
  call.on("error", reject);
  call.end();
  return promise;
}

async function ours(url: string, accept = JSON_ONLY): Promise<Answer> {
  const { status, body } = await answerPackageRequest({ method: "GET", url, accept }, api);
  if (typeof body === "string" || body instanceof Uint8Array) return { status, body: Buffer.from(body).toString() };
  return { status, body: await text(Readable.from(body)) };
}

/** The answer without what has no order, and without ages. */
function normal({ status, body }: Answer): unknown {
  const value = JSON.parse(body, (key, each: unknown) => {
    if (["relatedImages", "items", "rows"].includes(key) && Array.isArray(each)) {
      return each.map((one) => JSON.stringify(one)).sort();
    }
    return key === "cells" && Array.isArray(each) ? each.slice(0, 2) : each;
  }) as unknown;
  return { status, value };
}

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

for (const [path, accept] of [
  [`${ROOT}/packagemanifests`],
  [`${ROOT}/namespaces/shop/packagemanifests`],
  [`${ROOT}/namespaces/olm/packagemanifests`],
  [`${ROOT}/namespaces/shop/packagemanifests/rabbitmq-cluster-operator`],
  [`${ROOT}/namespaces/shop/packagemanifests/jumpstarter-operator`],
  [`${ROOT}/namespaces/olm/packagemanifests/jumpstarter-operator`],
  [`${ROOT}/namespaces/olm/packagemanifests?labelSelector=catalog%3Dkube-green`],
  [`${ROOT}/namespaces/olm/packagemanifests?fieldSelector=metadata.name%3Dkube-green`],
  [`${ROOT}/namespaces/shop/packagemanifests`, TABLE],
  [`${ROOT}/namespaces/shop/packagemanifests/kube-green`, TABLE],
  [`${ROOT}/packagemanifests?watch=true`],
  [ROOT],
  ["/apis/packages.operators.coreos.com"],
] as const) {
  test(
    `the same answer: ${path.slice(ROOT.length) || path}${accept === undefined ? "" : " as a table"}`,
    { skip },
    async () => {
      assert.deepEqual(normal(await ours(path, accept)), normal(await original(path, accept)));
    },
  );
}

test("the same icon", { skip }, async () => {
  const path = `${ROOT}/namespaces/olm/packagemanifests/kube-green/icon`;
  assert.deepEqual(await ours(path), await original(path));
});
