/** `capstan meter serve`: reports, invoices and imports by HTTP, for tenants and admins. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type Client, createClient, loadConfig, processHost } from "@capstan/client";
import { noClassicObjects, readInvoices } from "@capstan/metering";
import { meteringOperator } from "@capstan/metering/controllers";
import { apiOf, createLog, systemClock } from "@capstan/runtime";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { type MeterValues, meterOptions, nowOf, openStore, openWriter, placeIn, readBook } from "../meter/options.ts";
import { audit } from "../meter/auditing.ts";
import type { Authenticator } from "../meter/serve/caller.ts";
import { addClusterObjects } from "../meter/serve/classic-objects.ts";
import { clusterAuthenticator } from "../meter/serve/cluster-callers.ts";
import { formatResult } from "../meter/serve/format-result.ts";
import { noSource, runSources } from "../meter/serve/run-sources.ts";
import { ServeMetrics } from "../meter/serve/serve-metrics.ts";
import { type Listening, startServer } from "../meter/serve/server.ts";
import type { Setting } from "../meter/serve/setting.ts";
import { readTokenFile } from "../meter/serve/token-file.ts";
import { addPath } from "./meter-classic-run.ts";
import { stopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";

/** Serves metering. */
export const meterServe: Command = defineCommand({
  describe:
    "Serves /metering/v1: report, coverage, meters, prices, invoices, usage and query; /healthz, /readyz and /metrics need no token. --import reads Prometheus at the prometheus.url of meters and, with a cluster, its API; --classic serves the paths of metering-operator to admins. Callers send a bearer token: of a --tokens file, or of the cluster, which decides with TokenReview and SubjectAccessReview. Tenants see what is theirs. Beyond loopback it needs a certificate, or --insecure.",
  options: {
    ...meterOptions,
    listen: { type: "text", value: "HOST:PORT", default: "127.0.0.1:8440", describe: "where; port 0 is any free one" },
    tokens: { type: "text", value: "FILE", describe: "callers as JSON: token, user, tenants, role" },
    kubeconfig: { type: "text", value: "FILE", describe: "the cluster that knows the callers" },
    "tls-cert": { type: "text", value: "FILE", describe: "serve HTTPS with this certificate (PEM)" },
    "tls-key": { type: "text", value: "FILE", describe: "its key (PEM)" },
    import: { type: "flag", describe: "import the sources of the book, too" },
    classic: { type: "flag", describe: "serve the paths of metering-operator, too" },
    file: {
      type: "list",
      short: "f",
      commas: "kept",
      value: "PATH",
      describe: "with --classic: files or folders of objects (else those of the cluster); may be repeated",
    },
    controllers: { type: "flag", describe: "serve Meter, PriceList, UsageReport and Invoice of the cluster, too" },
    "admin-namespace": {
      type: "list",
      value: "NAME",
      describe: "with --controllers: reports in this namespace show all tenants; may be repeated",
    },
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
    const book = await readBook(options, terminal);
    await using cluster = await openCluster(options, terminal);
    const setting = withClassic(settingOf(options, terminal), { options, terminal, cluster });
    const log = (line: string): void => terminal.err(`${line}\n`);
    const problem = options.import ? noSource(book, cluster !== undefined) : undefined;
    if (problem !== undefined) throw new CliError("BadInput", problem);
    const authenticator = await openCallers(options, { terminal, setting, cluster });
    await using server = await startServer({
      setting,
      authenticator,
      listening,
      atOnce: 2,
      log,
      onRefused: async ({ user, path, code }) => {
        terminal.err(`${code}: ${user === "" ? "a caller without a valid token" : JSON.stringify(user)} at ${path}\n`);
        // A caller without a valid token could fill the disk.
        if (user !== "") await setting.audit(user, [{ action: "refused", details: { path, code } }]);
      },
    });
    await using _controllers = options.controllers ? startControllers({ cluster, setting, options, log }) : undefined;
    await using _sources = options.import
      ? runSources({ setting, client: cluster, journal: await journalIn(terminal), log })
      : undefined;
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
  readonly import: boolean;
  readonly classic: boolean;
  readonly file: readonly string[];
  readonly controllers: boolean;
  readonly "admin-namespace": readonly string[];
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
    audit: (user, happenings) => audit(options, { terminal, happenings, user }),
    now: () => nowOf(options),
    metrics: new ServeMetrics(),
  };
}

/** The client of the cluster; undefined without one. */
async function openCluster({ kubeconfig }: Values, terminal: Terminal): Promise<Client | undefined> {
  const isInside = (terminal.env["KUBERNETES_SERVICE_HOST"] ?? "") !== "";
  if (kubeconfig === undefined && !isInside) return undefined;
  const path = kubeconfig === undefined ? undefined : placeIn(terminal, kubeconfig);
  return createClient(await loadConfig(processHost(), { kubeconfig: path }), { userAgent: "capstan-meter" });
}

interface Opened {
  readonly options: Values;
  readonly terminal: Terminal;
  readonly cluster: Client | undefined;
}

/** With --classic: the objects of files, else those of the cluster as they are now. */
function withClassic(setting: Setting, { options, terminal, cluster }: Opened): Setting {
  const { classic, file } = options;
  if (!classic) {
    if (file.length > 0) throw new CliError("Usage", "-f needs --classic: the objects of metering-operator");
    return setting;
  }
  if (file.length === 0 && cluster === undefined)
    throw new CliError("Usage", "--classic needs objects: give files with -f, or a cluster with --kubeconfig");
  return {
    ...setting,
    classic: async () => {
      const objects = noClassicObjects();
      for (const path of file) await addPath(objects, path, terminal);
      if (cluster !== undefined) await addClusterObjects(objects, cluster);
      return objects;
    },
  };
}

/** The journal that `import kubernetes` continues, too. */
async function journalIn(terminal: Terminal): Promise<string> {
  const path = placeIn(terminal, ".capstan/journal.ndjson");
  await mkdir(dirname(path), { recursive: true });
  return path;
}

async function openCallers(
  { tokens }: Values,
  { terminal, setting, cluster }: { terminal: Terminal; setting: Setting; cluster: Client | undefined },
): Promise<Authenticator> {
  if (tokens !== undefined) return readTokenFile(placeIn(terminal, tokens), tokens);
  if (cluster === undefined) {
    terminal.err("neither --tokens nor --kubeconfig is given: every request is refused with 401\n");
    return { callerOf: async () => undefined };
  }
  return clusterAuthenticator({
    create: (kind, object) => cluster.create(kind, object),
    list: async (kind) => Array.fromAsync(cluster.list(kind, {})),
    tenantLabel: async () => (await setting.book()).tenantLabel,
    now: () => performance.now(),
  });
}

interface Controlling {
  readonly cluster: Client | undefined;
  readonly setting: Setting;
  readonly options: Values;
  readonly log: (line: string) => void;
}

/** Runs the controllers of the kinds of metering. */
function startControllers({ cluster, setting, options, log }: Controlling): AsyncDisposable {
  if (cluster === undefined) throw new CliError("Usage", "--controllers needs a cluster: give --kubeconfig");
  const running = meteringOperator({
    openStore: setting.openStore,
    invoices: async () => {
      await using store = await setting.openStore();
      return await readInvoices(store);
    },
    now: setting.now,
    adminNamespaces: options["admin-namespace"],
    format: formatResult,
  });
  return running.start({ api: apiOf(cluster), log: createLog({ clock: systemClock, level: "info", write: log }) });
}
