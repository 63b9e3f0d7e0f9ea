/** An operator in its own test world: an API server in process, time that only the test advances, and faults on demand. */
import { createClient, inProcess, noRetry, processHost } from "@capstan/client";
import { apiVersionOf } from "@capstan/model";
import type { ApplyOf, Kind, ObjectOf, StoredObject } from "@capstan/model";
import type { CustomResourceDefinition as Crd, Resource } from "@capstan/schema";
import { isApiError } from "@capstan/client";
import type { AnyKind, Api } from "../api.ts";
import type { Write } from "../apply/writer.ts";
import { apiOf } from "../client-api.ts";
import { RuntimeError, toMilliseconds } from "../errors.ts";
import type { Duration } from "../errors.ts";
import { silentLog } from "../log.ts";
import { installCrds } from "../crds/crds.ts";
import { Lease } from "../leader/lease.ts";
import type { RunningOperator } from "../manager/operator.ts";
import type { Operator } from "../operator.ts";
import type { DesiredOf, Reference } from "../reconcile/context.ts";
import type { Webhooks } from "../webhook/webhooks.ts";
import { errors, faultyApi, outliving } from "./faulty-api.ts";
import type { Call, Fault } from "./faulty-api.ts";
import { VirtualClock } from "./clock.ts";
import { seededRandom } from "./randomness.ts";
import { failedIn, isReconciling, restlessSince } from "./failures.ts";
import type { FailedObject } from "./failures.ts";
import { collectGarbage } from "./garbage.ts";
import { openInProcess } from "./in-process-webhooks.ts";
import { Actions } from "./actions.ts";
import type { TestOptions, TestServer } from "./options.ts";
import { metadataOf } from "./place.ts";
import { restless, stillFailing, tooHasty } from "./unsettled.ts";
import { whileTimePasses } from "./while-time-passes.ts";
import { identityOn } from "./world-identity.ts";

/** The apply configuration of the status of a kind. */
type StatusOf<K extends Kind> = ApplyOf<K> extends { readonly status?: infer S } ? NonNullable<S> : object;

/** How long `settle` waits before it fails, in virtual milliseconds. */
const PATIENCE = 3_600_000;
/** How long nothing may be due in a settled world, in virtual milliseconds. */
const CALM = 10_000;
const STEP = 1_000;
/** An object that requeues at once for so long does not settle: an hour of it would take minutes of real time. */
const RESTLESS = 60_000;

/** The fault of every call of a dead operator. */
const DEAD: Fault = { fault: "refuse", error: errors.connectionLost() };

/**
 * Starts an operator on a server and installs the CRDs of its resources. A function makes the operator again for each start, so that a
 * crash loses what it keeps in memory.
 */
export async function testOperator(
  operator: Operator | (() => Operator),
  server: TestServer,
  options: TestOptions = {},
): Promise<TestWorld> {
  const world = new TestWorld(operator, server, options);
  await world.start();
  return world;
}

/**
 * A running operator and the actions of a test on it.
 *
 * @example
 * const createCache = async (world: TestWorld) => {
 *   await world.apply(Memcached, "cache", { spec: { size: 3 } });
 *   await world.settle();
 * };
 */
export class TestWorld implements AsyncDisposable {
  readonly clock: VirtualClock;
  /** The operator's writes, in order. */
  readonly writes: (Write & { readonly controller: string })[] = [];
  #operator: Operator;
  readonly #make: () => Operator;
  readonly #options: TestOptions;
  readonly #random: () => number;
  readonly #begun: number;
  readonly #api: Api;
  readonly #faults = new Set<(call: Call) => Fault | undefined>();
  readonly #serveWebhooks: TestServer["serveWebhooks"];
  #webhooks: Webhooks | undefined;
  #running: RunningOperator | undefined;
  readonly #identity: string;
  /** The life of the running operator: from a start until a crash. */
  #life = { isOver: false };
  #serial = 0;
  #calls = 0;
  readonly #actions = new Actions();
  /** The time at which the last delayed write arrives at the server. */
  #arrival = 0;

