/**
 * Recorded steps: the start and the result of each step are written to the object, before and after, so that an operator that crashes
 * anywhere knows them after its restart.
 */
import { keyOf } from "@capstan/model";
import type { Json, StoredObject } from "@capstan/model";
import { isLater, keyText } from "../api.ts";
import type { AnyKind } from "../api.ts";
import type { Writer } from "../apply/writer.ts";
import { sha256 } from "../apply/digest.ts";
import { qualified } from "./qualified.ts";
import { RuntimeError } from "../errors.ts";
import type { BeforeTaken } from "../plan/plan-stopped.ts";

/**
 * The annotation of versions in which all controllers shared it: two controllers of one kind overwrote each other's steps. A controller
 * without its own annotation takes the steps in it over.
 */
const SHARED_ANNOTATION = "capstan.dev/steps";

/** The annotation with the steps of a controller, by its field manager. */
export function stepsAnnotation(manager: string): string {
  return `steps.capstan.dev/${qualified(manager)}`;
}

/** The record of a step. */
type Record =
  | { readonly input: string; readonly state: "begun"; readonly from?: Json }
  | { readonly input: string; readonly state: "done"; readonly result: Json };

/**
 * The context of a step.
 *
 * @example
 * const pay = async ({ resumed, signal }: StepRun) => {
 *   if (!resumed) await fetch("https://bank.example.com/pay", { method: "POST", signal });
 * };
 * controller(Memcached, {}, async ({ step }) => await step("pay", pay));
 */
export interface StepRun {
  /** An earlier run began, perhaps with another input, and its result is not known: check first what it did. */
  readonly resumed: boolean;
  readonly signal: AbortSignal;
}

/**
 * Runs a step at most once for an input, as far as can be known; its result is stored and returned again. A name is used once in a
 * reconcile.
 *
 * The result is stored in clear text in an annotation of the object, visible to all readers of the object: never return a secret, return
 * the name of the Secret that holds it.
 */
export type Step = <T extends Json | void>(
  name: string,
  run: (info: StepRun) => Promise<T> | T,
  options?: { readonly input?: Json },
) => Promise<T>;

export interface StepsOptions {
  readonly kind: AnyKind;
  /** The object after the reconcile's own writes. */
  readonly object: () => StoredObject;
  readonly writer: Writer;
  /** The current signal of the reconcile. */
  readonly signal: () => AbortSignal;
  readonly beforeSideEffect: BeforeTaken;
  /** Whether no other controller of the operator reconciles the kind. */
  readonly isAlone: boolean;
}

/** The size limit of all annotations of one object: kube-apiserver rejects more. */
const ANNOTATIONS_LIMIT = 262_144;

/** With this many completed, unused steps of an object, only the latest are kept. */
const MOST_UNUSED = 256;
const KEPT_UNUSED = 128;

