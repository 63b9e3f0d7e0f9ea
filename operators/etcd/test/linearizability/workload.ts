/** Clients that write and read all the time, record a history, and measure for how long no request succeeded. */
import { EtcdError } from "../../src/etcd/index.ts";
import type { EtcdClient } from "../../src/etcd/index.ts";
import { checkHistory } from "./checker.ts";
import type { Verdict } from "./checker.ts";
import type { Event, Operation, Value } from "./history.ts";

/** Options of a workload. */
export interface WorkloadOptions {
  /** The current endpoints; called again whenever a client switches to another member. */
  readonly endpoints: () => readonly string[];
  readonly connect: (endpoint: string) => EtcdClient;
  readonly clients?: number;
  readonly keys?: number;
  /** Prefix of the keys, so that several runs can share a cluster. */
  readonly prefix?: string;
  /** Milliseconds until a call times out. */
  readonly timeoutMs?: number;
  /** Milliseconds between two operations of one client. */
  readonly paceMs?: number;
  readonly random?: () => number;
}

/** What happened between two calls of `step`. */
export interface StepReport {
  readonly name: string;
  readonly seconds: number;
  readonly acknowledged: number;
  readonly failed: number;
  /** The longest time without a successful operation of any client. */
  readonly longestGapMs: number;
  /** The same for writes alone. */
  readonly longestWriteGapMs: number;
}

/** The result of a run. */
export interface WorkloadReport {
  readonly history: readonly Event[];
  readonly steps: readonly StepReport[];
  readonly verdict: Verdict;
  /** Calls that failed, by the code of their error. */
  readonly failures: Readonly<Record<string, number>>;
}

/** A running workload. */
export interface Workload {
  /** Begins a step with this name. */
  step(name: string): void;
  /** Whether an operation has succeeded since the last step began. */
  readonly served: () => boolean;
  /** Stops the clients, reads every key once more, and checks the history. */
  stop(): Promise<WorkloadReport>;
}

/** Starts the clients; they run until `stop`. */
export function startWorkload(options: WorkloadOptions): Workload {
  const { clients = 4, keys = 5, prefix = "load/" } = options;
  const run: Run = { history: [], failures: {}, failedAt: [], stopping: new AbortController() };
  const marks: Mark[] = [{ name: "start", at: performance.now() }];
  const names = Array.from({ length: keys }, (_, at) => `${prefix}${at}`);
  const workers = Array.from({ length: clients }, (_, number) => work({ options, run, names, number }));
  return {
    step: (name) => void marks.push({ name, at: performance.now() }),
    served: () => {
      const since = marks.at(-1)?.at ?? 0;
      return run.history.some(({ ended }) => Number.isFinite(ended) && ended >= since);
    },
    stop: async () => {
      run.stopping.abort();
      await Promise.all(workers);
      const end = performance.now();
      await readOnceMore(options, run, names);
      return {
        history: run.history,
        steps: toSteps(run, marks, end),
        verdict: checkHistory(run.history),
        failures: run.failures,
      };
    },
  };
}

interface Run {
  readonly history: Event[];
  readonly failures: Record<string, number>;
  readonly failedAt: number[];
  readonly stopping: AbortController;
}

interface Mark {
  readonly name: string;
  readonly at: number;
}

interface Worker {
  readonly options: WorkloadOptions;
  readonly run: Run;
  readonly names: readonly string[];
  readonly number: number;
}

/** One client: it uses a member until a call to it fails. */
async function work({ options, run, names, number }: Worker): Promise<void> {
  const { random = Math.random, paceMs = 5 } = options;
  const recordedState = new Map<string, Value>();
  let context = number;
  let client = pick(options, context);
  for (let count = 0; !run.stopping.signal.aborted; count++) {
    const key = names[Math.floor(random() * names.length)] ?? "";
    const next = `${number}-${count}`;
    const wish = chooseWish(random(), { next, known: recordedState.get(key) });
    const event = await attempt({ client, key, wish, number, run, timeoutMs: options.timeoutMs ?? 2000 });
    if (event) recordedState.set(key, valueAfter(event.operation));
    else {
      await client?.[Symbol.asyncDispose]();
      client = pick(options, ++context);
      await pause(50);
    }
    await pause(paceMs);
  }
  await client?.[Symbol.asyncDispose]();
}

function pick({ endpoints, connect }: WorkloadOptions, context: number): EtcdClient | undefined {
  const all = endpoints();
  const endpoint = all[context % Math.max(1, all.length)];
  return endpoint === undefined ? undefined : connect(endpoint);
}

type Wish =
  | { readonly do: "read" }
  | { readonly do: "write"; readonly value: string }
  | { readonly do: "delete" }
  | { readonly do: "swap"; readonly from: Value; readonly to: string };

function chooseWish(chance: number, { next, known }: { next: string; known: Value }): Wish {
  if (chance < 0.4) return { do: "read" };
  if (chance < 0.75) return { do: "write", value: next };
  if (chance < 0.95) return { do: "swap", from: known, to: next };
  return { do: "delete" };
}

interface Attempt {
  readonly client: EtcdClient | undefined;
  readonly key: string;
  readonly wish: Wish;
  readonly number: number;
  readonly run: Run;
  readonly timeoutMs: number;
}

