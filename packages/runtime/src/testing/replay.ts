/** Replays a recording in virtual time: the operator receives the same events at the same times, and its writes are collected. */
import { ApiError, ConnectionError } from "@capstan/client";
import type { KubeObject, ObjectKey, StoredObject } from "@capstan/model";
import { isLater, keyText, kindId } from "../api.ts";
import type { AnyKind, Api, ListPage, Scope, WatchEvent, WatchRequest } from "../api.ts";
import type { Write } from "../apply/writer.ts";
import { RuntimeError } from "../errors.ts";
import { silentLog } from "../log.ts";
import type { ReconcileRecord } from "../report/explain.ts";
import { namespaceOf, streamOf } from "../program/recording.ts";
import type { RecordedEnd, RecordedLine } from "../program/recording.ts";
import type { Operator } from "../operator.ts";
import { VirtualClock } from "./clock.ts";

/**
 * A write that the operator would have made.
 *
 * @example
 * const describe = ({ at, verb, kind, key }: ReplayedWrite) => `${at} ms: ${verb} ${kind} ${key}`;
 */
export interface ReplayedWrite extends Pick<Write, "verb" | "key"> {
  /** Milliseconds since the recording began. */
  readonly at: number;
  readonly controller: string;
  readonly kind: string;
  /** The object or the patch; undefined for a delete. */
  readonly sent: unknown;
}

/**
 * The result of a replay.
 *
 * @example
 * const first = ({ writes }: Replay) => writes[0];
 */
export interface Replay {
  readonly writes: readonly ReplayedWrite[];
  /** The reconciles of an object with their triggers and results, the latest last. */
  explain(controller: string, key: string): readonly ReconcileRecord[];
}

/** How long the replay continues after the last line, so that its effects can complete, in virtual milliseconds. */
const AFTERMATH = 60_000;

/**
 * Replays the lines of a recording. Nothing is written anywhere.
 *
 * @example
 * const { writes } = await replay(app, '{"at":0}');
 * assert.deepEqual(writes, []);
 */
export async function replay(operator: Operator, recording: string): Promise<Replay> {
  const lines = parseRecording(recording).map((line) => ({ ...line, due: Promise.withResolvers<void>() }));
  const clock = new VirtualClock();
  const writes: ReplayedWrite[] = [];
  const api = new ReplayedApi(lines);
  const running = operator.start({
    api,
    clock,
    random: () => 0.5,
    log: silentLog,
    namespaces: namespacesOf(lines),
    onWrite: (controller, { verb, kind, key }) => {
      const sent = api.sent.get(`${kindId(kind)} ${key}`);
      writes.push({ at: clock.now(), controller, verb, kind: kind.kind, key, sent });
    },
  });
  // One line after the other, with time for its effects: some lines result from what the operator did after earlier ones.
  for (const { at, due } of lines) {
    await clock.advance(Math.max(0, at - clock.now()));
    due.resolve();
    await clock.quiet();
  }
  await clock.advance(AFTERMATH);
  const { history } = running;
  await running.kill();
  return { writes, explain: (controller, key) => history.of(controller, key) };
}

/** A line, and a promise for its time. */
type DueLine = RecordedLine & { readonly due: { readonly promise: Promise<void> } };

function parseRecording(text: string): readonly RecordedLine[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line, at) => {
    try {
      // Only recordingApi writes these; a line that is not JSON was cut off or written by hand.
      return JSON.parse(line) as RecordedLine;
    } catch (cause) {
      throw new RuntimeError("BadSetting", `Cannot read line ${at + 1} of the recording: it is not JSON.`, { cause });
    }
  });
}

/** The nth connection of a stream gets the lines of the nth recorded one; after the last, nothing is delivered. */
class ReplayedApi implements Api {
  readonly #connections: ReadonlyMap<string, readonly DueLine[]>;
  readonly #states: ReadonlyMap<string, readonly StoredObject[]>;
  readonly #counts = new Map<string, number>();
  /** The version of each object that the operator knows, from its own writes or from events. */
  readonly #known = new Map<string, string>();
  /** The last sent object or patch, by object. */
  readonly sent = new Map<string, unknown>();

  constructor(lines: readonly DueLine[]) {
    this.#connections = Map.groupBy(lines, ({ stream, connection }) => `${stream} ${connection}`);
    const states = Map.groupBy(lines.filter(isState), ({ stream, event }) => stateId(stream, event.object));
    this.#states = new Map([...states].map(([id, told]) => [id, told.map(({ event }) => event.object)]));
  }