/** The steps of one object during one reconcile. */
export class Steps {
  readonly #options: StepsOptions;
  readonly #annotation: string;
  readonly #records: Map<string, Record>;
  readonly #used = new Set<string>();
  /** Steps may run concurrently; their records are written one after the other, each time as a whole. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(options: StepsOptions) {
    this.#options = options;
    const object = options.object();
    this.#annotation = stepsAnnotation(options.writer.manager);
    this.#records = new Map(this.#textsOf(object).flatMap((text) => Object.entries(recordsOf(object, text))));
  }

  readonly step: Step = async (name, run, { input = null } = {}) => {
    const signal = this.#options.signal();
    const hash = hashOf(input);
    const known = this.#records.get(name);
    const same = known?.input === hash ? known : undefined;
    if (name === OF) throw this.#unnamed();
    if (this.#used.has(name)) throw this.#usedTwice(name);
    this.#used.add(name);
    // The result was produced by the same step with the same input, so it has the same type.
    if (same?.state === "done") return same.result as Awaited<ReturnType<typeof run>>;
    this.#options.beforeSideEffect(() => `run the step "${name}"`);
    await this.#begin(name, { input: hash, state: "begun" });
    this.#mustContinue(signal);
    const result = await run({ resumed: known?.state === "begun", signal });
    await this.#end(name, { input: hash, state: "done", result: (result ?? null) as Json });
    return result;
  };

  /** The reconcile may have been aborted, or the lease lost, since: another reconcile may run by now, and only one of them may act. */
  #mustContinue(signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#options.writer.mustLead();
  }

  #unnamed(): RuntimeError {
    const { kind, object } = this.#options;
    const what = `${kind.kind} ${keyText(object())}`;
    const why = "steps are remembered by their names, and this one has none";
    return new RuntimeError("StepUnnamed", `Cannot run a step of ${what}: ${why}. Give it one.`, { object: what });
  }

  /** One name has one record: the second step would get the result of the first, or each would overwrite the record of the other. */
  #usedTwice(name: string): RuntimeError {
    const { kind, object } = this.#options;
    const what = `${kind.kind} ${keyText(object())}`;
    return new RuntimeError(
      "StepUsedTwice",
      `Cannot run the step "${name}" twice in one reconcile of ${what}: steps are remembered by their names. ` +
        "Give each its own, as in step(`add ${member}`, ...).",
      { object: what },
    );
  }

  /** Runs when a value differs from the last handled one, which is recorded. A result other than undefined means: not handled yet. */
  async changed(
    name: string,
    value: Json,
    run: (change: { readonly from: Json | undefined; readonly to: Json }) => unknown,
  ): Promise<unknown> {
    const signal = this.#options.signal();
    const hash = hashOf(value);
    const known = this.#records.get(name);
    this.#used.add(name);
    if (known?.state === "done" && known.input === hash) return undefined;
    this.#options.beforeSideEffect(() => `handle that ${name}`);
    const from = known?.state === "done" ? known.result : known?.from;
    await this.#begin(name, { input: hash, state: "begun", ...(from === undefined ? {} : { from }) });
    this.#mustContinue(signal);
    const result = await run({ from, to: value });
    if (result === undefined) await this.#end(name, { input: hash, state: "done", result: value });
    return result;
  }

  /** Moves records of previous names to the current one. */
  async takeOver(): Promise<void> {
    const { annotations } = this.#options.object().metadata;
    if (annotations === undefined) return;
    if (this.#elsewhere().some((name) => annotations[name] !== undefined)) await this.#save("as read");
  }

  /** Drops steps that a completed reconcile did not use: their work is over. */
  async forgetUnused(): Promise<void> {
    const unused = [...this.#records.keys()].filter((name) => !this.#used.has(name));
    if (unused.length === 0) return;
    for (const name of unused) this.#records.delete(name);
    await this.#save("as read");
  }

  /**
   * Drops the oldest completed steps that an incomplete reconcile did not use. It may have stopped before it reached them, so most are
   * kept; but an object whose reconciles never complete must not accumulate them.
   */
  async forgetOldest(): Promise<void> {
    const unused = [...this.#records].filter(([name, { state }]) => state === "done" && !this.#used.has(name));
    if (unused.length <= MOST_UNUSED) return;
    for (const [name] of unused.slice(0, -KEPT_UNUSED)) this.#records.delete(name);
    await this.#save("as read");
  }

  /**
   * A step must not begin without knowledge of the steps before: the write succeeds only if the server has exactly the steps that were
   * read. A conflict ends the reconcile, and the next one reads them again.
   */
  async #begin(name: string, record: Record): Promise<void> {
    const former = this.#records.get(name);
    // In order of time, so that the oldest are dropped first.
    this.#records.delete(name);
    this.#records.set(name, record);
    try {
      await this.#save("as read");
    } catch (error) {
      if (former === undefined) this.#records.delete(name);
      else this.#records.set(name, former);
      throw error;
    }
  }

  /** The result is written whatever else of the object has changed. */
  async #end(name: string, record: Record): Promise<void> {
    const begun = this.#records.get(name);
    this.#records.set(name, record);
    try {
      await this.#save("whatever changed");
    } catch (error) {
      // A result that does not fit must not keep a concurrent step from being written.
      if (begun !== undefined) this.#records.set(name, begun);
      throw error;
    }
  }

  async #save(when: "as read" | "whatever changed"): Promise<void> {
    const former = this.#written;
    const saved = (async () => {
      await former.catch(() => undefined);
      await this.#send(when);
    })();
    this.#written = saved;
    await saved;
  }

  async #send(when: "as read" | "whatever changed"): Promise<void> {
    const { kind, object: current, writer } = this.#options;
    const object = current();
    const annotations = this.#annotations(object);
    mustFit(kind, object, annotations);
    const guard = when === "as read" ? { resourceVersion: this.#versionWithSteps(object) } : {};
    const metadata = { uid: object.metadata.uid, ...guard, annotations };
    await writer.patch(kind, keyOf(object), { body: { metadata }, part: "object" });
  }

  /**
   * The whole record is written: the annotations of earlier versions are removed with the same write, so that dropped steps do not
   * reappear. An annotation that other controllers may still need stays, and is ignored once the controller has its own.
   */
  #annotations(object: StoredObject): Annotations {
    const { isAlone } = this.#options;
    const { annotations = {} } = object.metadata;
    const isShared = annotations[SHARED_ANNOTATION] !== undefined && !isAlone;
    const former = this.#elsewhere().filter((name) => annotations[name] !== undefined);
    const isEmpty = this.#records.size === 0 && !isShared;
    return {
      ...Object.fromEntries(former.map((name) => [name, null])),
      [this.#annotation]: isEmpty ? null : formatRecords(object, this.#records),
    };
  }

  /** The latest known version of this object with exactly these steps: other fields may have changed since. */
  #versionWithSteps(object: StoredObject): string {
    const { writer, kind } = this.#options;
    const { uid, resourceVersion } = object.metadata;
    const known = writer.known(kind, object);
    if (known === undefined || known.metadata.uid !== uid) return resourceVersion;
    if (this.#textsOf(known).join("\n") !== this.#textsOf(object).join("\n")) return resourceVersion;
    return isLater(known.metadata.resourceVersion, resourceVersion) ? known.metadata.resourceVersion : resourceVersion;
  }

  /**
   * The own annotation, and those of earlier versions. They are removed whenever the own one is written, so if one exists, an earlier
   * version has run since, and its record is newer.
   */
  #textsOf({ metadata: { annotations } }: StoredObject): readonly string[] {
    if (annotations === undefined) return [];
    const places = [this.#annotation, ...this.#elsewhere().toReversed()];
    const texts = places.flatMap((name) => annotations[name] ?? []);
    return texts.length > 0 ? texts : [annotations[SHARED_ANNOTATION] ?? []].flat();
  }

  /** The annotations of earlier versions of this controller. */
  #elsewhere(): readonly string[] {
    const { writer, isAlone } = this.#options;
    return [...writer.formerManagers.map(stepsAnnotation), ...(isAlone ? [SHARED_ANNOTATION] : [])];
  }
}

