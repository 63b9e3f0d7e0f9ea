/** Provides a real Kubernetes to tests: one control plane for all files of a run, a namespace for each test. */

import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import type { Server } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { askApi, callApi } from "./api.ts";
import { areBuilt } from "./build.ts";
import { adminCredentials, ensureCluster, loadImages, stopCluster } from "./cluster.ts";
import { controlPlanePrograms } from "./control-plane.ts";
import { KubernetesToolError } from "./errors.ts";
import type { Credentials } from "./kubeconfig.ts";
import { listenInside } from "./listen-inside.ts";
import {
  cutPods,
  killApiServer,
  killEverything,
  killNode,
  restartApiServer,
  restartEverything,
  restartNode,
} from "./outage.ts";
import { processBirth } from "./processes.ts";
import { showProgress } from "./progress.ts";
import { DEFAULT_RELEASE } from "./releases.ts";
import type { ClusterState, Owner } from "./state.ts";
import { kubeconfigPath, listClusters } from "./state.ts";

/** Which cluster a test wants; tests that want the same share one. */
export interface UseKubernetesOptions {
  /** A Kubernetes version that can be built; by default the newest. */
  readonly version?: string;
  /** Whether pods must really run. */
  readonly node?: boolean;
  /** The number of nodes. Default: 1. */
  readonly nodes?: number;
  /** How many further kube-apiservers on the same etcd. */
  readonly peers?: number;
  /** A separate cluster that the test may break; it has to be started first. */
  readonly own?: boolean;
  /** Further flags of kube-apiserver, such as --feature-gates=... */
  readonly apiServerFlags?: readonly string[];
}

/** The part of a test's context that is used. */
export interface TestScope {
  after(tidy: () => Promise<void>): void;
}

/** A real cluster, seen by one test. */
export interface TestCluster extends AsyncDisposable {
  /** A namespace that no other test uses; it is removed when the test ends. */
  readonly namespace: string;
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** https://127.0.0.1:port */
  readonly server: string;
  /** The administrator's credentials for `server`. */
  readonly credentials: Credentials;
  /** The credentials for every API server; more than one with peers. */
  readonly servers: readonly Credentials[];
  /** The name by which the command line knows the cluster. */
  readonly name: string;
  /**
   * Makes a server of the test listen inside the cluster's network, where the API server and pods can call it; gives its host and
   * port. Closing the server is the test's affair.
   */
  listen(server: Server, port?: number): Promise<{ host: string; port: number }>;
  /** Imports OCI archives into every node. */
  load(archives: readonly string[]): Promise<void>;
  /** Kills an API server (the first is 0); only in a cluster of one's own. */
  killApiServer(index: number): Promise<void>;
  /** Starts a killed API server again. */
  restartApiServer(index: number): Promise<void>;
  /** Takes the power of a node, such as node-2, and of all that runs on it; only in a cluster of one's own, as all that follows. */
  killNode(name: string): Promise<void>;
  restartNode(name: string): Promise<void>;
  /** Takes the power of the control plane and of all nodes. */
  killEverything(): Promise<void>;
  restartEverything(): Promise<void>;
  /** Cuts the lines of these addresses of pods and heals all others. */
  cutPods(addresses: readonly string[]): Promise<void>;
}

/** Set by a runner that starts several test processes, so that they share: the pid of the process that the clusters end with. */
const OWNER_VARIABLE = "CAPSTAN_TEST_OWNER";

/**
 * Gives a test a cluster: `await using cluster = await useKubernetes(t)`. The first test of a run that needs it starts it; it ends
 * with the run, even if that is killed.
 */
export async function useKubernetes(test: TestScope, options: UseKubernetesOptions = {}): Promise<TestCluster> {
  const { version = DEFAULT_RELEASE.kubernetes, node = false, peers = 0, apiServerFlags = [], own = false } = options;
  const { nodes = node ? 1 : 0 } = options;
  const owner = runOwner();
  const wanted = { version, nodes, peers, apiServerFlags, port: 0, owner };
  const name = own ? `${sharedPrefix(owner)}${randomBytes(3).toString("hex")}` : sharedName(owner, wanted);
  const state = await ensureCluster({ name, ...wanted }, showProgress(process.stderr));
  const cluster = await withNamespace(state, own);
  test.after(async () => cluster[Symbol.asyncDispose]());
  return cluster;
}

