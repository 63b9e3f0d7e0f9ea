/** Running a program in a container, or attaching to the one that runs: the channel protocols v5 and v4 of Kubernetes. */
import type { Status } from "@capstan/model";
import { pathOf, withQuery } from "../call/path.ts";
import type { Query } from "../call/path.ts";
import type { CallOptions } from "../call/send.ts";
import { concat, decode } from "../transport/body.ts";
import type { MessageSocket, Transport } from "../transport/transport.ts";
import { openSocket } from "./socket.ts";
import { connectAttempt, pods } from "./target.ts";
import type { PodTarget } from "./target.ts";

/** How to attach to a container. */
export interface AttachOptions extends Pick<CallOptions, "signal"> {
  readonly container?: string | undefined;
  /** Whether anything will be written to it. */
  readonly stdin?: boolean | undefined;
  /** A terminal: stdout and stderr become one. */
  readonly tty?: boolean | undefined;
}

/** What to run in a container. */
export interface ExecOptions extends AttachOptions {
  readonly command: readonly string[];
}

/** A piece of output. */
export interface Output {
  readonly stream: "stdout" | "stderr";
  readonly bytes: Uint8Array;
}

/** How a program ended. */
export interface Exit {
  /** 0 for success; -1 where the program could not be run at all. */
  readonly code: number;
  readonly status: Status | undefined;
}

/** Everything that a program did. */
export interface Finished extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs. Its output must be read for it to go on; leaving the loop ends the session. */
export interface ExecSession extends AsyncIterable<Output> {
  write(bytes: Uint8Array | string): Promise<void>;
  /** Closes its stdin. */
  end(): Promise<void>;
  resize(size: { readonly width: number; readonly height: number }): Promise<void>;
  /** Reads what is left to the end. */
  finish(): Promise<Finished>;
  /** How it ended; resolves when the output has been read. */
  readonly exit: Promise<Exit>;
  close(): void;
}

/** v5 can close stdin, v4 cannot; servers before 1.30 know only v4. */
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** Runs a program. */
export function exec(transport: Transport, target: PodTarget & ExecOptions): Promise<ExecSession> {
  return startSession(transport, target, { subresource: "exec", query: { command: target.command } });
}

/** Attaches to the program that a container runs. */
export function attach(transport: Transport, target: PodTarget & AttachOptions): Promise<ExecSession> {
  return startSession(transport, target, { subresource: "attach", query: {} });
}

interface Asked {
  readonly subresource: "exec" | "attach";
  readonly query: Query;
}

async function startSession(
  transport: Transport,
  target: PodTarget & AttachOptions,
  asked: Asked,
): Promise<ExecSession> {
  const { namespace, name, container, stdin = false, tty = false, signal } = target;
  const { subresource, query } = asked;
  const path = withQuery(pathOf(pods, { namespace, name, subresource }), {
    ...query,
    container,
    stdin,
    stdout: true,
    // With a terminal there is no stderr of its own, and asking for one is refused.
    stderr: !tty,
    tty,
  });
  const attempt = connectAttempt(target, subresource);
  return toSession(await openSocket(transport, attempt, { path, headers: {}, protocols, signal }));
}

function toSession(socket: MessageSocket): ExecSession {
  const { promise: exit, resolve, reject } = Promise.withResolvers<Exit>();
  // Who only reads the output sees a failure there.
  exit.catch(() => {});

  async function* outputs(): AsyncGenerator<Output> {
    let status: Status | undefined;
    try {
      for await (const message of socket) {
        const bytes = message.subarray(1);
        if (message[0] === channel.error) status = JSON.parse(decode(bytes)) as Status;
        else if (bytes.length > 0 && message[0] === channel.stdout) yield { stream: "stdout", bytes };
        else if (bytes.length > 0 && message[0] === channel.stderr) yield { stream: "stderr", bytes };
      }
      resolve(toExit(status));
    } catch (error) {
      reject(error as Error);
      throw error;
    } finally {
      socket.close();
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
    close: () => socket.close(),
  };
}

async function finish(outputs: AsyncIterable<Output>, exit: Promise<Exit>): Promise<Finished> {
  const parts = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  for await (const { stream, bytes } of outputs) parts[stream].push(bytes);
  const text = (list: Uint8Array[]): string => Buffer.concat(list).toString("utf8");
  return { ...(await exit), stdout: text(parts.stdout), stderr: text(parts.stderr) };
}

/** The Status of this channel does not say that it is one. The exit code stands in the causes of the Status: reason `ExitCode`, message the number. */
function toExit(status: Status | undefined): Exit {
  if (status?.status === "Success") return { code: 0, status };
  const cause = status?.details?.causes?.find(({ reason }) => reason === "ExitCode");
  return { code: cause === undefined ? -1 : Number(cause.message), status };
}
