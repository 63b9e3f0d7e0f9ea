/** Reads the logs of containers: all, the tail, since a time, with timestamps, and with follow. */
import type { Timer } from "@capstan/client";
import { NodeError } from "../errors.ts";
import { parseLogLine } from "../linux/cri-log.ts";
import type { ContainerRecord } from "../pod/situation.ts";
import type { PodWorker } from "../pod/worker.ts";
import type { KubeletTools } from "./api.ts";
import { plain, type KubeletAnswer, type KubeletSink } from "./call.ts";
import { LogTail } from "./log-tail.ts";

/** Which log, and which part of it. */
export interface LogRequest {
  readonly query: URLSearchParams;
  readonly worker: PodWorker;
  readonly record: ContainerRecord;
}

interface LogOptions {
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number;
  readonly limitBytes: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** How often a followed log is read, in milliseconds. */
const interval = 100;

export async function readLogs(request: LogRequest, tools: KubeletTools): Promise<KubeletAnswer> {
  const { streaming } = tools;
  if (streaming === undefined) return plain(200, "");
  const { record, worker, query } = request;
  const attempt = runOf(request);
  const path = streaming.logFile({ pod: worker.situation.pod, container: record.container.spec, attempt });
  const options = optionsOf(query, tools.clock.wall());
  const headers = { "content-type": "text/plain" };
  const isOver = (): boolean => {
    if (!options.follow) return true;
    const now = worker.situation.containers.get(record.container.spec.name);
    return now === undefined || now.life.is === "exited" || now.restarts !== attempt;
  };
  return { status: 200, headers, body: (sink) => follow(new LogReader(path, options), sink, { isOver, tools }) };
}

/** The requested run of the container; one that has not begun has no log. */
function runOf({ query, record, worker }: LogRequest): number {
  const { name } = record.container.spec;
  const pod = worker.situation.pod.metadata.name;
  if (query.get("previous") === "true") {
    if (record.restarts > 0) return record.restarts - 1;
    throw new NodeError("BadRequest", `previous terminated container "${name}" in pod "${pod}" not found`);
  }
  const { life, image, last } = record;
  if (life.is === "running" || life.is === "exited") return record.restarts;
  if (last !== undefined && life.is !== "refused") return Math.max(0, record.restarts - 1);
  const reason =
    life.is === "refused"
      ? life.code
      : image.is === "missing"
        ? "trying and failing to pull image"
        : "ContainerCreating";
  throw new NodeError("BadRequest", `container "${name}" in pod "${pod}" is waiting to start: ${reason}`);
}

function optionsOf(query: URLSearchParams, now: number): LogOptions {
  const number = (name: string): number => (query.has(name) ? Number(query.get(name)) : Infinity);
  const seconds = number("sinceSeconds");
  const sinceTime = query.get("sinceTime");
  return {
    follow: query.get("follow") === "true",
    timestamps: query.get("timestamps") === "true",
    tailLines: number("tailLines"),
    limitBytes: number("limitBytes"),
    since: sinceTime === null ? (seconds === Infinity ? -Infinity : now - seconds * 1000) : Date.parse(sinceTime),
  };
}

/** The most lines that are parsed and shown at once: other requests are served between two pieces. */
const linesPerPiece = 2_000;

/** Reads a log incrementally. */
class LogReader implements AsyncDisposable {
  readonly #tail: LogTail;
  readonly #options: LogOptions;
  #partial = "";
  #isFirst = true;
  /** Lines that were read and not shown yet. */
  #lines: readonly string[] = [];
  #left: number;
  #startsLine = true;

  constructor(path: string, options: LogOptions) {
    this.#tail = new LogTail(path);
    this.#options = options;
    this.#left = options.limitBytes;
  }

  /** Whether the byte limit of the request has been reached. */
  get isFull(): boolean {
    return this.#left <= 0;
  }