/** Why a test cannot have a cluster here, for the `skip` option of a test; never a reason in CI, where that is a failure. */
export function kubernetesMissing(options: UseKubernetesOptions = {}): string | false {
  if (process.env["CI"] === "true") return false;
  if (process.platform !== "linux") return "a real Kubernetes needs Linux";
  if (process.getuid?.() !== 0) return "a real Kubernetes needs root";
  const version = options.version ?? DEFAULT_RELEASE.kubernetes;
  const built = areBuilt(controlPlanePrograms({ ...DEFAULT_RELEASE, kubernetes: version }));
  return built || hasGo() ? false : "a real Kubernetes must be built first, and Go is not installed";
}

/** Takes down the clusters that the tests of this run shared. */
export async function stopSharedClusters(): Promise<void> {
  const prefix = sharedPrefix(runOwner());
  await Promise.all(
    listClusters()
      .filter((name) => name.startsWith(prefix))
      .map(stopCluster),
  );
}

/** The process that owns the run: from the environment, else the test runner, else this process. */
function runOwner(): Owner {
  const named = Number(process.env[OWNER_VARIABLE]);
  const pid = named > 0 ? named : process.env["NODE_TEST_CONTEXT"] ? process.ppid : process.pid;
  return { pid, born: processBirth(pid) ?? "gone" };
}

function sharedPrefix(owner: Owner): string {
  return `test-${owner.pid}-${owner.born}-`;
}

function sharedName(owner: Owner, wanted: object): string {
  const kind = createHash("sha256").update(JSON.stringify(wanted)).digest("hex").slice(0, 6);
  return `${sharedPrefix(owner)}${kind}`;
}

async function withNamespace(state: ClusterState, own: boolean): Promise<TestCluster> {
  const servers = state.ports.map((_, index) => adminCredentials(state, index));
  const credentials = adminCredentials(state);
  const namespace = `test-${randomBytes(5).toString("hex")}`;
  await callApi(credentials, {
    method: "POST",
    path: "/api/v1/namespaces",
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
  });
  await waitForServiceAccount(credentials, namespace);
  return {
    namespace,
    kubeconfig: kubeconfigPath(state.name),
    server: credentials.server,
    credentials,
    servers,
    name: state.name,
    listen: (server, port = 0) => listenInside(state.name, server, port),
    load: (archives) => loadImages(state, archives),
    killApiServer: (index) => killApiServer(state, index),
    restartApiServer: (index) => restartApiServer(state, index),
    killNode: (node) => killNode(state, node),
    restartNode: (node) => restartNode(state, node),
    killEverything: () => killEverything(state),
    restartEverything: () => restartEverything(state),
    cutPods: (addresses) => cutPods(state, addresses),
    [Symbol.asyncDispose]: async () => {
      if (own) await stopCluster(state.name);
      else await removeNamespace(credentials, namespace);
    },
  };
}

/** Without its default service account a namespace refuses pods. */
async function waitForServiceAccount(credentials: Credentials, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  const deadline = performance.now() + 60_000;
  while ((await askApi(credentials, { path })).status !== 200) {
    if (performance.now() > deadline) {
      throw new KubernetesToolError("not-started", `namespace ${namespace} got no default service account in 60 s`);
    }
    await delay(20);
  }
}

/** Requests the deletion without waiting; a repeated request or a missing cluster is not an error. */
async function removeNamespace(credentials: Credentials, namespace: string): Promise<void> {
  await askApi(credentials, { method: "DELETE", path: `/api/v1/namespaces/${namespace}` }).catch(() => undefined);
}

function hasGo(): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, "go")));
}
