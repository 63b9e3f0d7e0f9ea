/** One connection to a port of a pod, through the API server. */
import { pathOf, withQuery } from "../call/path.ts";
import type { CallOptions } from "../call/send.ts";
import { ApiError } from "../error/api-error.ts";
import { describeAttempt } from "../error/attempt.ts";
import type { Attempt } from "../error/attempt.ts";
import { concat, decode } from "../transport/body.ts";
import type { MessageSocket } from "../transport/transport.ts";
import { openSocket } from "./socket.ts";
import type { Opener } from "./socket.ts";
import { connectAttempt, pods } from "./target.ts";
import type { PodTarget } from "./target.ts";

/** Which port. */
export interface PortForwardOptions extends Pick<CallOptions, "signal" | "timeoutMs"> {
  readonly port: number;
}

/** A connection to a port of a pod: read with `for await`, send with `write`. */
export interface PortConnection extends AsyncIterable<Uint8Array> {
  write(bytes: Uint8Array | string): Promise<void>;
  close(): void;
}

const dataChannel = 0;
const errorChannel = 1;

/** Opens a connection. Each has its own socket. */
export async function portForward(opener: Opener, target: PodTarget & PortForwardOptions): Promise<PortConnection> {
  const { namespace, name, port } = target;
  const path = withQuery(pathOf(pods, { namespace, name, subresource: "portforward" }), { ports: port });
  const attempt = connectAttempt(target, "portforward");
  const protocols = ["v4.channel.k8s.io"];
  const socket = await openSocket(opener, { attempt, path, protocols, options: target });
  return {
    [Symbol.asyncIterator]: () => received(socket, attempt),
    write: (bytes) =>
      socket.send(concat([Uint8Array.of(dataChannel), typeof bytes === "string" ? Buffer.from(bytes) : bytes])),
    close: () => socket.close(),
  };
}

/** The first message of both channels repeats the port number; the others are data or an error. */
async function* received(socket: MessageSocket, attempt: Attempt): AsyncGenerator<Uint8Array> {
  const greeted = new Set<number>();
  try {
    for await (const message of socket) {
      const [from = dataChannel] = message;
      const bytes = message.subarray(1);
      if (!greeted.has(from)) greeted.add(from);
      else if (from === dataChannel) yield bytes;
      else if (from === errorChannel && bytes.length > 0) throw portFailed(attempt, decode(bytes));
    }
  } finally {
    socket.close();
  }
}

function portFailed(attempt: Attempt, why: string): ApiError {
  const message = `Cannot ${describeAttempt(attempt)}: ${why.trim()}. Check that something listens on that port.`;
  return new ApiError({ code: "ConnectionLost", message, attempt });
}