/** Annotations to set, and to remove. */
interface Annotations {
  readonly [name: string]: string | null;
}

/** The server would reject it as well, but its error is retried, and so would be the side effects of the step. */
function mustFit(kind: AnyKind, { metadata }: StoredObject, changes: Annotations): void {
  let bytes = 0;
  for (const [name, value] of Object.entries({ ...metadata.annotations, ...changes })) {
    if (value !== null) bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  }
  if (bytes <= ANNOTATIONS_LIMIT) return;
  const what = `${kind.kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;
  throw new RuntimeError(
    "StepsTooLarge",
    `Cannot remember the steps of ${what}: its annotations would have ${bytes} bytes, and a server takes ${ANNOTATIONS_LIMIT}. ` +
      "Let steps return names or references, and keep large results elsewhere.",
    { object: what },
  );
}

/** The owner of the steps is stored beside them, under a name that no step has. */
const OF = "";

function formatRecords(object: StoredObject, records: ReadonlyMap<string, Record>): string {
  return JSON.stringify({ [OF]: keyText(object), ...Object.fromEntries(records) });
}

/**
 * Records that were edited by hand or written by a later version are not trusted: the steps then count as never begun. So do those of
 * another object of which this one is a copy; an object that was restored under its own name continues.
 */
function recordsOf(object: StoredObject, text: string | undefined): { readonly [name: string]: Record } {
  if (text === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null) return {};
    const { [OF]: of, ...records } = parsed as { readonly [name: string]: unknown };
    if (typeof of === "string" && of !== keyText(object)) return {};
    const known = Object.entries(records).filter((entry): entry is [string, Record] => isRecord(entry[1]));
    return Object.fromEntries(known);
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Record {
  if (typeof value !== "object" || value === null) return false;
  const { input, state } = value as Partial<Record>;
  return typeof input === "string" && (state === "begun" || state === "done");
}

/** The same digest for equal inputs, whatever the order of their fields. */
function hashOf(input: Json): string {
  return sha256(JSON.stringify(input, inOrder), "base64url").slice(0, 16);
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
