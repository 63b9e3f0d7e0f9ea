/** One reconcile of one object: everything that it uses while it runs, so that it can be ended and reported as a whole. */
import { keyOf } from "@capstan/model";
import type { Kind, StoredObject } from "@capstan/model";
import { isApiError } from "@capstan/client";
import { keyText, kindId } from "../api.ts";
import type { AnyKind } from "../api.ts";
import { Children } from "../apply/children.ts";
import type { Hold, Learned } from "../apply/children.ts";
import { childText, mustBeChild, nameIn, placed } from "../apply/desired.ts";
import type { ChildName, Desired } from "../apply/desired.ts";
import type { Breaker } from "../apply/breaker.ts";
import { draftOf } from "../apply/status.ts";
import type { Draft } from "../apply/status.ts";
import type { Sibling } from "../apply/siblings.ts";
import type { Strays } from "../apply/strays.ts";
import type { Write, Writer } from "../apply/writer.ts";
import type { Caches } from "../cache/caches.ts";
import type { Query } from "../cache/selector.ts";
import { timestamp } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { RuntimeError, toMilliseconds } from "../errors.ts";
import type { Log } from "../log.ts";
import type { MetricOf } from "../manager/metric.ts";
import type { ReconcileRequest } from "../queue/queue.ts";
import type { ReconcileTrigger } from "../trigger/reconcile-trigger.ts";
import type { Read, Reads } from "../trigger/tracked.ts";
import type { AnyContext, AnyFindQuery, ApplyChild, NewReference, Reference, RemoveChild } from "./context.ts";
import { Begun } from "./begun.ts";
import { addFinalizer } from "./finalizer.ts";
import { Loans } from "./loans.ts";
import { Steps } from "./steps.ts";
import type { Step } from "./steps.ts";
import { PlanStoppedError } from "./plan-stopped.ts";

/** The shared settings of the reconciles of one controller. */
export interface ReconcileSetting {
  readonly controller: string;
  readonly kind: AnyKind;
  readonly owns: readonly AnyKind[];
  readonly reads: readonly AnyKind[];
  readonly caches: Caches;
  readonly writer: Writer;
  readonly tracked: Reads;
  readonly breaker: Breaker;
  readonly learned: Learned;
  readonly strays: Strays;
  readonly clock: Clock;
  readonly log: Log;
  readonly metric: MetricOf;
  /** The conditions that the kind declares; undefined if any name is allowed. */
  readonly conditions: readonly string[] | undefined;
  /** Whether no other controller of the operator reconciles the kind. */
  readonly isAlone: boolean;
  /** The other controllers of the operator that reconcile the kind. */
  readonly siblings: readonly Sibling[];
  /** The finalizer for objects with children that the garbage collector cannot find, followed by its previous names. */
  readonly childrenFinalizers: readonly [string, ...string[]];
  readonly onEvent: (object: StoredObject, event: { type: "Normal" | "Warning"; reason: string; note: string }) => void;
}

/** The limits of one reconcile. */
export interface ReconcileLimits {
  readonly signal: AbortSignal;
  /** Its trace, if it is traced. */
  readonly trace: string | undefined;
  /**
   * Whether the previous reconcile failed with a TypeError that may come from a write to a frozen object: this one uses copies to find
   * out.
   */
  readonly isSuspect?: boolean;
  /** Whether nothing but earlier writes of this operator led to the reconcile. */
  readonly isSelfInflicted?: boolean;
  /** Whether errors name the user's calling lines, which costs a little. */
  readonly namesCalls?: boolean;
}

/** The reconcile of each context. */
const works = new WeakMap<object, ReconcileWork>();

/** Records the decision of a reconcile, for explanations. A plan ends here: it reports the decision and does not act. */
export function noteDecision(context: AnyContext, decision: string): void {
  const work = works.get(context);
  work?.decisions.push(decision);
  work?.beforeTaken(() => `act on ${decision}`);
}

