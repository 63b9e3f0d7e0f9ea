/**
 * Steps that are remembered: what a reconcile began and what it finished is written on the object, before and after, so that an
 * operator that dies anywhere knows it when it comes back.
 */
import { keyOf } from "@capstan/model";
import type { Json, StoredObject } from "@capstan/model";
import { isLater, keyText } from "../api.ts";
import type { AnyKind } from "../api.ts";
import type { Writer } from "../apply/writer.ts";
import { sha256 } from "../digest.ts";
import { qualified } from "../qualified.ts";
import { RuntimeError } from "../errors.ts";
import type { BeforeTaken } from "./plan-stopped.ts";

/**
 * Where steps were written before each controller had a place of its own: those of two controllers of one kind forgot each other. What is
 * there is taken over by whoever has nothing of its own yet.
 */
const SHARED_ANNOTATION = "capstan.dev/steps";

/** Where the steps of a controller are written, by its name as an owner of fields. */
export function stepsAnnotation(manager: string): string {
  return `steps.capstan.dev/${qualified(manager)}`;
}

/** What is known of a step. */
type Record =
  | { readonly input: string; readonly state: "begun"; readonly from?: Json }
  | { readonly input: string; readonly state: "done"; readonly result: Json };

/**
 * What a step is told when it runs.
 *
 * @example
 * const pay = async ({ resumed, signal }: StepRun) => {
 *   if (!resumed) await fetch("https://bank.example.com/pay", { method: "POST", signal });
 * };
 * controller(Memcached, {}, async ({ step }) => await step("pay", pay));
 */
export interface StepRun {
  /** An earlier run began, perhaps with another input, and its end is not known: look first at what it did. */
  readonly resumed: boolean;
  readonly signal: AbortSignal;
}

/**
 * Runs a step at most once for an input, as far as can be known; its result is kept and given again. A name is used once in a reconcile.
 *
 * The result is kept in clear text in an annotation of the object, for everybody who may read the object: never return a secret, return
 * the name of the Secret that holds it.
 */
export type Step = <T extends Json | void>(
  name: string,
  run: (info: StepRun) => Promise<T> | T,
  options?: { readonly input?: Json },
) => Promise<T>;

/** What steps are kept with. */
export interface StepsOptions {
  readonly kind: AnyKind;
  /** The object as the reconcile's own writes left it. */
  readonly object: () => StoredObject;
  readonly writer: Writer;
  /** The signal that the reconcile runs under now. */
  readonly signal: () => AbortSignal;
  readonly beforeTaken: BeforeTaken;
  /** Whether no other controller of the operator works on the kind. */
  readonly isAlone: boolean;
}

/** How many bytes all annotations of one object may have together: kube-apiserver refuses more. */
const ANNOTATIONS_LIMIT = 262_144;

/** When so many steps of an object are done and not used, the latest of them are kept. */
const MOST_UNUSED = 256;
const KEPT_UNUSED = 128;

