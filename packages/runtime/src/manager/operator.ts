/** An operator: several controllers over one connection, started and stopped in order. */
import type { StoredObject } from "@capstan/model";
import type { Api } from "../api.ts";
import { isSameResource } from "../apply/siblings.ts";
import type { Sibling } from "../apply/siblings.ts";
import { noUncached } from "../apply/uncached.ts";
import { Writer } from "../apply/writer.ts";
import type { Fence, Write } from "../apply/writer.ts";
import { Caches } from "../cache/caches.ts";
import { seededApi } from "../cache/snapshot.ts";
import type { Snapshot } from "../cache/snapshot.ts";
import type { WatchHealth } from "../cache/reflector.ts";
import { systemClock, systemRandom } from "../clock.ts";
import type { Clock, Random } from "../clock.ts";
import { RunningController } from "../controller.ts";
import type { Controller, WatchDeclaration } from "../define.ts";
import { RuntimeError } from "../errors.ts";
import { createLog, guardedLog } from "../log.ts";
import type { Log } from "../log.ts";
import { UserFailures } from "../trigger/user-failures.ts";
import type { UserFailure } from "../trigger/user-failures.ts";
import type { WatchTuning } from "../watch/states.ts";
import { cacheSettingsOf } from "./cache-settings.ts";
import { checkDefinition, isAlone } from "./definition.ts";
import { alwaysLeader, Election } from "../leader/election.ts";
import type { ElectionTuning } from "../leader/election.ts";
import { Recorder } from "../report/events.ts";
import type { EventNote } from "../report/events.ts";
import { History } from "../report/explain.ts";
import type { Previous } from "../inventory/previous.ts";
import type { ReconcileRecord } from "../report/explain.ts";
import { settingsFor, settingsOnDemand } from "../program/own-settings.ts";
import type { OwnSettings, SettingsSchema } from "../program/own-settings.ts";
import { identityOf } from "./identity.ts";
import type { PodOptions } from "./pod-options.ts";
import type { Identity } from "./identity.ts";
import { Inventory } from "../inventory/inventory.ts";
import { meteredApi } from "../metrics/metered-api.ts";
import type { MeterDeclaration } from "../meter-declaration.ts";
import { Meters } from "../metrics/meter.ts";
import { metersIn } from "../metrics/metric.ts";
import type { MetricOf } from "../metrics/metric.ts";
import { Registry } from "../metrics/registry.ts";
import type { RegistrationOptions } from "../webhook/registration.ts";
import type { RegisteredWebhooks } from "../inventory/registered-webhooks.ts";
import type { Tracer } from "../report/tracer.ts";
import { WatchLog } from "../report/watch-log.ts";

/**
 * The definition of an operator.
 *
 * @example
 * const definition: OperatorDefinition = { name: "memcached-operator", controllers: [memcached], namespaces: ["default"] };
 * operator(definition);
 */
export interface OperatorDefinition {
  /**
   * Its lease, field managers, finalizers and labels contain this name, so it never changes; after a rename the old name belongs in
   * `previous.names`. It must be unique in the cluster, also when joined with the names of its controllers: `a-b` with a controller `c`
   * has the same field manager as `a` with `b-c`.
   */
  readonly name: string;
  readonly controllers: readonly Controller[];
  /** Its version, such as `1.2.3`. Default: that of the program's package. CRDs that a later version has applied are not changed. */
  readonly version?: string;
  /** Namespaces to watch. Default: all of them, also if one of the names is empty. */
  readonly namespaces?: readonly string[];
  /**
   * Whether the pause annotation of a namespace pauses everything in it. Default: false, because the operator must then be allowed to
   * watch namespaces.
   */
  readonly pauseByNamespace?: boolean;
  /** Names and settings of its earlier versions. */
  readonly previous?: Previous;
  /**
   * Its own settings: each field is a flag (`--registry-url`) and an environment variable (`CAPSTAN_REGISTRY_URL`), and part of its
   * manifests. A reconcile reads them with `settings(schema)`. A text of the format `password` comes from a Secret.
   */
  readonly settings?: SettingsSchema;
  /** Its pods: replicas, resources, variables, volumes and more, for all generated manifests. */
  readonly pod?: PodOptions;
  /** The registration of its webhooks; the webhooks themselves are declared with its resources. */
  readonly webhooks?: Pick<RegistrationOptions, "failurePolicy" | "timeoutSeconds" | "paths">;
  /** What is billable of its objects: values of `meter` and `meter.events`. Their names must be unique in a cluster. */
  readonly meters?: readonly MeterDeclaration[];
}

