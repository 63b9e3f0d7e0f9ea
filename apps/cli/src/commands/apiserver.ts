/** `capstan apiserver`: runs the bare API server in the foreground. */
import { chmod, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  describeLongTurn,
  openAuditLog,
  ServiceRangeError,
  startApiServer,
  toKubeconfig,
  type ApiServer,
  type ApiServerOptions,
  type ServiceRangeErrorCode,
} from "@capstan/apiserver";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { growSlowly } from "../serving-heap.ts";
import { stopSignal } from "../stop-signal.ts";

/** Runs until it is stopped. */
export const apiserver: Command = defineCommand({
  describe: "It has no controllers and no nodes: objects are stored, checked and watched, and nothing else happens.",
  options: {
    port: { type: "text", value: "PORT", default: "0", describe: "the port to listen on; 0 takes any that is free" },
    host: { type: "text", value: "ADDRESS", default: "127.0.0.1", describe: "the address to listen on" },
    "unsafe-host": { type: "flag", describe: "allow an address that others can reach" },
    "kubeconfig-out": { type: "text", value: "FILE", describe: "write an administrator's kubeconfig there" },
    data: { type: "text", value: "DIR", describe: "keep the state in this folder" },
    "audit-log": {
      type: "text",
      value: "FILE",
      describe: "add a line for each request there, as kube-apiserver does at the level Metadata; - is standard output",
    },
    http: { type: "flag", describe: "plain HTTP instead of TLS" },
    "service-cluster-ip-range": {
      type: "text",
      value: "NET",
      default: "10.0.0.0/24",
      describe: "the network of services; one of each family with a comma between",
    },
    "service-node-port-range": {
      type: "text",
      value: "A-B",
      default: "30000-32767",
      describe: "the node ports of services",
    },
  },
  progress: "own",
  examples: [
    {
      line: "capstan apiserver --kubeconfig-out kubeconfig",
      does: "Serve on a free port; use it with kubectl --kubeconfig kubeconfig",
    },
    { line: "capstan apiserver --port 6443 --data state", does: "Serve on a fixed port and keep the objects" },
  ],
  run: async ({ options, terminal }) => {
    check(options);
    growSlowly();
    const { host, port, http } = options;
    const at = (path: string | undefined): string | undefined => path && resolve(terminal.cwd, path);
    const [data, kubeconfig] = [at(options.data), at(options["kubeconfig-out"])];
    const auditPath = options["audit-log"] === "-" ? "-" : at(options["audit-log"]);
    using audit = auditPath === undefined ? undefined : openAuditLog(auditPath);
    await using server = await start({
      listen: { host, port: Number(port), tls: !http },
      ...(data === undefined ? {} : { data }),
      ...(audit === undefined ? {} : { audit: audit.tell }),
      serviceNetwork: options["service-cluster-ip-range"],
      nodePorts: options["service-node-port-range"],
      onLongTurn: (turn) => terminal.err(`${describeLongTurn(turn)}\n`),
      report: (error, call) => terminal.err(`${call.method} ${call.url}: ${describe(error)}\n`),
    });
    if (kubeconfig !== undefined) await keepKubeconfig(kubeconfig, toKubeconfig(server));
    const where = kubeconfig === undefined ? "" : ` (kubeconfig ${kubeconfig})`;
    terminal.out(`capstan apiserver is ready on ${server.url}${where}\n`);
    await stopSignal();
  },
});

const flags: { readonly [code in ServiceRangeErrorCode]: string } = {
  BadNetwork: "--service-cluster-ip-range",
  BadPorts: "--service-node-port-range",
};

/** Invalid address ranges are an error of the user. */
async function start(options: ApiServerOptions): Promise<ApiServer> {
  try {
    return await startApiServer(options);
  } catch (error) {
    throw error instanceof ServiceRangeError ? new CliError("Usage", `${flags[error.code]}: ${error.message}`) : error;
  }
}

/** The kubeconfig has admin credentials: only its owner may read it, also if the file existed before. */
async function keepKubeconfig(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  await chmod(path, 0o600);
}

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);

function check({ host, port, "unsafe-host": unsafe }: { host: string; port: string; "unsafe-host": boolean }): void {
  if (!/^[0-9]{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new CliError("Usage", `--port must be a number up to 65535, not ${JSON.stringify(port)}`);
  }
  if (loopback.has(host) || unsafe) return;
  throw new CliError("Usage", `--host ${host} can be reached by others; say --unsafe-host if that is meant`);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
