/** Finds the configuration: the explicit file, else KUBECONFIG, else ~/.kube/config, else in-cluster. */
import { delimiter, join, resolve } from "node:path";
import { ConfigError } from "../error/config-error.ts";
import type { Host } from "../host/host.ts";
import { inClusterConfig } from "./in-cluster.ts";
import { mergeKubeconfigs } from "./kubeconfig.ts";
import type { Lazy, ClusterConfig, ClusterEntry, ContextEntry, Kubeconfig, UserEntry } from "./kubeconfig.ts";
import { parseKubeconfig } from "./parse.ts";

/**
 * What the caller insists on.
 *
 * @example
 * const options: LoadOptions = { kubeconfig: "/tmp/kubeconfig", context: "staging" };
 * const config = await loadConfig(processHost(), options);
 */
export interface LoadOptions {
  /** Only this file. */
  readonly kubeconfig?: string | undefined;
  /** This context instead of the current one. */
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
}

/**
 * The configuration of one cluster.
 *
 * @example
 * const config = await loadConfig(processHost(), { context: "staging" });
 */
export async function loadConfig(host: Host, options: LoadOptions = {}): Promise<ClusterConfig> {
  const kubeconfig = await loadKubeconfig(host, options.kubeconfig);
  if (kubeconfig !== undefined) return chooseContext(kubeconfig, options);
  const inCluster = await inClusterConfig(host);
  if (inCluster !== undefined) return { ...inCluster, namespace: options.namespace ?? inCluster.namespace };
  throw new ConfigError("NoConfiguration", `No cluster is configured: ${noConfigMessage(host)}`);
}

/** Names the configured files, or how to configure one. */
function noConfigMessage(host: Host): string {
  const named = namedPaths(host);
  if (named.length === 0)
    return "there is neither a kubeconfig (KUBECONFIG or ~/.kube/config) nor a pod's service account. Name one, or start a cluster.";
  const files = named.length === 1 ? "that file is missing or empty" : "those files are missing or empty";
  return `KUBECONFIG says ${named.join(delimiter)}, but ${files}. Correct KUBECONFIG, or unset it to use ~/.kube/config.`;
}

/** The merged kubeconfig; undefined if there is none. An explicit file must exist. */
export async function loadKubeconfig(host: Host, explicit?: string): Promise<Kubeconfig | undefined> {
  if (explicit !== undefined) return parseFile(await readExplicit(host, explicit), explicit);
  const configs = await Promise.all(kubeconfigPaths(host).map((path) => readIfThere(host, path)));
  const found = configs.filter((config) => config !== undefined);
  return found.length === 0 ? undefined : mergeKubeconfigs(found);
}

/** Only users read from a file get an origin, so that their tokens can be stored there. */
async function parseFile(text: string, path: string): Promise<Kubeconfig> {
  const config = await parseKubeconfig(text, path);
  const users = [...config.users].map(([user, read]): [string, Lazy<UserEntry>] => {
    const origin = { file: resolve(path), user };
    return [user, () => ({ ...read(), origin })];
  });
  return { ...config, users: new Map(users) };
}

/** KUBECONFIG is a list like PATH; if set, ~/.kube/config is ignored. */
function kubeconfigPaths(host: Host): readonly string[] {
  const named = namedPaths(host);
  return named.length > 0 ? named : [join(host.homeDirectory, ".kube", "config")];
}

function namedPaths({ env }: Host): readonly string[] {
  return [...new Set((env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== ""))];
}

async function readIfThere(host: Host, path: string): Promise<Kubeconfig | undefined> {
  try {
    const text = await host.readFile(path);
    return text.trim() === "" ? undefined : await parseFile(text, path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error instanceof ConfigError ? error : unreadable(path, error);
  }
}

async function readExplicit(host: Host, path: string): Promise<string> {
  try {
    return await host.readFile(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, cause: unknown): ConfigError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ConfigError(
    "Unreadable",
    `Cannot read the kubeconfig ${path}: ${why}. Check the path and its permissions.`,
    cause,
  );
}

/** The cluster and user of a context; other entries are not parsed. */
export function chooseContext(config: Kubeconfig, options: LoadOptions = {}): ClusterConfig {
  const name = options.context ?? config.currentContext;
  const context = name === undefined ? onlyOverrides(options) : entryOf("context", name, config.contexts);
  const clusterName = options.cluster ?? context.cluster;
  const userName = options.user ?? context.user;
  const user: UserEntry = isNamed(userName) ? entryOf("user", userName, config.users) : { proof: { type: "none" } };
  const cluster = withScheme(entryOf("cluster", clusterName, config.clusters), user);
  checkCluster(cluster, clusterName);
  const namespace = options.namespace ?? context.namespace;
  return { name: name ?? "", cluster, user, namespace: isNamed(namespace) ? namespace : "default" };
}

/** A server without scheme is HTTP unless certificates are configured, as in client-go. */
function withScheme(cluster: ClusterEntry, user: UserEntry): ClusterEntry {
  const { server, certificateAuthority, insecureSkipTlsVerify } = cluster;
  if (server === "" || server.includes("://")) return cluster;
  const secure = certificateAuthority ?? user.clientCertificate ?? (insecureSkipTlsVerify === true || undefined);
  return { ...cluster, server: `${secure === undefined ? "http" : "https"}://${server}` };
}

function isNamed(name: string | undefined): name is string {
  return name !== undefined && name !== "";
}

function onlyOverrides({ cluster, user }: LoadOptions): ContextEntry {
  if (cluster !== undefined) return { cluster, user };
  throw new ConfigError(
    "Missing",
    "The kubeconfig has no current-context. Choose one with `kubectl config use-context`, or name one.",
  );
}

function entryOf<T>(what: "context" | "cluster" | "user", name: string, entries: ReadonlyMap<string, Lazy<T>>): T {
  const read = entries.get(name);
  if (read !== undefined) return read();
  const there = entries.size === 0 ? `there is no ${what} in it` : `there are ${[...entries.keys()].join(", ")}`;
  throw new ConfigError("Missing", `The kubeconfig has no ${what} "${name}"; ${there}. Choose one of these or add it.`);
}

function checkCluster({ server, certificateAuthority, insecureSkipTlsVerify }: ClusterEntry, name: string): void {
  if (!URL.canParse(server) || !/^https?:/u.test(server)) {
    throw new ConfigError(
      "Malformed",
      `The cluster "${name}" of the kubeconfig has no usable server ("${server}"). Write it as https://host:port.`,
    );
  }
  if (certificateAuthority !== undefined && insecureSkipTlsVerify === true) {
    throw new ConfigError(
      "Contradiction",
      `The cluster "${name}" of the kubeconfig has a certificate authority and insecure-skip-tls-verify. Remove one of them.`,
    );
  }
}