/** Leader election between several replicas. */
export interface LeaderElection {
  readonly namespace: string;
  /** The identity of this replica; must differ between replicas. */
  readonly identity: string;
  readonly tuning?: ElectionTuning | undefined;
}

export interface StartOptions {
  readonly api: Api;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** Absent: this is the only replica. */
  readonly leaderElection?: LeaderElection | undefined;
  readonly namespaces?: readonly string[] | undefined;
  /** The operator's own namespace, for its inventory. Default: that of the lease. */
  readonly namespace?: string | undefined;
  /** The values of the operator's own settings; the others have their defaults. */
  readonly settings?: object | undefined;
  readonly watchTuning?: WatchTuning | undefined;
  /** The cache contents of a previous operator, so that this one need not list everything. */
  readonly seed?: Snapshot | undefined;
  /** Sends every write as a dry run. */
  readonly dryRun?: boolean;
  readonly onWrite?: ((controller: string, write: Write) => void) | undefined;
  /** Whether every error names the user's calling line, for tests; otherwise only repeated failures do. */
  readonly namesCalls?: boolean;
  /** Gets a span for each reconcile; it is compatible with OpenTelemetry's tracer. */
  readonly tracer?: Tracer | undefined;
  /** The reporting instance in events. */
  readonly instance?: string;
  /** Whether the creator of the API counts its requests; otherwise calls are counted here. */
  readonly isCounted?: boolean;
  /** The webhooks that this process has registered, if it runs in a cluster. */
  readonly hooks?: RegisteredWebhooks | undefined;
  /** The registry of its metrics. Default: an own registry. */
  readonly registry?: Registry;
}

interface ControllerSetup {
  readonly name: string;
  readonly identity: Identity;
  readonly pauseByNamespace: boolean;
  readonly isAlone: boolean;
  readonly siblings: readonly Sibling[];
  readonly options: StartOptions & { readonly clock: Clock; readonly random: Random };
  readonly meters: Meters;
  readonly metric: MetricOf;
}

/** A running operator. */
export class RunningOperator implements AsyncDisposable {
  readonly controllers: readonly RunningController[];
  readonly registry: Registry;
  readonly history: History;
  readonly #caches: Caches;
  readonly #cacheFailures: UserFailures;
  readonly #election: Election | undefined;
  readonly #inventory: Inventory | undefined;
  readonly #log: Log;
  readonly #clock: Clock;
  /** Read when they are first needed: a plan or a test may do without a setting that is required. */
  readonly #settings: () => OwnSettings | undefined;
  readonly #lost = Promise.withResolvers<unknown>();
  /** The preparation of the inventory, which only a leader does. */
  #prepared: Promise<void> | undefined;
  readonly #controllersByName: ReadonlyMap<string, RunningController>;
  #stopped: Promise<void> | undefined;

