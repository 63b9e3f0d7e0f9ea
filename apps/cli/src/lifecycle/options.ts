/** The connection and the options of the commands that manage installed operators. */
import type { Client } from "@capstan/client";
import { type Cluster, clusterOf, Subscription } from "@capstan/lifecycle";
import { apiOf } from "@capstan/runtime";
import type { Options } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { outputOption } from "../output/print.ts";
import { clusterOptions, connect } from "../project/connect.ts";
import type { Terminal } from "../terminal.ts";

/** The options of every such command. */
export const lifecycleOptions = {
  ...clusterOptions,
  namespace: { type: "text", short: "n", value: "NAME", describe: "the namespace (that of the context)" },
  output: outputOption,
} as const satisfies Options;

/** A connected cluster. */
export interface Connected extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly namespace: string;
}

/** The values that a connection needs. */
export interface ConnectionValues {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace?: string | undefined;
}

/** Connects. */
export async function connectLifecycle(values: ConnectionValues, terminal: Terminal): Promise<Connected> {
  const { client, namespace } = await connect(values, terminal);
  return {
    client,
    cluster: clusterOf(apiOf(client)),
    namespace: values.namespace ?? namespace,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The Subscription with a name or for a package. */
export async function findSubscription({ cluster, namespace }: Connected, name: string): Promise<Subscription> {
  const all = await cluster.list(Subscription, { namespace });
  const found = all.find(({ metadata }) => metadata.name === name) ?? all.find(({ spec }) => spec.name === name);
  if (found !== undefined) return found;
  const known = all.map(({ metadata }) => metadata.name).join(", ");
  const hint = known === "" ? "it has no Subscriptions" : `it has ${known}`;
  throw new CliError(
    "BadInput",
    `the namespace ${namespace} has no Subscription ${name}: ${hint}; --namespace names another one`,
  );
}
