/** The cluster of a deployment: the configured one, never that of a `capstan dev` unless it is named. */
import { resolve } from "node:path";
import { type Client, createClient, loadConfig, processHost } from "@capstan/client";
import { findSession } from "../dev/session.ts";
import { listRecords } from "../embedded/record.ts";
import type { Terminal } from "../terminal.ts";

/** A cluster to deploy to. */
export interface Target {
  readonly client: Client;
  readonly context: string;
  readonly server: string;
  /** It runs on this machine and finds images that were built here. */
  readonly isEmbedded: boolean;
}

/** Connects by the options, else by KUBECONFIG and the default locations. */
export async function connectTarget(
  { kubeconfig, context }: { readonly kubeconfig: string | undefined; readonly context: string | undefined },
  terminal: Terminal,
): Promise<Target> {
  const file = kubeconfig === undefined ? undefined : resolve(terminal.cwd, kubeconfig);
  const config = await loadConfig(processHost(), { kubeconfig: file, context });
  const { server } = config.cluster;
  return {
    client: createClient(config, { userAgent: "capstan" }),
    context: config.name,
    server,
    isEmbedded: (await embeddedServers(terminal)).has(new URL(server).origin),
  };
}

/** The addresses of the embedded clusters of this user, with that of a `capstan dev` in this folder. */
async function embeddedServers(terminal: Terminal): Promise<ReadonlySet<string>> {
  const records = await listRecords(terminal);
  const kubeconfig = (await findSession(terminal.cwd))?.kubeconfig;
  const session =
    kubeconfig?.includes("/.capstan/") === true
      ? [(await loadConfig(processHost(), { kubeconfig })).cluster.server]
      : [];
  return new Set([...records.map(({ url }) => url), ...session].map((url) => new URL(url).origin));
}