  constructor(definition: OperatorDefinition, options: StartOptions) {
    const { clock = systemClock, random = systemRandom } = options;
    this.registry = options.registry ?? new Registry();
    // A plan reads the history of every object and ends soon, so nothing is dropped.
    this.history = options.dryRun === true ? new History(Infinity) : new History();
    const metered = options.isCounted === true ? options.api : meteredApi(options.api, this.registry);
    const api = options.seed === undefined ? metered : seededApi(metered, options.seed);
    const { name } = definition;
    this.#clock = clock;
    this.#log = guardedLog(options.log ?? createLog({ clock }));
    const managers = new Set(definition.controllers.flatMap((each) => managersOf(definition, each)));
    checkDefinition(definition);
    this.#settings = settingsOnDemand(definition.settings, options.settings);
    this.#election =
      options.leaderElection &&
      new Election({
        ...options.leaderElection,
        api,
        clock,
        random,
        name,
        previousNames: definition.previous?.names,
        log: this.#log,
        annotations: () => this.#inventory?.annotations ?? {},
      });
    const watchLog = new WatchLog(this.#log);
    const meters = new Meters(this.registry);
    const onFailure = (what: string): void => meters.cacheFailed(what);
    this.#cacheFailures = new UserFailures({ controller: "cache", log: this.#log, onFailure });
    this.#caches = new Caches({
      api,
      clock,
      random,
      tuning: options.watchTuning,
      namespaces: options.namespaces ?? definition.namespaces,
      settings: cacheSettingsOf(definition.controllers),
      isOurManager: (manager) => managers.has(manager),
      onEvent: (of, event) => watchLog.note(of, event),
      callsOf: (kind) => this.#cacheFailures.calls(kind),
    });
    this.#inventory = this.#makeInventory(definition, { ...options, api });
    const metric = metersIn(this.registry);
    this.controllers = definition.controllers.map((controller) =>
      this.#make(controller, {
        name,
        identity: identityOf(definition, controller),
        pauseByNamespace: definition.pauseByNamespace ?? false,
        isAlone: isAlone(controller, definition.controllers),
        siblings: this.#siblingsOf(controller, definition),
        options: { ...options, api, clock, random },
        meters,
        metric,
      }),
    );
    this.#controllersByName = new Map(this.controllers.map((each) => [each.definition.name, each]));
    this.#exposeCaches(name);
    for (const controller of this.controllers) controller.warm();
    this.#election?.start();
    void this.#lead();
  }

  /** Resolves when every watch has its first list. */
  synced(): Promise<void> {
    return this.#caches.synced();
  }

  /** Resolves when this replica leads; at once if there is no leader election. */
  async elected(): Promise<void> {
    await this.#election?.elected;
  }

  /** Resolves with the reason when this replica has lost the lease: the process should end. */
  get lost(): Promise<unknown> {
    return this.#lost.promise;
  }

  /** The last reconciles of an object with their triggers and results, the latest last. */
  explain(controller: string, key: string): readonly ReconcileRecord[] {
    return this.history.of(controller, key);
  }

  /** Lets objects of another kind trigger objects of a controller, until the returned function is called. */
  watch(controller: string, declaration: WatchDeclaration): () => void {
    const running = this.#controllersByName.get(controller);
    if (running !== undefined) return running.watch(declaration);
    throw new RuntimeError("BadSetting", `There is no controller named "${controller}" here.`);
  }

  /** The number of functions that the caches call for changes and completed lists. */
  get listeners(): number {
    return this.#caches.listeners;
  }

  /** Enqueues one object by hand. */
  request(controller: string, key: string): void {
    this.#controllersByName.get(controller)?.request(key);
  }

  get isLeader(): boolean {
    return this.#election?.isLeader ?? true;
  }

  /** The cache contents, for the next operator. */
  snapshot(): Snapshot {
    return this.#caches.snapshot();
  }

  get health(): readonly WatchHealth[] {
    return this.#caches.health;
  }

  /**
   * User functions that map events to objects (`on`, maps, predicates, `fairnessKey`) or serve caches (transforms, indexes) and failed,
   * until they succeed for the same object.
   */
  get userFailures(): readonly UserFailure[] {
    return [...this.#cacheFailures.all, ...this.controllers.flatMap(({ userFailures }) => userFailures)];
  }

  /**
   * Watches these namespaces from now on. Resolves when the children in the other namespaces are known; until then they are not pruned. A
   * standby looks for them when it leads. A namespace that cannot be watched is reported in the log and in `health`; only its own objects
   * wait.
   */
  async setNamespaces(namespaces: readonly string[]): Promise<void> {
    this.#caches.setNamespaces(namespaces);
    if (this.#prepared === undefined) return;
    await this.#prepared;
    for (const [controller, owners] of (await this.#inventory?.refresh()) ?? [])
      this.#controllersByName.get(controller)?.requestOwners(owners);
  }

  /** Starts no new reconciles, waits for running ones (at most `grace` milliseconds), releases the lease and ends all watches. */
  stop(grace = 30_000): Promise<void> {
    this.#stopped ??= this.#stop(grace);
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Ends at once, without draining and without releasing the lease, like a process that is killed. For tests. */
  async kill(): Promise<void> {
    const reason = new RuntimeError("Stopping", "Ended the reconcile: the operator was killed.");
    for (const controller of this.controllers) controller.cut(reason);
    this.#stopped ??= Promise.resolve();
    await Promise.all([this.#election?.abandon(), this.#caches[Symbol.asyncDispose]()]);
  }

  async #stop(grace: number): Promise<void> {
    const cut = new AbortController();
    const reason = new RuntimeError("Stopping", "Ended the reconcile: the operator is stopping.");
    const timer = this.#clock.later(grace, () => cut.abort(reason));
    await Promise.all(this.controllers.map((controller) => controller.drain(cut.signal)));
    timer.cancel();
    await this.#election?.release();
    await this.#caches[Symbol.asyncDispose]();
  }

  /** A standby watches and fills its queues; when it is elected it starts to reconcile at once. */
  async #lead(): Promise<void> {
    const election = this.#election;
    election?.lost.addEventListener("abort", () => {
      for (const controller of this.controllers) controller.cut(election.lost.reason);
      this.#lost.resolve(election.lost.reason);
    });
    await election?.elected;
    this.#prepared = this.#inventory?.prepare() ?? Promise.resolve();
    await this.#prepared;
    if (this.#stopped !== undefined || election?.lost.aborted === true) return;
    for (const controller of this.controllers) controller.work();
  }

  #make(
    definition: Controller,
    { name, identity, pauseByNamespace, isAlone: alone, siblings, options, meters, metric }: ControllerSetup,
  ): RunningController {
    const { api, clock, random, dryRun = false, namesCalls = false, onWrite, tracer } = options;
    const { manager } = identity;
    const fence: Fence = this.#election ?? alwaysLeader;
    const caches = this.#caches;
    const log = this.#log;
    const writer = new Writer({ api, caches, fence, manager, dryRun });
    const instance = options.instance ?? options.leaderElection?.identity ?? name;
    const { kind } = definition;
    const reporter = definition.options.reporter ?? manager;
    const recorder = new Recorder({ writer, clock, log, controller: reporter, instance, kind });
    const onEvent = (object: StoredObject, note: EventNote): void => recorder.record(object, note);
    const meter = meters.of(definition.name, {
      concurrency: definition.options.concurrency,
      depth: () => controller.counts.ready,
      running: () => controller.running,
    });
    const controller: RunningController = new RunningController(definition, {
      ...identity,
      controller: definition.name,
      api,
      caches,
      clock,
      random,
      log,
      fence,
      dryRun,
      metric,
      settings: (schema) => settingsFor(this.#settings(), schema),
      pauseByNamespace,
      isAlone: alone,
      siblings,
      namesCalls,
      uncached: this.#inventory?.uncachedOf(definition.name) ?? noUncached,
      meter,
      tracer,
      onEvent,
      history: this.history,
      onWrite: onWrite && ((write) => onWrite(definition.name, write)),
    });
    return controller;
  }

  /** Other controllers of the same objects. */
  #siblingsOf(controller: Controller, definition: OperatorDefinition): readonly Sibling[] {
    const others = definition.controllers.filter(
      (other) => other !== controller && isSameResource(other.kind, controller.kind),
    );
    return others.map((other) => ({
      managers: managersOf(definition, other),
      owns: other.owns,
      finalizers: identityOf(definition, other).finalizers,
      uncached: this.#inventory?.uncachedOf(other.name) ?? noUncached,
    }));
  }

  #makeInventory(definition: OperatorDefinition, options: StartOptions): Inventory | undefined {
    const { api, dryRun = false, leaderElection, namespace = leaderElection?.namespace } = options;
    if (namespace === undefined) return undefined;
    const name = definition.name;
    const controllers = definition.controllers.map((controller) => ({
      name: controller.name,
      previousNames: controller.previousNames,
      managers: managersOf(definition, controller),
      of: controller.kind,
      owns: controller.owns,
    }));
    const fence = this.#election ?? alwaysLeader;
    return new Inventory({
      api,
      caches: this.#caches,
      fence,
      log: this.#log,
      place: { namespace, name },
      controllers,
      previous: definition.previous ?? {},
      hooks: options.hooks,
      dryRun,
    });
  }

  #exposeCaches(leaseName: string): void {
    const labels = ["kind", "namespace"];
    const objects = this.registry.gauge({ name: "capstan_cache_objects", help: "Objects in the cache", labels });
    const bytes = this.registry.gauge({ name: "capstan_cache_bytes", help: "Bytes that cached objects take", labels });
    const synced = this.registry.gauge({
      name: "capstan_watch_synced",
      help: "Whether a watch has a complete list",
      labels,
    });
    const failing = this.registry.gauge({
      name: "capstan_watch_failing",
      help: "Whether a watch has failed and not recovered",
      labels,
    });
    const over = this.registry.gauge({
      name: "capstan_cache_over_budget",
      help: "Whether a kind takes more bytes than it may",
      labels,
    });
    const leader = this.registry.gauge({
      name: "leader_election_master_status",
      help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.",
      labels: ["name"],
    });
    this.registry.onRead(() => {
      leader.set({ name: leaseName }, this.isLeader ? 1 : 0);
      for (const watch of this.health) {
        const series = { kind: watch.kind, namespace: watch.namespace ?? "" };
        objects.set(series, watch.objects);
        bytes.set(series, watch.bytes);
        synced.set(series, watch.isSynced ? 1 : 0);
        failing.set(series, watch.isFailing ? 1 : 0);
        over.set(series, watch.isOverBudget ? 1 : 0);
      }
    });
  }
}

/** The field manager of a controller, and its previous ones. */
function managersOf(definition: OperatorDefinition, controller: Controller): readonly string[] {
  const { manager, formerManagers } = identityOf(definition, controller);
  return [manager, ...formerManagers];
}