/** The steps of one object during one reconcile. */
export class Steps {
  readonly #options: StepsOptions;
  readonly #annotation: string;
  readonly #records: Map<string, Record>;
  readonly #used = new Set<string>();
  /** Steps may run side by side; what they write is written one after the other, each time the whole. */
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
    // The result was produced by the same step with the same input, so it has the type that the step has.
    if (same?.state === "done") return same.result as Awaited<ReturnType<typeof run>>;
    this.#options.beforeTaken(() => `run the step "${name}"`);
    await this.#begin(name, { input: hash, state: "begun" });
    this.#mustGoOn(signal);
    const result = await run({ resumed: known?.state === "begun", signal });
    await this.#end(name, { input: hash, state: "done", result: (result ?? null) as Json });
    return result;
  };

  /** The reconcile, or the lease, may have been lost since: another reconcile may run by now, and only one of them may act. */
  #mustGoOn(signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#options.writer.mustLead();
  }

  #unnamed(): RuntimeError {
    const { kind, object } = this.#options;
    const what = `${kind.kind} ${keyText(object())}`;
    const why = "steps are remembered by their names, and this one has none";
    return new RuntimeError("StepUnnamed", `Cannot run a step of ${what}: ${why}. Give it one.`, { object: what });
  }

  /** One name has one record: the second step would get the result of the first, or each would undo what is known of the other. */
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

  /** Runs when a value is not the one that was handled last, which is remembered. A result other than undefined means: not handled yet. */
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
    this.#options.beforeTaken(() => `handle that ${name}`);
    const from = known?.state === "done" ? known.result : known?.from;
    await this.#begin(name, { input: hash, state: "begun", ...(from === undefined ? {} : { from }) });
    this.#mustGoOn(signal);
    const result = await run({ from, to: value });
    if (result === undefined) await this.#end(name, { input: hash, state: "done", result: value });
    return result;
  }

  /** Moves what was written under earlier names to the present one. */
  async takeOver(): Promise<void> {
    const { annotations } = this.#options.object().metadata;
    if (annotations === undefined) return;
    if (this.#elsewhere().some((name) => annotations[name] !== undefined)) await this.#save("as read");
  }

  /** Forgets steps that a complete reconcile did not use: their work is over. */
  async forgetUnused(): Promise<void> {
    const unused = [...this.#records.keys()].filter((name) => !this.#used.has(name));
    if (unused.length === 0) return;
    for (const name of unused) this.#records.delete(name);
    await this.#save("as read");
  }

  /**
   * Forgets the oldest steps that are done and that a reconcile which is not did not use. It may have stopped before it came to them, so that
   * most are kept; but an object whose reconciles never are done must not gather them without end.
   */
  async forgetOldest(): Promise<void> {
    const unused = [...this.#records].filter(([name, { state }]) => state === "done" && !this.#used.has(name));
    if (unused.length <= MOST_UNUSED) return;
    for (const [name] of unused.slice(0, -KEPT_UNUSED)) this.#records.delete(name);
    await this.#save("as read");
  }

  /**
   * Nothing is begun by somebody who does not know what was begun before: the write holds only while the server has the very steps that
   * were read. A conflict ends the reconcile, and the next one reads them anew.
   */
  async #begin(name: string, record: Record): Promise<void> {
    const former = this.#records.get(name);
    // The latest is the last, so that the oldest are the first to be forgotten.
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

  /** What has happened is written down whatever else has changed. */
  async #end(name: string, record: Record): Promise<void> {
    const begun = this.#records.get(name);
    this.#records.set(name, record);
    try {
      await this.#save("whatever changed");
    } catch (error) {
      // A step beside this one must not be kept from writing by what does not fit.
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
   * What is written is the whole: what earlier versions wrote elsewhere goes with the same write, so that nothing comes back that was
   * forgotten. What other controllers may still have to read stays, and is not read again by who has written its own.
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

  /** The latest version that is known of this very object with these very steps: others may have changed something else since. */
  #versionWithSteps(object: StoredObject): string {
    const { writer, kind } = this.#options;
    const { uid, resourceVersion } = object.metadata;
    const known = writer.known(kind, object);
    if (known === undefined || known.metadata.uid !== uid) return resourceVersion;
    if (this.#textsOf(known).join("\n") !== this.#textsOf(object).join("\n")) return resourceVersion;
    return isLater(known.metadata.resourceVersion, resourceVersion) ? known.metadata.resourceVersion : resourceVersion;
  }

  /**
   * What is its own, and what it wrote as an earlier version: that goes whenever its own is written, so where it is there, such a version
   * was run again since, and knows better.
   */
  #textsOf({ metadata: { annotations } }: StoredObject): readonly string[] {
    if (annotations === undefined) return [];
    const places = [this.#annotation, ...this.#elsewhere().toReversed()];
    const texts = places.flatMap((name) => annotations[name] ?? []);
    return texts.length > 0 ? texts : [annotations[SHARED_ANNOTATION] ?? []].flat();
  }

  /** Where earlier versions of this very controller wrote. */
  #elsewhere(): readonly string[] {
    const { writer, isAlone } = this.#options;
    return [...writer.formerManagers.map(stepsAnnotation), ...(isAlone ? [SHARED_ANNOTATION] : [])];
  }
}

/** Annotations to set, and to take away. */
interface Annotations {
  readonly [name: string]: string | null;
}

/** The server would refuse it as well, but what it says is tried again, and so would be what the step does. */
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

/** Whose the steps are stands beside them, under a name that no step has. */
const OF = "";

function formatRecords(object: StoredObject, records: ReadonlyMap<string, Record>): string {
  return JSON.stringify({ [OF]: keyText(object), ...Object.fromEntries(records) });
}

/**
 * What was written by hand or by a later version is not trusted: the steps then count as never begun. So do those of another object, whose
 * copy this one is; one that was restored under its own name goes on where it was.
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

/** The same for inputs that are equal, whatever the order of their fields. */
function hashOf(input: Json): string {
  return sha256(JSON.stringify(input, inOrder), "base64url").slice(0, 16);
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
