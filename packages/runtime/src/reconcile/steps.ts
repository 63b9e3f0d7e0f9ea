/**
 * Steps that are remembered: what a reconcile began and what it finished is written on the object, before and after, so that an
 * operator that dies anywhere knows it when it comes back.
 */
import { createHash } from "node:crypto";
import { keyOf } from "@capstan/model";
import type { Json, StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";
import type { Writer } from "../apply/writer.ts";

/** Where steps are written. */
export const STEPS_ANNOTATION = "capstan.dev/steps";

/** What is known of a step. */
type Record =
  | { readonly input: string; readonly state: "begun"; readonly from?: Json }
  | { readonly input: string; readonly state: "done"; readonly result: Json };

/** What a step is told when it runs. */
export interface StepRun {
  /** An earlier run began and its end is not known: look first at what it did. */
  readonly resumed: boolean;
  readonly signal: AbortSignal;
}

/** Runs a step at most once for an input, as far as can be known; its result is kept and given again. */
export type Step = <T extends Json | void>(
  name: string,
  run: (info: StepRun) => Promise<T> | T,
  options?: { readonly input?: Json },
) => Promise<T>;

/** What steps are kept with. */
export interface StepsOptions {
  readonly kind: AnyKind;
  readonly object: StoredObject;
  readonly writer: Writer;
  readonly signal: AbortSignal;
}

/** The steps of one object during one turn. */
export class Steps {
  readonly #options: StepsOptions;
  readonly #records: Map<string, Record>;
  readonly #used = new Set<string>();

  constructor(options: StepsOptions) {
    this.#options = options;
    const text = options.object.metadata.annotations?.[STEPS_ANNOTATION];
    this.#records = new Map(Object.entries(parseRecords(text)));
  }

  readonly step: Step = async (name, run, { input = null } = {}) => {
    const hash = hashOf(input);
    const known = this.#records.get(name);
    const same = known?.input === hash ? known : undefined;
    this.#used.add(name);
    // The result was produced by the same step with the same input, so it has the type that the step has.
    if (same?.state === "done") return same.result as Awaited<ReturnType<typeof run>>;
    if (same === undefined) await this.#write(name, { input: hash, state: "begun" });
    const result = await run({ resumed: same !== undefined, signal: this.#options.signal });
    await this.#write(name, { input: hash, state: "done", result: (result ?? null) as Json });
    return result;
  };

  /** Runs when a value is not the one that was handled last, which is remembered; again until it has succeeded. */
  async changed(
    name: string,
    value: Json,
    run: (change: { readonly from: Json | undefined; readonly to: Json }) => unknown,
  ): Promise<void> {
    const hash = hashOf(value);
    const known = this.#records.get(name);
    this.#used.add(name);
    if (known?.state === "done" && known.input === hash) return;
    const from = known?.state === "done" ? known.result : known?.from;
    await this.#write(name, { input: hash, state: "begun", ...(from === undefined ? {} : { from }) });
    await run({ from, to: value });
    await this.#write(name, { input: hash, state: "done", result: value });
  }

  /** Forgets steps that a complete turn did not use: their work is over. */
  async forgetUnused(): Promise<void> {
    const unused = [...this.#records.keys()].filter((name) => !this.#used.has(name));
    if (unused.length === 0) return;
    for (const name of unused) this.#records.delete(name);
    await this.#save();
  }

  async #write(name: string, record: Record): Promise<void> {
    this.#records.set(name, record);
    await this.#save();
  }

  async #save(): Promise<void> {
    const { kind, object, writer } = this.#options;
    const text = this.#records.size === 0 ? null : JSON.stringify(Object.fromEntries(this.#records));
    const body = { metadata: { annotations: { [STEPS_ANNOTATION]: text } } };
    await writer.patch(kind, keyOf(object), { body, part: "object" });
  }
}

/** What was written by hand or by a later version is not trusted: the steps then count as never begun. */
function parseRecords(text: string | undefined): { readonly [name: string]: Record } {
  if (text === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as { [name: string]: Record }) : {};
  } catch {
    return {};
  }
}

function hashOf(input: Json): string {
  return createHash("sha256").update(JSON.stringify(input)).digest("base64url").slice(0, 16);
}