  constructor(operator: Operator | (() => Operator), server: TestServer, options: TestOptions) {
    this.#make = typeof operator === "function" ? operator : () => operator;
    this.#operator = this.#make();
    this.#options = options;
    this.#random = options.random ?? (options.seed === undefined ? () => 0.5 : seededRandom(options.seed));
    this.clock = options.clock ?? new VirtualClock();
    this.#begun = this.clock.wall();
    this.#serveWebhooks = server.serveWebhooks;
    this.#api = "api" in server ? server.api : this.#connect(server.fetch);
    this.#identity = identityOn("api" in server ? server.api : server.fetch, this.#operator.definition.name);
  }

  #connect(fetch: (request: Request) => Promise<Response>): Api {
    const host = { ...processHost(), clock: this.clock, random: this.#random };
    return apiOf(createClient(inProcess(fetch), { host, retry: noRetry }));
  }

  /** The running operator. */
  get running(): RunningOperator {
    if (this.#running === undefined)
      throw new RuntimeError("Stopping", "The operator does not run: call restart() first.");
    return this.#running;
  }

  async start(): Promise<void> {
    const { controllers } = this.#operator.definition;
    const { log = silentLog } = this.#options;
    const place = { api: this.#api, clock: this.clock, log, serve: this.#serveWebhooks };
    const webhooks = await this.#while(openInProcess(this.#operator.definition, place));
    const complete = webhooks && ((crd: Crd, resource: Resource): Crd => webhooks.completeCrd(crd, resource));
    // A cluster may still have the CRD of another test.
    const how = { manager: "test", backwards: true, complete };
    await this.#while(installCrds(controllers, { api: this.#api, clock: this.clock, ...how }));
    if (webhooks !== undefined) await this.#while(webhooks.register());
    this.#webhooks = webhooks;
    this.restart();
  }

  /** Whether the operator runs. */
  get isStarted(): boolean {
    return this.#running !== undefined;
  }

  /** The number of writes that the operator has tried: Events and failed ones are included, those of the lease are not. */
  get attempts(): number {
    return this.#calls;
  }

  /** The number of writes of the test itself. */
  get actions(): number {
    return this.#actions.count;
  }

  /** The wall-clock times between which this world has existed. */
  get span(): { readonly from: number; readonly to: number } {
    return { from: this.#begun, to: this.clock.wall() };
  }

  /** Starts the operator, for instance after a crash. An operator that was passed as a function is made again. */
  restart(): void {
    const { log = silentLog, namespace = "default", settings } = this.#options;
    if (this.#serial > 0) this.#operator = this.#make();
    const life = { isOver: false };
    this.#life = life;
    const api = faultyApi(this.#api, this.clock, (call) =>
      life.isOver ? DEAD : outliving(this.#fault(call), () => life.isOver),
    );
    this.#running = this.#operator.start({
      api,
      clock: this.clock,
      random: this.#random,
      log,
      leaderElection: { namespace, identity: `${this.#identity}-${++this.#serial}` },
      namesCalls: true,
      settings,
      onWrite: (controller, write) => this.writes.push({ ...write, controller }),
    });
  }

  /** Kills the operator: nothing is drained, the lease is not released. */
  async crash(): Promise<void> {
    await this.#while(this.#die());
  }

  /** Code of a dead process that still runs in this one reaches no server. */
  #die(): Promise<void> {
    const died = this.running;
    this.#running = undefined;
    this.#life.isOver = true;
    return died.kill();
  }

  /**
   * Lets virtual time pass until nothing moves: no reconcile runs or is due soon, and nothing was written. Rejects if the last reconcile
   * of an object has failed, so that a test of a broken operator does not pass; a test of failures uses `settle({ failures: "expected"
   * })`.
   */
  async settle({ failures = this.#options.failures }: Pick<TestOptions, "failures"> = {}): Promise<void> {
    const end = this.clock.now() + PATIENCE;
    let steps = 0;
    let busy = 0;
    let hastyFor = 0;
    for (let calm = 0; calm < CALM; steps++) {
      const before = this.#activity;
      await this.clock.advance(STEP);
      const hasty = restlessSince(this.#running?.history ?? [], this.clock.wall() - STEP);
      hastyFor = hasty === undefined ? 0 : hastyFor + STEP;
      if (hasty !== undefined && hastyFor > RESTLESS) throw tooHasty(hasty);
      if (isReconciling(this.#running)) busy++;
      calm = this.#activity === before && this.#isIdle() ? calm + STEP : 0;
      if (this.clock.now() > end) throw restless(this.#running, busy * 2 > steps);
    }
    const failed = this.failures;
    if (failures !== "expected" && failed.length > 0) throw stillFailing(failed);
  }

  /** Objects with a failed last reconcile, and why: look here first when a test fails. */
  get failures(): readonly FailedObject[] {
    return failedIn(this.#running?.history ?? []);
  }

  /** Lets virtual time pass until an assertion holds, an hour or `within` at most; returns its result. For operators that never settle. */
  async eventually<T>(check: () => T | Promise<T>, within: Duration = PATIENCE): Promise<T> {
    for (const end = this.clock.now() + toMilliseconds(within); ; await this.clock.advance(STEP)) {
      try {
        return await check();
      } catch (error) {
        if (this.clock.now() >= end) throw error;
      }
    }
  }

  /** Lets time pass. */
  async advance(duration: Duration): Promise<void> {
    await this.clock.advance(toMilliseconds(duration));
  }

  /** Applies an object as a user would. */
  async apply<K extends Kind>(kind: K, reference: Reference, desired: DesiredOf<K>): Promise<ObjectOf<K>> {
    const own = desired as { readonly metadata?: object };
    const metadata = { ...own.metadata, ...this.#metadataOf(kind, reference) };
    const object = { ...own, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
    const stored = await this.#act(() => this.#api.apply(kind, object, { manager: "user", force: true }));
    // The server returns an object of the requested kind.
    return stored as unknown as ObjectOf<K>;
  }

  /** Applies the status of an object, as the kubelet or a controller of the cluster would. */
  async applyStatus<K extends Kind>(kind: K, reference: Reference, status: StatusOf<K>): Promise<void> {
    const metadata = this.#metadataOf(kind, reference);
    const object = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, status };
    const how = { manager: "cluster", force: true, subresource: "status" } as const;
    await this.#act(() => this.#api.apply(kind, object, how));
  }

  /** Reads an object from the server. */
  async get<K extends Kind>(kind: K, reference: Reference): Promise<ObjectOf<K> | undefined> {
    const found = this.#api
      .get(kind, { namespace: "", ...this.#metadataOf(kind, reference) })
      .catch((error: unknown) => {
        if (isApiError(error, "NotFound")) return undefined;
        throw error;
      });
    return (await this.#while(found)) as ObjectOf<K> | undefined;
  }

  /** Reads all objects of a kind from the server. */
  async list<K extends Kind>(kind: K): Promise<readonly ObjectOf<K>[]> {
    const { items } = await this.#while(this.#api.list(kind, {}));
    return items as readonly StoredObject[] as unknown as readonly ObjectOf<K>[];
  }

  /** Deletes an object as a user would. */
  async delete(kind: AnyKind, reference: Reference): Promise<void> {
    await this.#act(() => this.#api.delete(kind, { namespace: "", ...this.#metadataOf(kind, reference) }, {}));
  }

  /** Deletes children whose owners do not exist, as the garbage collector of a cluster does. Only kinds of the operator count. */
  async collectGarbage(): Promise<void> {
    await this.#while(collectGarbage(this.#api, this.#operator.definition));
  }

  /** Decides on the fault of each call of the operator, until the returned function is called. */
  inject(decide: (call: Call) => Fault | undefined): () => void {
    this.#faults.add(decide);
    return () => this.#faults.delete(decide);
  }

  /** Decides on the fault of the nth write from now on, when it is made; writes of the lease do not count. */
  disturbWrite(nth: number, fault: () => Fault): void {
    let left = nth;
    const end = this.inject((call) => {
      if (!call.isWrite || call.kind.kind === "Lease" || --left > 0) return undefined;
      end();
      return fault();
    });
  }

  /** Makes the nth write from now on fail; writes of the lease do not count. */
  failWrite(nth: number, error: Error = errors.internal()): void {
    this.disturbWrite(nth, () => ({ fault: "refuse", error }));
  }

  /** Executes the nth write and loses its response. */
  loseAnswer(nth: number): void {
    this.disturbWrite(nth, () => ({ fault: "lose the answer" }));
  }

  /**
   * Kills the operator right before its nth write from now on, and restarts it. Events count, writes of the lease do not. `onCrash` is
   * called when it happens.
   */
  crashBeforeWrite(nth: number, onCrash?: () => void): void {
    this.#crashAtWrite(nth, { fault: "refuse", error: errors.connectionLost() }, onCrash);
  }

  /** The same right after the write: the server executes it, and the operator does nothing more. */
  crashAfterWrite(nth: number, onCrash?: () => void): void {
    this.#crashAtWrite(nth, { fault: "delay", by: 0 }, onCrash);
  }

  /** Kills the operator before the nth action of the test from now on, and restarts it afterwards: it sees the result, but no event. */
  beDownDuringAction(nth: number, onCrash?: () => void): void {
    this.#actions.before(nth, () => {
      if (!this.isStarted) return undefined;
      onCrash?.();
      void this.#die();
      return () => this.restart();
    });
  }

  /** Watches stop delivering: their events are lost until the runtime notices. Ends when the returned function is called. */
  dropEvents(kind?: AnyKind): () => void {
    return this.inject((call) => {
      const isMeant = call.verb === "watch" && (kind === undefined || call.kind.kind === kind.kind);
      return isMeant ? { fault: "silence", after: 0 } : undefined;
    });
  }

  /** Delays events by so much: the operator works with stale caches. */
  staleReads(by: string | number): () => void {
    const delay = toMilliseconds(by);
    return this.inject((call) => (call.verb === "watch" ? { fault: "late", by: delay } : undefined));
  }

  /** Another holder takes the lease, after the operator has acquired it. */
  async loseLease(): Promise<void> {
    await this.#while(this.running.elected());
    const namespace = this.#options.namespace ?? "default";
    const name = this.#operator.definition.name;
    const body = { spec: { holderIdentity: "somebody else" } };
    await this.#while(this.#api.patch(Lease, { namespace, name }, body, { type: "merge", manager: "test" }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#faults.clear();
    if (this.#running !== undefined) await this.#while(this.#running.stop(0));
    await this.#webhooks?.[Symbol.asyncDispose]();
  }

  get #activity(): number {
    return this.#calls + this.writes.length;
  }

  #isIdle(): boolean {
    const running = this.#running;
    if (this.#arrival > this.clock.now()) return false;
    if (running === undefined) return true;
    if (!running.isLeader || running.health.some(({ isAwaited }) => isAwaited)) return false;
    return running.controllers.every(({ counts, nextDue }) => {
      const isDueSoon = nextDue !== undefined && nextDue < this.clock.now() + CALM;
      return counts.ready + counts.running === 0 && !isDueSoon;
    });
  }

  #fault(call: Call): Fault | undefined {
    if (call.isWrite && call.kind.kind !== "Lease") this.#calls++;
    for (const decide of this.#faults) {
      const fault = decide(call);
      if (fault === undefined) continue;
      if (call.isWrite && fault.fault === "delay") this.#arrival = Math.max(this.#arrival, this.clock.now() + fault.by);
      return fault;
    }
    return undefined;
  }

  #crashAtWrite(nth: number, fault: Fault, onCrash: (() => void) | undefined): void {
    this.disturbWrite(nth, () => {
      onCrash?.();
      void this.#die();
      this.restart();
      return fault;
    });
  }

  #metadataOf(kind: AnyKind, reference: Reference): { readonly name: string; readonly namespace?: string } {
    return metadataOf(kind, reference, this.#options.namespace ?? "default");
  }

  #act<T>(write: () => Promise<T>): Promise<T> {
    return this.#actions.run(() => this.#while(write()));
  }

  #while<T>(work: Promise<T>): Promise<T> {
    return whileTimePasses(this.clock, work);
  }
}
