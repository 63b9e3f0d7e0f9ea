/** Connects to a cluster: the one of the options, else that of a running `capstan dev`, else the configured one. */
import { resolve } from "node:path";
import { type Client, createClient, loadConfig, processHost } from "@capstan/client";
import type { Options } from "../command/define.ts";
import { findSession, type Session } from "../dev/session.ts";
import type { Terminal } from "../terminal.ts";

/** The options of every command that talks to a cluster. */
export const clusterOptions = {
  kubeconfig: { type: "text", value: "FILE", describe: "the kubeconfig (a running capstan dev, else KUBECONFIG)" },
  context: { type: "text", value: "NAME", describe: "the context in it" },
} as const satisfies Options;

/** A client, and the default namespace. */
export interface Connection {
  readonly client: Client;
  readonly namespace: string;
}

/** Connects by options, else to a running session, else by configuration. */
export async function connect(
  { kubeconfig, context }: { readonly kubeconfig: string | undefined; readonly context: string | undefined },
  terminal: Terminal,
): Promise<Connection> {
  const session = kubeconfig === undefined && context === undefined ? await findSession(terminal.cwd) : undefined;
  if (session !== undefined) sayWhich(session, terminal);
  const file = kubeconfig === undefined ? session?.kubeconfig : resolve(terminal.cwd, kubeconfig);
  const config = await loadConfig(processHost(), { kubeconfig: file, context: context ?? session?.context });
  return { client: createClient(config, { userAgent: "capstan" }), namespace: config.namespace };
}

/** A user with KUBECONFIG set may expect that cluster, so results of another one must be marked. */
function sayWhich(session: Session, { cwd, env, err }: Pick<Terminal, "cwd" | "env" | "err">): void {
  const configured = env["KUBECONFIG"] ?? "";
  if (session.kubeconfig === undefined || configured === "") return;
  if (resolve(cwd, configured) === resolve(cwd, session.kubeconfig)) return;
  err(
    'note: this is about the cluster of the `capstan dev` that runs here; --kubeconfig "$KUBECONFIG" means the other one\n',
  );
}
