/** The logs of a container as chunks, lines or text. */
import { pathOf, withQuery } from "../call/path.ts";
import { attemptOf } from "../call/read.ts";
import { toCallError } from "../call/send.ts";
import type { CallOptions, Sender } from "../call/send.ts";
import { concat, decode } from "../transport/body.ts";
import { createLineSplitter } from "../watch/lines.ts";
import { pods } from "./target.ts";
import type { PodTarget } from "./target.ts";

/** Which part of the logs. */
export interface LogOptions extends CallOptions {
  /** Required for pods with several containers. */
  readonly container?: string | undefined;
  /** Follow new output. */
  readonly follow?: boolean | undefined;
  /** Of the previous container instance. */
  readonly previous?: boolean | undefined;
  readonly sinceSeconds?: number | undefined;
  /** RFC 3339. */
  readonly sinceTime?: string | undefined;
  readonly timestamps?: boolean | undefined;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
}

/** Logs, read once: chunks with `for await`, lines, or everything. */
export interface Logs extends AsyncIterable<Uint8Array> {
  lines(): AsyncGenerator<string>;
  text(): Promise<string>;
}

/** The logs of a pod. The request is sent when reading starts. */
export function readLogs(sender: Sender, target: PodTarget & LogOptions): Logs {
  const chunks = (): AsyncGenerator<Uint8Array> => logChunks(sender, target);
  return {
    [Symbol.asyncIterator]: chunks,
    lines: () => toLines(chunks()),
    text: async () => decode(concat([...(await Array.fromAsync(chunks())), new Uint8Array()])),
  };
}

async function* logChunks(sender: Sender, target: PodTarget & LogOptions): AsyncGenerator<Uint8Array> {
  const { namespace, name, container, follow, previous, sinceSeconds, sinceTime, timestamps } = target;
  const place = { namespace, name, subresource: "log" };
  const { tailLines, limitBytes } = target;
  const query = { container, follow, previous, sinceSeconds, sinceTime, timestamps, tailLines, limitBytes };
  const attempt = attemptOf("get", pods, place);
  const path = withQuery(pathOf(pods, place), query);
  const headers = { accept: "*/*" };
  const opened = await sender.open({ attempt, method: "GET", path, headers, options: target });
  try {
    yield* opened.response.body;
  } catch (thrown) {
    throw toCallError(thrown, attempt, target.signal);
  } finally {
    opened.response.body.cancel();
    opened.end();
  }
}

async function* toLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const cutter = createLineSplitter("keep empty lines");
  for await (const chunk of chunks) {
    for (const line of cutter.push(chunk)) yield decode(line);
  }
  const rest = cutter.remainder();
  if (rest !== undefined) yield decode(rest);
}
