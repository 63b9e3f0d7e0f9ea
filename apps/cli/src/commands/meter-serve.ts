/** `capstan meter serve`: reports, invoices and imports by HTTP, for tenants and admins. */
import { createClient, loadConfig, processHost } from "@capstan/client";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import {
  type MeterValues,
  meterOptions,
  nowOf,
  openStore,
  openWriter,
  placeIn,
  readBook,
  storeFolder,
} from "../meter/options.ts";
import { audit } from "../meter/auditing.ts";
import type { Authenticator } from "../meter/serve/caller.ts";
import { clusterAuthenticator } from "../meter/serve/cluster-callers.ts";
import { ServeMetrics } from "../meter/serve/serve-metrics.ts";
import { type Listening, startServer } from "../meter/serve/server.ts";
import type { Setting } from "../meter/serve/setting.ts";
import { readTokenFile } from "../meter/serve/token-file.ts";
import { stopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";

/** Serves metering. */
export const meterServe: Command = defineCommand({
  describe:
    "Serves /metering/v1: report, coverage, meters, prices, invoices, usage and query; /healthz, /readyz and /metrics need no token. Callers send a bearer token: of a --tokens file, or of the cluster, which decides with TokenReview and SubjectAccessReview. Tenants see what is theirs. Beyond loopback it needs a certificate, or --insecure.",
  options: {
    ...meterOptions,
    listen: { type: "text", value: "HOST:PORT", default: "127.0.0.1:8440", describe: "where; port 0 is any free one" },
    tokens: { type: "text", value: "FILE", describe: "callers as JSON: token, user, tenants, role" },
    kubeconfig: { type: "text", value: "FILE", describe: "the cluster that knows the callers" },
    "tls-cert": { type: "text", value: "FILE", describe: "serve HTTPS with this certificate (PEM)" },
    "tls-key": { type: "text", value: "FILE", describe: "its key (PEM)" },
    insecure: { type: "flag", describe: "allow HTTP on an address that others can reach" },
  },
  progress: "own",
  examples: [
    { line: "capstan meter serve --tokens tokens.json", does: "Serve on loopback, for the callers of a file" },
    {
      line: "capstan meter serve --listen 0.0.0.0:8440 --kubeconfig kubeconfig --tls-cert tls.crt --tls-key tls.key",
      does: "Serve the users of a cluster",
    },
  ],
  run: async ({ options, terminal }) => {
    const listening = listeningOf(options, terminal);
    await readBook(options, terminal);
    const setting = settingOf(options, terminal);
    await using callers = await openCallers(options, { terminal, setting });
    await using server = await startServer({
      setting,
      authenticator: callers.authenticator,
      listening,
      atOnce: 2,
      log: (line) => terminal.err(`${line}\n`),
      onRefused: async ({ user, path, code }) => {
        terminal.err(`${code}: ${user === "" ? "a caller without a valid token" : JSON.stringify(user)} at ${path}\n`);
        // A caller without a valid token could fill the disk.
        if (user !== "") await setting.audit(user, [{ action: "refused", details: { path, code } }]);
      },
    });
    terminal.out(`listening on ${server.url}\n`);
    await stopSignal();
  },
});

interface Values extends MeterValues {
  readonly listen: string;
  readonly tokens: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly "tls-cert": string | undefined;
  readonly "tls-key": string | undefined;
  readonly insecure: boolean;
}

const loopback = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

function listeningOf(options: Values, terminal: Terminal): Listening {
  const [, bracketed, plain, digits = ""] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(options.listen) ?? [];
  const host = bracketed ?? plain ?? "";
  const port = Number(digits);
  if (host === "" || port > 65_535)
    throw new CliError("Usage", `--listen ${JSON.stringify(options.listen)} must be HOST:PORT, such as 127.0.0.1:8440`);
  const { "tls-cert": cert, "tls-key": key } = options;
  if ((cert === undefined) !== (key === undefined))
    throw new CliError("Usage", "HTTPS needs both: --tls-cert and --tls-key");
  if (!loopback.test(host) && cert === undefined && !options.insecure)
    throw new CliError(
      "Usage",
      `--listen ${options.listen} can be reached by others; give --tls-cert and --tls-key, or say --insecure if that is meant`,
    );
  const tls =
    cert === undefined || key === undefined
      ? undefined
      : { cert: placeIn(terminal, cert), key: placeIn(terminal, key) };
  return { host, port, ...(tls !== undefined && { tls }) };
}

/** The setting of a server with these options. */
export function settingOf(options: MeterValues, terminal: Terminal): Setting {
  return {
    book: () => readBook(options, terminal),
    openStore: () => openStore(options, terminal),
    openWriter: () => openWriter(options, terminal, true),
    folder: storeFolder(options, terminal),
    audit: (user, happenings) => audit(options, { terminal, happenings, user }),
    now: () => nowOf(options),
    metrics: new ServeMetrics(),
  };
}

interface Callers extends AsyncDisposable {
  readonly authenticator: Authenticator;
}

async function openCallers(
  { tokens, kubeconfig }: Values,
  { terminal, setting }: { terminal: Terminal; setting: Setting },
): Promise<Callers> {
  const nothing = { [Symbol.asyncDispose]: async () => {} };
  if (tokens !== undefined) {
    if (kubeconfig !== undefined) throw new CliError("Usage", "give --tokens or --kubeconfig, not both");
    return { authenticator: await readTokenFile(placeIn(terminal, tokens), tokens), ...nothing };
  }
  const isInside = (terminal.env["KUBERNETES_SERVICE_HOST"] ?? "") !== "";
  if (kubeconfig === undefined && !isInside) {
    terminal.err("neither --tokens nor --kubeconfig is given: every request is refused with 401\n");
    return { authenticator: { callerOf: async () => undefined }, ...nothing };
  }
  const path = kubeconfig === undefined ? undefined : placeIn(terminal, kubeconfig);
  const client = createClient(await loadConfig(processHost(), { kubeconfig: path }), { userAgent: "capstan-meter" });
  const authenticator = clusterAuthenticator({
    create: (kind, object) => client.create(kind, object),
    list: async (kind) => Array.fromAsync(client.list(kind, {})),
    tenantLabel: async () => (await setting.book()).tenantLabel,
    now: () => performance.now(),
  });
  return { authenticator, [Symbol.asyncDispose]: () => client.close() };
}
