/** Exec and attach over the channel protocols v5 and v4 of Kubernetes. */
import type { Status } from "@capstan/model";
import { pathOf, withQuery } from "../call/path.ts";
import type { Query } from "../call/path.ts";
import type { CallOptions } from "../call/send.ts";
import { ApiError } from "../error/api-error.ts";
import { describeAttempt } from "../error/attempt.ts";
import type { Attempt } from "../error/attempt.ts";
import { ConnectionError } from "../error/connection-error.ts";
import { concat, decode } from "../transport/body.ts";
import type { MessageSocket } from "../transport/transport.ts";
import { openSocket } from "./socket.ts";
import type { Opener } from "./socket.ts";
import { connectAttempt, pods } from "./target.ts";
import type { PodTarget } from "./target.ts";

/** How to attach to a container. */
export interface AttachOptions extends Pick<CallOptions, "signal" | "timeoutMs"> {
  readonly container?: string | undefined;
  /** Whether stdin is used. */
  readonly stdin?: boolean | undefined;
  /** Uses a terminal: stdout and stderr are merged. */
  readonly tty?: boolean | undefined;
}

/** What to run in a container. */
export interface ExecOptions extends AttachOptions {
  readonly command: readonly string[];
}

/** A chunk of output. */
export interface Output {
  readonly stream: "stdout" | "stderr";
  readonly bytes: Uint8Array;
}

/** How a program exited. */
export interface Exit {
  /** 0 for success; -1 if the program could not start. */
  readonly code: number;
  readonly status: Status | undefined;
}

/** The output and exit of a program. */
export interface Finished extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/** A running program. Its output must be read for it to continue; leaving the loop ends the session. */
export interface ExecSession extends AsyncIterable<Output> {
  write(bytes: Uint8Array | string): Promise<void>;
  /** Closes stdin. */
  end(): Promise<void>;
  resize(size: { readonly width: number; readonly height: number }): Promise<void>;
  /** Reads the remaining output. */
  finish(): Promise<Finished>;
  /** The exit; settles after the output is read, and rejects if reading stops early. */
  readonly exit: Promise<Exit>;
  close(): void;
}

/** v5 can close stdin, v4 cannot; servers before 1.30 know only v4. */
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** Runs a program. */
export function exec(opener: Opener, target: PodTarget & ExecOptions): Promise<ExecSession> {
  return startSession(opener, target, { subresource: "exec", query: { command: target.command } });
}

/** Attaches to the main program of a container. */
export function attach(opener: Opener, target: PodTarget & AttachOptions): Promise<ExecSession> {
  return startSession(opener, target, { subresource: "attach", query: {} });
}

interface SessionRequest {
  readonly subresource: "exec" | "attach";
  readonly query: Query;
}

async function startSession(
  opener: Opener,
  target: PodTarget & AttachOptions,
  asked: SessionRequest,
): Promise<ExecSession> {
  const { namespace, name, container, stdin = false, tty = false } = target;
  const { subresource, query } = asked;
  const path = withQuery(pathOf(pods, { namespace, name, subresource }), {
    ...query,
    container,
    stdin,
    stdout: true,
    // With a terminal there is no stderr; the server rejects a request for it.
    stderr: !tty,
    tty,
  });
  const attempt = connectAttempt(target, subresource);
  return toSession(await openSocket(opener, { attempt, path, protocols, options: target }), attempt);
}

function toSession(socket: MessageSocket, attempt: Attempt): ExecSession {
  const { promise: exit, resolve, reject } = Promise.withResolvers<Exit>();
  // Callers that only read the output see a failure there.
  exit.catch(() => {});

  let isRead = false;
  /** Rejects the exit if it is not settled yet. */
  const leave = (): void => {
    socket.close();
    reject(closedEarlyError(attempt));
  };

  async function* outputs(): AsyncGenerator<Output> {
    let status: Status | undefined;
    isRead = true;
    try {
      for await (const message of socket) {
        const bytes = message.subarray(1);
        if (message[0] === channel.error) status = toStatus(decode(bytes), attempt);
        else if (bytes.length > 0 && message[0] === channel.stdout) yield { stream: "stdout", bytes };
        else if (bytes.length > 0 && message[0] === channel.stderr) yield { stream: "stderr", bytes };
      }
      resolve(toExit(status));
    } catch (error) {
      // The exit is known: later socket errors do not matter.
      if (status !== undefined && error instanceof ConnectionError) return resolve(toExit(status));
      reject(error as Error);
      throw error;
    } finally {
      leave();
    }
  }

  const running = outputs();
  const send = (to: number, bytes: Uint8Array): Promise<void> => socket.send(concat([Uint8Array.of(to), bytes]));
  return {
    exit,
    [Symbol.asyncIterator]: () => running,
    write: (bytes) => send(channel.stdin, typeof bytes === "string" ? Buffer.from(bytes) : bytes),
    end: async () => {
      if (socket.protocol.startsWith("v5")) await send(channel.close, Uint8Array.of(channel.stdin));
    },
    resize: ({ width, height }) => send(channel.resize, Buffer.from(JSON.stringify({ Width: width, Height: height }))),
    finish: () => finish(running, exit),
    // The reader sees the end.
    close: () => (isRead ? socket.close() : leave()),
  };
}

async function finish(outputs: AsyncIterable<Output>, exit: Promise<Exit>): Promise<Finished> {
  const parts = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  for await (const { stream, bytes } of outputs) parts[stream].push(bytes);
  const text = (list: Uint8Array[]): string => Buffer.concat(list).toString("utf8");
  return { ...(await exit), stdout: text(parts.stdout), stderr: text(parts.stderr) };
}

function closedEarlyError(attempt: Attempt): ApiError {
  const message = `Cannot tell how the program ended (${describeAttempt(attempt)}): the session was left before. Read its output to the end, or call finish().`;
  return new ApiError({ code: "ConnectionLost", message, attempt });
}

function toStatus(text: string, attempt: Attempt): Status {
  try {
    const status: unknown = JSON.parse(text);
    if (typeof status === "object" && status !== null) return status as Status;
  } catch {
    // Handled below.
  }
  const message = `Cannot ${describeAttempt(attempt)}: the server's exit message is not a Status (${text.slice(0, 200)}). Check the node's logs.`;
  throw new ApiError({ code: "BadAnswer", message, attempt });
}

/** The Status of this channel has no kind. The exit code is in its causes: reason `ExitCode`, message the number. */
function toExit(status: Status | undefined): Exit {
  if (status?.status === "Success") return { code: 0, status };
  const cause = status?.details?.causes?.find(({ reason }) => reason === "ExitCode");
  const code = Number(cause?.message ?? -1);
  return { code: Number.isInteger(code) ? code : -1, status };
}