  /** The next text to show; `undefined` if there is no more yet. */
  async next(): Promise<string | undefined> {
    if (this.#isFirst && this.#options.tailLines < Infinity) this.#lines = await this.#lastLines();
    this.#isFirst = false;
    if (this.#lines.length === 0) {
      const lines = await this.#read();
      if (lines === undefined) return undefined;
      this.#lines = lines;
    }
    const piece = this.#lines.slice(0, linesPerPiece);
    this.#lines = this.#lines.slice(linesPerPiece);
    return this.#cut(piece.map((line) => this.#show(line)).join(""));
  }

  /** The next whole lines of the file. */
  async #read(): Promise<string[] | undefined> {
    const piece = await this.#tail.piece();
    if (piece === undefined) return undefined;
    const end = piece.lastIndexOf("\n") + 1;
    if (end === 0) {
      this.#partial += piece;
      return [];
    }
    const text = this.#partial + piece.slice(0, end);
    this.#partial = piece.slice(end);
    return text.split("\n").slice(0, -1);
  }

  /** The last lines that the request asks for. Earlier ones are dropped whenever their number has doubled. */
  async #lastLines(): Promise<readonly string[]> {
    const { tailLines } = this.#options;
    let kept: string[] = [];
    let most = linesPerPiece;
    for (let lines = await this.#read(); lines !== undefined; lines = await this.#read()) {
      for (const line of lines) kept.push(line);
      if (kept.length < most) continue;
      kept = lastLines(kept, tailLines);
      most = Math.max(linesPerPiece, 2 * kept.length);
    }
    return lastLines(kept, tailLines);
  }

  /** The text within the byte limit of the request. */
  #cut(shown: string): string {
    const bytes = Buffer.from(shown);
    if (bytes.length <= this.#left) {
      this.#left -= bytes.length;
      return shown;
    }
    const cut = bytes.subarray(0, this.#left).toString("utf8");
    this.#left = 0;
    return cut;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#tail[Symbol.asyncDispose]();
  }

  #show(line: string): string {
    const entry = parseLogLine(line);
    if (entry === undefined || Date.parse(entry.time) < this.#options.since) return "";
    const time = this.#options.timestamps && this.#startsLine ? `${entry.time} ` : "";
    this.#startsLine = entry.isWhole;
    return `${time}${entry.text}${entry.isWhole ? "\n" : ""}`;
  }
}

/** The last `count` whole lines; the parts of a line count as one. */
function lastLines(lines: readonly string[], count: number): string[] {
  let left = count;
  let start = lines.length;
  while (start > 0) {
    const isEnd = parseLogLine(lines[start - 1] ?? "")?.isWhole === true;
    if (isEnd && left-- === 0) break;
    start--;
  }
  return lines.slice(start);
}

interface Following {
  readonly isOver: () => boolean;
  readonly tools: KubeletTools;
}

function follow(reader: LogReader, sink: KubeletSink, { isOver, tools }: Following): () => void {
  let timer: Timer | undefined;
  let isStopped = false;
  let isWaiting = false;
  const send = async (): Promise<void> => {
    for (;;) {
      if (isStopped || reader.isFull) return;
      const text = await reader.next();
      if (text === undefined || isStopped) return;
      if (text !== "") sink.write(text);
      if (!sink.isFull) continue;
      isWaiting = true;
      await new Promise<void>((resolve) => sink.whenDrained(resolve));
      isWaiting = false;
    }
  };
  const look = async (): Promise<void> => {
    timer = undefined;
    const wasOver = isOver();
    await send();
    if (!isStopped && !wasOver && !reader.isFull) {
      timer = tools.clock.later(interval, begin);
      return;
    }
    await reader[Symbol.asyncDispose]();
    if (!isStopped) sink.end();
  };
  // A file that cannot be read any more ends the stream, and nothing else.
  const begin = (): void =>
    void look().catch(async () => {
      if (!isStopped) sink.end();
      isStopped = true;
      await reader[Symbol.asyncDispose]().catch(() => undefined);
    });
  begin();
  return () => {
    isStopped = true;
    // A read that is in progress closes the file when it is done.
    if (timer === undefined && !isWaiting) return;
    timer?.cancel();
    void reader[Symbol.asyncDispose]();
  };
}