/** Runs the operation and records it; undefined when it failed. An operation with an unknown outcome stays open in the history. */
async function attempt({ client, key, wish, number, run, timeoutMs }: Attempt): Promise<Event | undefined> {
  const began = performance.now();
  const note = (operation: Operation, ended: number, revision?: number): Event => {
    const event = { key, client: number, operation, began, ended, ...(revision === undefined ? {} : { revision }) };
    run.history.push(event);
    return event;
  };
  try {
    if (client === undefined) throw new TypeError("there is no member");
    const { operation, revision } = await perform(client, { key, wish, timeoutMs });
    return note(operation, performance.now(), revision);
  } catch (error) {
    const code = error instanceof EtcdError ? error.code : "NoMember";
    run.failures[code] = (run.failures[code] ?? 0) + 1;
    run.failedAt.push(performance.now());
    const maybeDone = error instanceof EtcdError && error.maybeDone;
    if (maybeDone && wish.do !== "read") note(toOpen(wish), Number.POSITIVE_INFINITY);
    return undefined;
  }
}

interface Performance {
  readonly key: string;
  readonly wish: Wish;
  readonly timeoutMs: number;
}

async function perform(
  { kv }: EtcdClient,
  { key, wish, timeoutMs }: Performance,
): Promise<{ readonly operation: Operation; readonly revision?: number }> {
  switch (wish.do) {
    case "read":
      return { operation: { do: "read", saw: (await kv.get(key, { timeoutMs }))?.value.toString() } };
    case "write": {
      const { revision } = await kv.put(key, wish.value, { timeoutMs });
      return { operation: wish, revision };
    }
    case "delete": {
      // A delete that deletes nothing does not create a revision.
      const { revision, deleted } = await kv.delete({ key }, { timeoutMs });
      return deleted > 0 ? { operation: wish, revision } : { operation: { do: "read", saw: undefined } };
    }
    case "swap":
      return swap(kv, { key, wish, timeoutMs });
  }
}

async function swap(
  kv: EtcdClient["kv"],
  { key, wish, timeoutMs }: Performance & { readonly wish: Wish & { do: "swap" } },
): Promise<{ readonly operation: Operation; readonly revision?: number }> {
  const { from, to } = wish;
  const condition = from === undefined ? { key, is: "=" as const, version: 0 } : { key, is: "=" as const, value: from };
  const answer = await kv.txn(
    {
      when: [condition],
      then: [{ do: "put", key, value: to }],
      otherwise: [{ do: "get", keys: { key } }],
    },
    { timeoutMs },
  );
  if (answer.succeeded) return { operation: { ...wish, outcome: { is: "done" } }, revision: answer.revision };
  const [first] = answer.answers;
  const saw = first?.did === "get" ? first.range.kvs[0]?.value.toString() : undefined;
  return { operation: { ...wish, outcome: { is: "refused", saw } } };
}

function toOpen(wish: Exclude<Wish, { do: "read" }>): Operation {
  return wish.do === "swap" ? { ...wish, outcome: { is: "unknown" } } : wish;
}

/** The value that this client expects under the key: the start of its next conditional write. */
function valueAfter(operation: Operation): Value {
  switch (operation.do) {
    case "read":
      return operation.saw;
    case "write":
      return operation.value;
    case "delete":
      return undefined;
    case "swap":
      return operation.outcome.is === "refused" ? operation.outcome.saw : operation.to;
  }
}

/** Without these reads a write that was lost at the very end would not be noticed. */
async function readOnceMore(options: WorkloadOptions, run: Run, names: readonly string[]): Promise<void> {
  const end = performance.now() + 60_000;
  for (const key of names) {
    for (let context = 0; ; context++) {
      const client = pick(options, context);
      const event = await attempt({ client, key, wish: { do: "read" }, number: -1, run, timeoutMs: 5000 });
      await client?.[Symbol.asyncDispose]();
      if (event) break;
      if (performance.now() > end) throw new Error(`could not read ${key} at the end: no member answers`);
      await pause(100);
    }
  }
}

function toSteps({ history, failedAt }: Run, marks: readonly Mark[], end: number): StepReport[] {
  const done = history.filter(({ ended }) => ended <= end);
  return marks.map(({ name, at }, index) => {
    const until = marks[index + 1]?.at ?? end;
    const inside = (time: number): boolean => time >= at && time < until;
    const acknowledged = done.filter(({ ended }) => inside(ended));
    const writes = acknowledged.filter(({ operation }) => operation.do !== "read");
    return {
      name,
      seconds: (until - at) / 1000,
      acknowledged: acknowledged.length,
      failed: failedAt.filter(inside).length,
      longestGapMs: longestGap(acknowledged, at, until),
      longestWriteGapMs: longestGap(writes, at, until),
    };
  });
}

function longestGap(events: readonly Event[], from: number, until: number): number {
  const times = [from, ...events.map(({ ended }) => ended).sort((a, b) => a - b), until];
  return Math.round(times.reduce((longest, time, at) => Math.max(longest, time - (times[at - 1] ?? time)), 0));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
