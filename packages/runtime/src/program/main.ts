/** Runs an operator as a program: reads its settings once, connects, starts its endpoints, and ends on a signal. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, realpath } from "node:fs/promises";
import { hostname } from "node:os";
import {
  ApiError,
  ConfigError,
  ConnectionError,
  createClient,
  formatRule,
  isApiError,
  loadConfig,
  processHost,
} from "@capstan/client";
import type { Client, ClusterConfig } from "@capstan/client";
import type { CustomResourceDefinition as Crd, Resource } from "@capstan/schema";
import type { Api } from "../api.ts";
import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { Snapshot } from "../cache/snapshot.ts";
import { apiOf } from "../client-api.ts";
import { RuntimeError } from "../errors.ts";
import { messageOf } from "../failure.ts";
import { createLog } from "../log.ts";
import type { Log } from "../log.ts";
import { installCrds } from "../crds/crds.ts";
import { clusterGuard, openGuard } from "./guard.ts";
import type { EndpointsOptions, Endpoints } from "./listen.ts";
import { RunningOperator } from "../manager/operator.ts";
import type { OperatorDefinition } from "../manager/operator.ts";
import { requestCounter } from "../metrics/metered-api.ts";
import { endProcess, outliveRejections, untilEnded } from "./process/main.ts";
import { packageVersion } from "./package-version.ts";
import { grantedRules, missingRules, neededRules } from "./permissions.ts";
import { resourcesAmong } from "../resource.ts";
import { needsWebhooks } from "../webhook/paths.ts";
import type { OperatorWebhooks } from "../webhook/webhooks.ts";
import { Registry } from "../metrics/registry.ts";
import { registeredWebhooks } from "../inventory/registered-webhooks.ts";
import type { RegisteredWebhooks } from "../inventory/registered-webhooks.ts";
import { formatHelp, readSettings, wantsHelp } from "./settings.ts";
import type { Settings } from "./settings.ts";

/**
 * Options of a run by another program, such as one that restarts it when its sources change.
 *
 * @example
 * const options: RunOptions = { namesCalls: true, onStart: () => console.log("started") };
 * await app.run(options);
 */