/** The work of one reconcile. */
export class ReconcileWork {
  readonly #setting: ReconcileSetting;
  /** The signal for the user's function: the reconcile's own while it runs, the controller's before and after. */
  #signal: AbortSignal;
  readonly #writer: Writer;
  /** The writer of the user's function: after its reconcile was aborted, it writes nothing more. */
  readonly #hands: Writer;
  readonly #begun: Begun;
  /** Only after a suspected mutation. */
  readonly #loans: Loans | undefined;
  readonly children: Children;
  readonly steps: Steps;
  readonly status: Draft;
  readonly reads: Read[] = [];
  readonly writes: Write[] = [];
  readonly decisions: string[] = [];
  readonly warnings: string[] = [];
  object: StoredObject;
  /** Whether the user's function is running. */
  #isCalled = false;
  /** The side effect at which a plan stopped. */
  #untaken: PlanStoppedError | undefined;

  constructor(setting: ReconcileSetting, object: StoredObject, limits: ReconcileLimits) {
    const { signal, trace, isSuspect = false, isSelfInflicted = false, namesCalls = false } = limits;
    this.#setting = setting;
    this.#loans = isSuspect ? new Loans() : undefined;
    this.#signal = signal;
    this.object = object;
    const { kind, caches, breaker, learned, strays, clock } = setting;
    const current = (): AbortSignal => this.#signal;
    this.#writer = setting.writer.during(
      () => signal,
      (write) => this.#note(write),
    );
    const writer = (this.#hands = setting.writer.during(current, (write) => this.#note(write)));
    this.#begun = new Begun({
      signal: current,
      check: () => this.#check(),
      namesCalls,
      onLate: (error) => this.#tellLate(error),
    });
    const beforeUnreferenced = async (): Promise<void> => {
      await addFinalizer(writer, kind, this.object, setting.childrenFinalizers[0]);
    };
    const owner = { kind, object };
    const warn = (text: string): void => setting.log.warn(text);
    const tools = { caches, writer, breaker, learned, strays };
    this.children = new Children({ ...tools, owner, trace, beforeUnreferenced, isSelfInflicted, warn });
    const { isAlone } = setting;
    const { beforeTaken } = this;
    this.steps = new Steps({ kind, object: () => this.object, writer, signal: current, beforeTaken, isAlone });
    const check = (condition: string): void => this.#mustBeDeclaredCondition(condition);
    this.status = draftOf({ object, time: () => timestamp(clock), check });
  }

  /** The writer of this reconcile; its writes are recorded. */
  get writer(): Writer {
    return this.#writer;
  }

  /** Ends the reconcile here if it is a plan. */
  readonly beforeTaken = (what: () => string): void => {
    if (!this.#writer.isDry) return;
    this.#untaken ??= new PlanStoppedError(what());
    throw this.#untaken;
  };

  /** User code that catches the error of a stopped plan cannot continue to write. */
  #check(): void {
    this.#loans?.check();
    if (this.#untaken !== undefined) throw this.#untaken;
  }

  /**
   * Calls the user's function. The reconcile continues when everything that it started has ended; a promise that was not awaited fails
   * the reconcile.
   */
  async call(
    handler: (context: AnyContext) => unknown,
    request: ReconcileRequest<ReconcileTrigger>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const outer = this.#signal;
    this.#signal = signal;
    this.#isCalled = true;
    let answer: unknown;
    let forgotten: RuntimeError | undefined;
    try {
      answer = await handler(this.#context(request, signal));
    } catch (error) {
      throw this.#untaken ?? error;
    } finally {
      this.#isCalled = false;
      forgotten = await this.#begun.end();
      this.#loans?.check();
    }
    if (this.#untaken !== undefined) throw this.#untaken;
    if (forgotten !== undefined) throw forgotten;
    if (!signal.aborted) this.#signal = outer;
    return answer;
  }

  /** The context of the user's function. */
  #context(request: ReconcileRequest<ReconcileTrigger>, signal: AbortSignal): AnyContext {
    const context = {
      object: this.#lend(this.#setting.kind, this.object),
      triggers: request.triggers,
      failures: request.failures,
      signal,
      log: this.#setting.log,
      status: this.status,
      find: (kind: Kind, query: AnyFindQuery = {}) => this.#find(kind, query),
      get: (kind: Kind, reference: Reference) => this.#get(kind, reference),
      ...this.#writes(),
      keep: (kind: Kind, reference: Reference) => this.#keep(kind, reference),
      metric: this.#setting.metric,
      external: (call: (...args: readonly unknown[]) => Promise<unknown>, ...args: readonly unknown[]) =>
        call(...args, { signal }),
    };
    works.set(context, this);
    // The runtime knows kinds only as names; the types that the user sees follow from the declared kind values.
    return context as unknown as AnyContext;
  }

  /** The write side of the context. */
  #writes() {
    const of = (verb: string, kind: Kind, reference: NewReference) => (): string =>
      `${verb} of ${childText(kind, nameIn(reference))}`;
    return {
      apply: (kind: Kind, reference: Reference, desired: Desired, how: ApplyChild = {}) =>
        this.#begun.begin(of("apply", kind, reference), () => this.#apply(kind, reference, desired, how)),
      create: (kind: Kind, reference: NewReference, desired: Desired) =>
        this.#begun.begin(of("create", kind, reference), () => this.#create(kind, reference, desired)),
      remove: (kind: Kind, reference: Reference, how: RemoveChild = {}) =>
        this.#begun.begin(of("remove", kind, reference), () => this.#remove(kind, reference, how)),
      step: (...args: Parameters<Step>) =>
        this.#begun.begin(
          () => `step "${args[0]}"`,
          () => this.steps.step(...args),
        ),
      event: (type: "Normal" | "Warning", reason: string, note: string) => {
        if (!this.#signal.aborted && this.#untaken === undefined)
          this.#setting.onEvent(this.object, { type, reason, note });
      },
    };
  }

  #lend(kind: AnyKind, object: StoredObject): StoredObject {
    return this.#loans?.lend(kind, object) ?? object;
  }

  #tellLate(error: RuntimeError): void {
    this.#setting.log.error(error.message, { object: keyText(this.object), error });
  }

  /** Later writes of the reconcile build on the object that the earlier ones returned. */
  #note(write: Write): void {
    this.writes.push(write);
    const isSelf = write.key === keyText(this.object) && kindId(write.kind) === kindId(this.#setting.kind);
    if (isSelf && write.after !== undefined) this.object = write.after;
  }

  #noteRead(read: Read): void {
    this.reads.push(read);
    this.#setting.tracked.add(keyText(this.object), read);
  }

  #find(kind: AnyKind, { namespace, labels, index, owner }: AnyFindQuery): readonly StoredObject[] {
    this.#mustBeDeclared(kind, "reads");
    const place = this.#namespaceFor(kind, namespace);
    const query: Query = { namespace: place, labels, index, owner: owner?.metadata.uid };
    this.#noteRead({ kind, query });
    const found = this.#setting.caches.of(kind).find(query);
    return this.#loans === undefined ? found : found.map((object) => this.#lend(kind, object));
  }

  #get(kind: AnyKind, reference: Reference): StoredObject | undefined {
    this.#mustBeDeclared(kind, "reads");
    const key = this.#keyFor(kind, reference);
    this.#noteRead({ kind, key });
    const object = this.#setting.caches.of(kind).get(key);
    return object && this.#lend(kind, object);
  }

  async #apply(kind: AnyKind, reference: Reference, given: Desired, how: ApplyChild): Promise<StoredObject> {
    const name = typeof reference === "object" && reference !== null ? reference.name : reference;
    mustBeChild(kind, name, given);
    const desired = placed(kind, reference, given);
    this.#mustBeOwned(kind);
    const hold = holdOf(how);
    const noteRead = (): void =>
      this.#noteRead({ kind, key: this.#keyFor(kind, { name, namespace: desired.metadata?.namespace }) });
    // A free child has no owner mark: recording it as read makes its changes trigger the object.
    if (hold === "free") noteRead();
    try {
      return this.#lend(kind, await this.children.apply(kind, name, desired, hold));
    } catch (error) {
      // When the conflicting object is deleted, the object must be reconciled again.
      if (error instanceof RuntimeError && error.code === "NotOurs") noteRead();
      throw error;
    }
  }

  #keep(kind: AnyKind, reference: Reference): void {
    this.#mustBeOwned(kind);
    this.children.keep(kind, this.#keyFor(kind, reference));
  }

  async #create(kind: AnyKind, reference: NewReference, desired: Desired): Promise<StoredObject> {
    const name: ChildName = nameIn(reference);
    mustBeChild(kind, name, desired);
    this.#mustBeOwned(kind);
    return this.#lend(kind, await this.children.create(kind, name, placed(kind, reference, desired)));
  }

  async #remove(kind: AnyKind, reference: Reference, { grace }: RemoveChild): Promise<void> {
    this.#mustBeOwned(kind);
    const key = this.#keyFor(kind, reference);
    const object = this.#setting.caches.of(kind).get(key);
    if (object === undefined) return;
    const seconds = grace === undefined ? undefined : Math.ceil(toMilliseconds(grace) / 1000);
    await this.#hands.delete(kind, object, seconds).catch((error: unknown) => {
      if (!isApiError(error, "NotFound")) throw error;
    });
  }

  #keyFor(kind: AnyKind, reference: Reference): string {
    const { name, namespace: given } =
      typeof reference === "object" ? reference : { name: reference, namespace: undefined };
    const namespace = this.#namespaceFor(kind, given);
    return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
  }

  #namespaceFor(kind: AnyKind, namespace: string | undefined): string | undefined {
    if (kind.scope === "Cluster" || namespace === "*") return undefined;
    return namespace ?? keyOf(this.object).namespace;
  }

  #mustBeDeclared(kind: AnyKind, where: string): void {
    const { owns, reads } = this.#setting;
    if (!isAmong(owns, kind) && !isAmong(reads, kind)) this.#refuse(kind, where);
  }

  #mustBeOwned(kind: AnyKind): void {
    if (!isAmong(this.#setting.owns, kind)) this.#refuse(kind, "owns");
  }

  /** The compiler checks it too, in typed programs. The runtime itself sets conditions that the kind does not declare. */
  #mustBeDeclaredCondition(condition: string): void {
    const { kind, conditions } = this.#setting;
    // A function that was aborted may still run; meanwhile the runtime sets conditions.
    const isCalled = this.#isCalled && !this.#signal.aborted;
    if (!isCalled || conditions === undefined || conditions.includes(condition)) return;
    const known = conditions.length === 0 ? "it declares none" : `there are ${conditions.join(", ")}`;
    throw new RuntimeError(
      "NotDeclared",
      `Cannot set the condition "${condition}": ${kind.kind} does not declare it; ${known}. Correct the name, or add it to \`conditions\`.`,
      { object: `${kind.kind} ${keyText(this.object)}` },
    );
  }

  #refuse(kind: AnyKind, where: string): never {
    const { controller } = this.#setting;
    throw new RuntimeError(
      "NotDeclared",
      `Controller "${controller}" cannot use ${kind.kind}: it was not declared. Add it to \`${where}\`.`,
      { object: `${this.#setting.kind.kind} ${keyText(this.object)}` },
    );
  }
}

function holdOf({ owned = true, adopt = false }: ApplyChild): Hold {
  if (!owned) return "free";
  return adopt ? "adopted" : "owned";
}

function isAmong(kinds: readonly AnyKind[], kind: AnyKind): boolean {
  return kinds.includes(kind) || kinds.some((each) => kindId(each) === kindId(kind));
}