  list(kind: AnyKind, request: Scope): Promise<ListPage> {
    return pageOf(this.#next(kind, request));
  }

  async *watch(kind: AnyKind, request: WatchRequest): AsyncGenerator<WatchEvent> {
    for await (const event of eventsOf(this.#next(kind, request), request)) {
      if (event.type !== "BOOKMARK") this.#learn(stateId(kindId(kind), event.object), event.object);
      yield event;
    }
  }

  get(kind: AnyKind, { name }: ObjectKey): Promise<StoredObject> {
    const message = `${kind.kind} ${name} is not in the recording.`;
    return Promise.reject(new ApiError({ code: "NotFound", message, status: 404 }));
  }

  create(kind: AnyKind, object: KubeObject): Promise<StoredObject> {
    return this.#answer(kind, object, object);
  }

  apply(kind: AnyKind, object: KubeObject): Promise<StoredObject> {
    return this.#answer(kind, object, object);
  }

  patch(kind: AnyKind, { namespace, name }: ObjectKey, body: unknown): Promise<StoredObject> {
    return this.#answer(kind, { apiVersion: "", kind: kind.kind, metadata: { namespace, name } }, body);
  }

  delete(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  #next(kind: AnyKind, scope: Scope): readonly DueLine[] {
    const stream = streamOf(kind, scope);
    const count = this.#counts.get(stream) ?? 0;
    this.#counts.set(stream, count + 1);
    return this.#connections.get(`${stream} ${count}`) ?? [];
  }

  #learn(id: string, { metadata: { resourceVersion } }: StoredObject): void {
    const known = this.#known.get(id);
    if (known === undefined || isLater(resourceVersion, known)) this.#known.set(id, resourceVersion);
  }

  /**
   * The recorded response, as far as it is known: the next state of the object. The operator then recognizes the events of its own
   * writes. An object without a next state is returned as it was sent.
   */
  #answer(kind: AnyKind, object: KubeObject, sent: unknown): Promise<StoredObject> {
    const id = stateId(kindId(kind), object);
    this.sent.set(id, sent);
    const known = this.#known.get(id) ?? "";
    const next = this.#states.get(id)?.find(({ metadata }) => isLater(metadata.resourceVersion, known));
    if (next !== undefined) this.#learn(id, next);
    return Promise.resolve(next ?? stored(object));
  }
}

async function pageOf(lines: readonly DueLine[]): Promise<ListPage> {
  for (const line of lines) {
    await line.due.promise;
    if ("page" in line) return line.page;
    if ("end" in line) throw errorOf(line.end);
  }
  return { items: [], resourceVersion: "0" };
}

async function* eventsOf(lines: readonly DueLine[], { signal }: WatchRequest): AsyncGenerator<WatchEvent> {
  const aborted = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
  for (const line of lines) {
    await Promise.race([line.due.promise, aborted]);
    if (signal?.aborted === true) return;
    if ("event" in line) yield line.event;
    else if ("end" in line && line.end !== "closed") throw errorOf(line.end);
    else return;
  }
  await aborted;
}

function errorOf(end: RecordedEnd): Error {
  const { code, message } = end === "closed" ? { code: undefined, message: "closed" } : end;
  if (code === undefined) return new Error(message);
  if (code === "ConnectionLost") return new ConnectionError({ code, server: "(recording)", sent: true });
  return new ApiError({ code, message });
}

/** The namespaces of the operator; undefined: all of them. */
function namespacesOf(lines: readonly RecordedLine[]): readonly string[] | undefined {
  const named = new Set(lines.map(({ stream }) => namespaceOf(stream)).filter((name) => name !== ""));
  return named.size === 0 ? undefined : [...named];
}

function isState<L extends RecordedLine>(line: L): line is L & { readonly event: WatchEvent } {
  return "event" in line && (line.event.type === "ADDED" || line.event.type === "MODIFIED");
}

/** A stream is named by its kind and its scope. */
function stateId(stream: string, object: KubeObject): string {
  return `${stream.split(" ", 1)[0]} ${keyText(object)}`;
}

function stored(object: KubeObject): StoredObject {
  const { name = `${object.metadata.generateName ?? ""}new` } = object.metadata;
  return { ...object, metadata: { creationTimestamp: "", uid: "", resourceVersion: "0", ...object.metadata, name } };
}
