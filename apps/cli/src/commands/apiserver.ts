/** `capstan apiserver`: runs the bare API server in the foreground. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { startApiServer, type ApiServer } from "@capstan/apiserver";

const usage = `capstan apiserver [options]

  --port PORT             the port to listen on; 0, the default, takes any that is free
  --host ADDRESS          the address to listen on (127.0.0.1)
  --unsafe-host           allow an address that others can reach
  --kubeconfig-out FILE   write an administrator's kubeconfig there
  --data DIR              keep the state in this folder
  --http                  plain HTTP instead of TLS
`;

/** Runs until it is told to stop. */
export async function apiserver(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === "string") {
    process.stderr.write(`${options}\n\n${usage}`);
    return 2;
  }
  const { host, port, http, data, kubeconfig } = options;
  await using server = await startApiServer({
    listen: { host, port, tls: !http },
    ...(data === undefined ? {} : { data }),
    report: (error, call) => process.stderr.write(`${call.method} ${call.url}: ${describe(error)}\n`),
  });
  if (kubeconfig !== undefined) await writeFile(kubeconfig, toKubeconfig(server), { mode: 0o600 });
  process.stdout.write(`capstan apiserver is ready on ${server.url}\n`);
  await stopSignal();
  return 0;
}

interface Options {
  readonly host: string;
  readonly port: number;
  readonly http: boolean;
  readonly data: string | undefined;
  readonly kubeconfig: string | undefined;
}

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);

/** The options, or what is wrong with them. */
function readOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: "0" },
        host: { type: "string", default: "127.0.0.1" },
        "unsafe-host": { type: "boolean", default: false },
        "kubeconfig-out": { type: "string" },
        data: { type: "string" },
        http: { type: "boolean", default: false },
      },
    });
    if (!/^[0-9]{1,5}$/.test(values.port)) return `--port must be a number, not ${JSON.stringify(values.port)}`;
    if (!loopback.has(values.host) && !values["unsafe-host"]) {
      return `--host ${values.host} can be reached by others; say --unsafe-host if that is meant`;
    }
    const { host, http, data, "kubeconfig-out": kubeconfig } = values;
    return { host, port: Number(values.port), http, data, kubeconfig };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** JSON is YAML, so this is a kubeconfig for every client. */
function toKubeconfig(server: ApiServer): string {
  const certificate = Buffer.from(server.authority.certificate).toString("base64");
  const trust = server.url?.startsWith("https:") === true ? { "certificate-authority-data": certificate } : {};
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "capstan", cluster: { server: server.url, ...trust } }],
    users: [{ name: "admin", user: { token: server.token } }],
    contexts: [{ name: "capstan", context: { cluster: "capstan", user: "admin" } }],
    "current-context": "capstan",
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

async function stopSignal(): Promise<void> {
  const stop = new AbortController();
  // A pending promise alone does not keep the process alive; a listening port does, and so does this timer when there is none.
  const alive = setInterval(() => {}, 1 << 30);
  await Promise.race(["SIGTERM", "SIGINT"].map((name) => once(process, name, { signal: stop.signal })));
  stop.abort();
  clearInterval(alive);
}
