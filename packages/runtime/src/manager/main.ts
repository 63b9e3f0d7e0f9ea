/** Runs an operator as a program: reads its settings once, connects, opens its doors, and ends when the process is told to. */
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
import { installCrds } from "./crds.ts";
import { clusterGuard, openGuard } from "./guard.ts";
import type { DoorOptions, OpenDoors } from "./listen.ts";
import { RunningOperator } from "./operator.ts";
import type { OperatorDefinition } from "./operator.ts";
import { requestCounter } from "./metered-api.ts";
import { endProcess, outliveRejections, untilTold } from "./process/main.ts";
import { packageVersion } from "./package-version.ts";
import { grantedRules, missingRules, neededRules } from "./permissions.ts";
import { resourcesAmong } from "../resource.ts";
import { needsWebhooks } from "../webhook/paths.ts";
import type { OperatorWebhooks } from "../webhook/webhooks.ts";
import { Registry } from "./registry.ts";
import { toldHooks } from "./told-hooks.ts";
import type { ToldHooks } from "./told-hooks.ts";
import { formatHelp, readSettings, wantsHelp } from "./settings.ts";
import type { Settings } from "./settings.ts";

/**
 * How a program is run by another, such as one that replaces it when its sources change.
 *
 * @example
 * const options: RunOptions = { namesCalls: true, onStart: () => console.log("started") };
 * await app.run(options);
 */
export interface RunOptions {
  /** What the program before this one knew. */
  readonly seed?: Snapshot | undefined;
  /** Whether every error names the line that called for what failed, as whoever writes the program wants it; otherwise those of repeated failures do. */
  readonly namesCalls?: boolean;
  /** Is told, when the program is to stop, what the next one need not ask again. */
  readonly onStop?: ((known: Snapshot) => Promise<void> | void) | undefined;
  /** Is told when the operator runs. */
  readonly onStart?: ((operator: RunningOperator) => void) | undefined;
  /** Is told what the user can mend and ended the program; without it, standard error is, and the exit code is 1. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/**
 * Runs until SIGTERM or SIGINT, or until the lease is lost; the exit code says which. What the user can mend is told in a sentence. The
 * process ends soon after, whatever timers the program has left.
 */
export async function runOperator(definition: OperatorDefinition, options: RunOptions = {}): Promise<void> {
  const args = process.argv.slice(2);
  if (wantsHelp(args)) {
    process.stdout.write(formatHelp(definition.name));
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
  const settings = await readSettings({ args, env: process.env, readFile: (path) => readFile(path, "utf8") });
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
  await using webhooks = await openProgramWebhooks(program);
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
    hooks: toldHooksOf(program),
    isCounted: true,
    instance: hostname(),
    namespace: settings.leaderElectionNamespace ?? config.namespace,
    leaderElection: electionOf(settings, config.namespace),
    ...(settings.namespaces.length === 0 ? {} : { namespaces: settings.namespaces }),
  });
  await using doors = await openProgramDoors({
    operator,
    settings,
    log,
    guard: settings.metricsSecure ? clusterGuard(api, clock) : openGuard,
  });
  void tellMissingRights(program);
  void tellOldServer(client, log);
  // Whoever reads that it has started may tell it to stop.
  const ended = untilTold({ lost: operator.lost, gracePeriod: settings.gracePeriod, log });
  log.info("started", { version, controllers: definition.controllers.map(({ name }) => name), doors: doors.addresses });
  options.onStart?.(operator);
  const end = await ended;
  await options.onStop?.(operator.snapshot());
  await operator.stop(end === "lost" ? 0 : settings.gracePeriod);
  await webhooks?.leave();
  log.info("stopped");
}

/** Everything that a run is made of. */
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

/** Errors whose sentence says what to do; anything else is a bug, of which the stack is wanted. */
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

async function openProgramWebhooks(program: Program): Promise<OperatorWebhooks | undefined> {
  const { definition, settings, config, log } = program;
  const resources = resourcesAmong(definition.controllers.map(({ kind }) => kind));
  if (!needsWebhooks(resources)) return undefined;
  const { namespace } = config;
  const [{ openWebhooks }, { placeOf, doorAt }] = await Promise.all([
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
  const door = doorAt(place);
  if (settings.webhookCertDir !== undefined) {
    const { openFolderWebhooks } = await import("../webhook/folder.ts");
    return openFolderWebhooks({
      ...program,
      resources,
      door,
      folder: settings.webhookCertDir,
      paths: definition.webhooks?.paths,
    });
  }
  const namespaces = settings.namespaces.length > 0 ? settings.namespaces : definition.namespaces;
  const { failurePolicy } = place;
  const options = { failurePolicy, ...definition.webhooks, namespaces, namespace, resources };
  return openWebhooks({ ...program, ...options, name: definition.name, door });
}

/** Who works on an operator outside of the cluster must not take away what one in it answers for; nor what an installer registers. */
function toldHooksOf({ definition, version, settings, config, api, log }: Program): ToldHooks | undefined {
  if (config.name !== "in-cluster" || settings.webhookCertDir !== undefined) return undefined;
  const resources = resourcesAmong(definition.controllers.map(({ kind }) => kind));
  return toldHooks({ api, name: definition.name, previous: definition.previous, version, log }, resources);
}

/** Unless it was asked for, an operator that may not touch CRDs takes them as somebody else has installed them. */
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

/** That of the package which the program belongs to, wherever links lead; undefined where there is none. */
async function versionOfProgram(): Promise<string | undefined> {
  const [, program] = process.argv;
  if (program === undefined) return undefined;
  const file = await realpath(program).catch(() => program);
  return await packageVersion(file, (path) => readFile(path, "utf8"));
}

/** Says at the start what would fail later; that it cannot be found out is no reason to worry anybody. */
async function tellMissingRights({ definition, settings, config, api, log }: Program): Promise<void> {
  const [namespace = config.namespace] = settings.namespaces;
  const granted = await grantedRules(api, namespace).catch(() => undefined);
  const missing = granted === undefined ? [] : missingRules(neededRules(definition), granted);
  if (missing.length === 0) return;
  log.warn(`rights are missing; add these rules to the operator's role:\n${missing.map(formatRule).join("\n")}`);
}

/** Server-side apply, which every write of a child is, has been there for everybody since then. */
const OLDEST_SERVER = "1.22";

/** What an old server cannot do fails later in its own words; that it is old is worth saying first. */
async function tellOldServer(client: Client, log: Log): Promise<void> {
  await client.requireVersion(OLDEST_SERVER).catch((error: unknown) => {
    if (isApiError(error, "WrongVersion")) log.warn(error.message);
  });
}

function electionOf(settings: Settings, namespace: string) {
  if (!settings.leaderElect) return undefined;
  return { namespace: settings.leaderElectionNamespace ?? namespace, identity: `${hostname()}_${randomUUID()}` };
}

/** Where somebody wants it, what watches tell is written down while the operator runs. */
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

/** Servers are loaded only where an address is set: they cost more than everything that an operator does at its start. */
async function openProgramDoors(options: DoorOptions): Promise<OpenDoors> {
  const { healthAddress, metricsAddress } = options.settings;
  if (healthAddress === "" && metricsAddress === "") return { addresses: [], [Symbol.asyncDispose]: async () => {} };
  const { openDoors } = await import("./listen.ts");
  return openDoors(options);
}