export interface RunOptions {
  /** The cache contents of the previous program. */
  readonly seed?: Snapshot | undefined;
  /** Whether every error names the user's calling line, for development; otherwise only repeated failures do. */
  readonly namesCalls?: boolean;
  /**
   * Whether the API server surely reaches this machine's loopback address, as an embedded one does: requests then fail if a webhook fails,
   * as in a deployed operator. Otherwise they are accepted.
   */
  readonly isReachable?: boolean;
  /** Called when the program stops, with the cache contents for the next one. */
  readonly onStop?: ((known: Snapshot) => Promise<void> | void) | undefined;
  /** Called when the operator runs. */
  readonly onStart?: ((operator: RunningOperator) => void) | undefined;
  /**
   * Called with an error that the user can fix and that ended the program. Default: it is written to standard error, and the exit code is
   * 1.
   */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/**
 * Runs until SIGTERM or SIGINT, or until the lease is lost; the exit code says which. An error that the user can fix is printed as one
 * sentence. The process ends soon after, whatever timers the program has left.
 */
export async function runOperator(definition: OperatorDefinition, options: RunOptions = {}): Promise<void> {
  const args = process.argv.slice(2);
  if (wantsHelp(args)) {
    process.stdout.write(formatHelp(definition.name, definition.settings));
    return;
  }
  try {
    await run(definition, args, options);
  } catch (error) {
    if (!isForUsers(error)) throw error;
    if (options.onFailure !== undefined) return options.onFailure(error);
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
  endProcess();
}

async function run(definition: OperatorDefinition, args: readonly string[], options: RunOptions): Promise<void> {
  const clock = systemClock;
  const settings = await readSettings({
    args,
    env: process.env,
    readFile: (path) => readFile(path, "utf8"),
    schema: definition.settings,
  });
  const log = createLog({ clock, level: settings.logLevel });
  using _ = outliveRejections(log);
  const config = await loadConfig(processHost(), { kubeconfig: settings.kubeconfig, context: settings.context });
  const registry = new Registry();
  await using client = createClient(config, {
    onSent: requestCounter(registry, new URL(config.cluster.server).host),
    userAgent: definition.name,
    onWarning: ({ text }) => log.warn(`the server warns: ${text}`),
  });
  const api = apiOf(client);
  const version = definition.version ?? (await versionOfProgram());
  const program: Program = { definition, version, settings, config, api, clock, log, registry };
  await using webhooks = await openProgramWebhooks(program, options.isReachable ?? false);
  await prepareCrds(program, webhooks);
  await webhooks?.register();
  await using recording = await openRecording(program);
  await using operator = new RunningOperator(definition, {
    api: recording.api,
    clock,
    log,
    registry,
    seed: options.seed,
    namesCalls: options.namesCalls ?? false,
    settings: settings.own?.values,
    hooks: registeredWebhooksOf(program),
    isCounted: true,
    instance: hostname(),
    namespace: settings.leaderElectionNamespace ?? config.namespace,
    leaderElection: electionOf(settings, config.namespace),
    ...(settings.namespaces.length === 0 ? {} : { namespaces: settings.namespaces }),
  });
  await using endpoints = await openProgramEndpoints({
    operator,
    settings,
    log,
    guard: settings.metricsSecure ? clusterGuard(api, clock) : openGuard,
  });
  void tellMissingRights(program);
  void tellOldServer(client, log);
  // Listens for signals before it logs the start: a reader of the log may stop the program at once.
  const ended = untilEnded({ lost: operator.lost, gracePeriod: settings.gracePeriod, log });
  log.info("started", {
    version,
    controllers: definition.controllers.map(({ name }) => name),
    endpoints: endpoints.addresses,
  });
  options.onStart?.(operator);
  const end = await ended;
  await options.onStop?.(operator.snapshot());
  await operator.stop(end === "lost" ? 0 : settings.gracePeriod);
  await webhooks?.leave();
  log.info("stopped");
}

/** The parts of a run. */
interface Program {
  readonly definition: OperatorDefinition;
  readonly version: string | undefined;
  readonly settings: Settings;
  readonly config: ClusterConfig;
  readonly api: Api;
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
}

/** Errors with a message for users; any other error is a bug and is printed with its stack. */
function isForUsers(error: unknown): boolean {
  const isSystem = error instanceof Error && "syscall" in error;
  return (
    isSystem ||
    error instanceof RuntimeError ||
    error instanceof ConfigError ||
    error instanceof ApiError ||
    error instanceof ConnectionError
  );
}

const UNENFORCED =
  "webhooks are not enforced: the API server accepts a request if it cannot reach them or they fail (failurePolicy: Ignore)";

async function openProgramWebhooks(program: Program, isReachable: boolean): Promise<OperatorWebhooks | undefined> {
  const { definition, settings, config, log } = program;
  const resources = resourcesAmong(definition.controllers.map(({ kind }) => kind));
  if (!needsWebhooks(resources)) return undefined;
  const { namespace } = config;
  const [{ openWebhooks }, { placeOf, endpointAt }] = await Promise.all([
    import("../webhook/webhooks.ts"),
    import("../webhook/where.ts"),
  ]);
  const place = placeOf({
    address: settings.webhookAddress,
    url: settings.webhookUrl,
    isRegisteredByOthers: settings.webhookCertDir !== undefined,
    service: settings.webhookService ?? `${definition.name}-webhook`,
    namespace,
    isInCluster: config.name === "in-cluster",
    server: config.cluster.server,
  });
  if (place.listen === undefined) {
    log.warn(`there are no webhooks: ${place.why}`);
    return undefined;
  }
  const endpoint = endpointAt(place);
  if (settings.webhookCertDir !== undefined) {
    const { openFolderWebhooks } = await import("../webhook/folder.ts");
    return openFolderWebhooks({
      ...program,
      resources,
      endpoint,
      folder: settings.webhookCertDir,
      paths: definition.webhooks?.paths,
    });
  }
  const namespaces = settings.namespaces.length > 0 ? settings.namespaces : definition.namespaces;
  const failurePolicy = isReachable ? "Fail" : place.failurePolicy;
  const options = { failurePolicy, ...definition.webhooks, namespaces, namespace, resources };
  if (options.failurePolicy === "Ignore") log.info(UNENFORCED);
  return openWebhooks({ ...program, ...options, name: definition.name, endpoint });
}

/** An operator outside the cluster must not remove the webhook registrations of one inside, nor those of an installer. */
function registeredWebhooksOf({
  definition,
  version,
  settings,
  config,
  api,
  log,
}: Program): RegisteredWebhooks | undefined {
  if (config.name !== "in-cluster" || settings.webhookCertDir !== undefined) return undefined;
  const resources = resourcesAmong(definition.controllers.map(({ kind }) => kind));
  return registeredWebhooks({ api, name: definition.name, previous: definition.previous, version, log }, resources);
}

/** Unless it is explicitly requested, an operator without rights on CRDs uses the installed ones. */
async function prepareCrds(program: Program, webhooks: OperatorWebhooks | undefined): Promise<void> {
  const { definition, version, settings, api, clock, log } = program;
  if (settings.installCrds === "never") return;
  const complete = webhooks && ((crd: Crd, resource: Resource): Crd => webhooks.completeCrd(crd, resource));
  const backwards = settings.installCrds === "by force";
  try {
    const manager = definition.name;
    await installCrds(definition.controllers, { api, clock, manager, version, backwards, log, complete });
  } catch (error) {
    if (settings.installCrds !== "if allowed" || !isApiError(error, "Forbidden")) throw error;
    log.info("uses the CRDs that are installed: it has no rights on CRDs, and needs none where others install them");
  }
}

/** The version of the program's package, with symbolic links resolved; undefined if there is none. */
async function versionOfProgram(): Promise<string | undefined> {
  const [, program] = process.argv;
  if (program === undefined) return undefined;
  const file = await realpath(program).catch(() => program);
  return await packageVersion(file, (path) => readFile(path, "utf8"));
}

/** Logs at the start which permissions are missing; a failure of this check is not reported. */
async function tellMissingRights({ definition, settings, config, api, log }: Program): Promise<void> {
  const [namespace = config.namespace] = settings.namespaces;
  const granted = await grantedRules(api, namespace).catch(() => undefined);
  const missing = granted === undefined ? [] : missingRules(neededRules(definition), granted);
  if (missing.length === 0) return;
  log.warn(`rights are missing; add these rules to the operator's role:\n${missing.map(formatRule).join("\n")}`);
}

/** Every write of a child is a server-side apply, which is stable since this version. */
const OLDEST_SERVER = "1.22";

/** Missing features of an old server fail later with its own errors; a warning at the start names the cause. */
async function tellOldServer(client: Client, log: Log): Promise<void> {
  await client.requireVersion(OLDEST_SERVER).catch((error: unknown) => {
    if (isApiError(error, "WrongVersion")) log.warn(error.message);
  });
}

function electionOf(settings: Settings, namespace: string) {
  if (!settings.leaderElect) return undefined;
  return { namespace: settings.leaderElectionNamespace ?? namespace, identity: `${hostname()}_${randomUUID()}` };
}

/** Records the watch events while the operator runs, if a path is set. */
async function openRecording({ settings, api, clock, log }: Program): Promise<AsyncDisposable & { readonly api: Api }> {
  const path = settings.recordWatches;
  if (path === undefined) return { api, [Symbol.asyncDispose]: async () => {} };
  const [{ recordingApi }, { createWriteStream }] = await Promise.all([import("./recording.ts"), import("node:fs")]);
  const file = createWriteStream(path, { mode: 0o600 });
  await once(file, "open");
  file.on("error", (error) => log.error(`the recording of watches ends: ${messageOf(error)}`));
  return {
    api: recordingApi(api, { clock, write: (line) => void file.write(`${line}\n`) }),
    [Symbol.asyncDispose]: () => new Promise((resolve) => file.end(() => resolve())),
  };
}

/** Servers are loaded only if an address is set: loading them costs more than the whole start of an operator. */
async function openProgramEndpoints(options: EndpointsOptions): Promise<Endpoints> {
  const { healthAddress, metricsAddress } = options.settings;
  if (healthAddress === "" && metricsAddress === "") return { addresses: [], [Symbol.asyncDispose]: async () => {} };
  const { openEndpoints } = await import("./listen.ts");
  return openEndpoints(options);
}
