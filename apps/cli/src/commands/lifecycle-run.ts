/** `capstan lifecycle run`: the lifecycle manager in the foreground. */
import { resolve as resolvePath } from "node:path";
import { createClient, loadConfig, processHost } from "@capstan/client";
import { installBase, lifecycleManager } from "@capstan/lifecycle";
import { apiOf, createLog, systemClock } from "@capstan/runtime";
import { type Command, defineCommand } from "../command/define.ts";
import { openSetting } from "../lifecycle/manager.ts";
import { openCatalogPages } from "../lifecycle/serve-catalogs.ts";
import { openPackageServer, packageHost } from "../lifecycle/serve-packages.ts";
import { CliError } from "../errors.ts";
import { clusterOptions } from "../project/connect.ts";
import { stopSignal } from "../stop-signal.ts";

/** Runs the manager. */
export const lifecycleRun: Command = defineCommand({
  describe:
    "Installs or upgrades the CRDs and base objects of the Operator Lifecycle Manager, and then runs its controllers until it is stopped. It uses OLM's kinds, so existing catalogs, Subscriptions and dashboards work unchanged. Do not run it beside OLM itself on the same cluster.",
  options: {
    ...clusterOptions,
    namespace: {
      type: "text",
      value: "NAME",
      default: "olm",
      describe: "the manager's namespace, whose catalogs all namespaces may use",
    },
    "catalog-port": {
      type: "text",
      value: "PORT",
      default: "0",
      describe: "where ClusterCatalogs are served by HTTP; 0 takes any that is free",
    },
    "packages-host": {
      type: "text",
      value: "HOST",
      describe:
        "the name or address at which the API server reaches this manager, which serves PackageManifests; none to serve none (default: that of the pod, or of the machine if the API server runs on it too)",
    },
    "scoped-crds": {
      type: "text",
      value: "WHO",
      choices: ["account", "manager"],
      default: "account",
      describe:
        "whose permissions write the CRDs of an OperatorGroup with a service account: those of the account, or, as in OLM, those of the manager",
    },
    verbose: { type: "flag", describe: "log every reconcile" },
  },
  progress: "own",
  examples: [
    { line: "capstan lifecycle run --kubeconfig kubeconfig", does: "Manage the operators of a cluster until Ctrl-C" },
    { line: "capstan lifecycle run --namespace olm-system", does: "Offer the catalogs of another namespace to all" },
  ],
  run: async ({ options, terminal }) => {
    const began = performance.now();
    const log = createLog({
      clock: systemClock,
      level: options.verbose ? "debug" : "info",
      write: (line) => terminal.err(`${line}\n`),
    });
    const kubeconfig = options.kubeconfig === undefined ? undefined : resolvePath(terminal.cwd, options.kubeconfig);
    const config = await loadConfig(processHost(), { kubeconfig, context: options.context });
    await using client = createClient(config, { userAgent: "capstan-lifecycle" });
    const { namespace } = options;
    await using pages = await openCatalogPages(portOf(options["catalog-port"]));
    await using opened = openSetting({ client, config, namespace, catalogUrl: pages.url });
    const scopedCrds = options["scoped-crds"] === "manager" ? ("manager" as const) : ("account" as const);
    const setting = { ...opened.setting, scopedCrds };
    pages.serve(setting.catalogs);
    await installBase({ cluster: setting.cluster, clock: setting.clock, namespace });
    const host = options["packages-host"] ?? packageHost(config);
    await using packages = host === undefined || host === "none" ? undefined : await openPackageServer(host, setting);
    if (packages === undefined) log.info("PackageManifests are not served: --packages-host says where they would be");
    await using running = lifecycleManager(setting).start({ api: apiOf(client), log, namespace });
    log.info("the lifecycle manager runs", { server: config.cluster.server, controllers: running.controllers.length });
    terminal.err(
      `manages operators with the catalogs of ${namespace}, ready in ${secondsSince(began)} s; Ctrl-C stops it\n`,
    );
    await stopSignal();
  },
});

function secondsSince(began: number): string {
  return ((performance.now() - began) / 1000).toFixed(1);
}

const LAST_PORT = 65_535;

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= LAST_PORT) return port;
  throw new CliError("Usage", `--catalog-port must be a number up to ${LAST_PORT}, not ${JSON.stringify(text)}`);
}
