/** Opens sockets to pods within the call's deadline, and converts a rejected upgrade into an error that names the attempt. */
import { orAborted } from "../abort/or-aborted.ts";
import { toCallError } from "../call/send.ts";
import type { CallOptions, Sender } from "../call/send.ts";
import { ApiError } from "../error/api-error.ts";
import { describeAttempt } from "../error/attempt.ts";
import type { Attempt } from "../error/attempt.ts";
import { statusIn, toApiError } from "../error/from-response.ts";
import { UpgradeError } from "../network/upgrade-error.ts";
import type { MessageSocket, Transport } from "../transport/transport.ts";

/** What opens sockets. */
export interface Opener {
  readonly sender: Sender;
  readonly transport: Transport;
}

/** A socket to be opened. */
export interface SocketCall {
  readonly attempt: Attempt;
  readonly path: string;
  readonly protocols: readonly string[];
  readonly options: CallOptions;
}

/** Opens a socket. The deadline applies until it is open, the caller's signal until it is closed. */
export async function openSocket({ sender, transport }: Opener, call: SocketCall): Promise<MessageSocket> {
  const { attempt, path, protocols, options } = call;
  if (transport.open === undefined) throw notSupported(attempt);
  const deadline = sender.start(options);
  const { signal } = deadline;
  const opening = transport.open({ path, headers: {}, protocols, signal });
  try {
    const socket = await orAborted(opening, signal);
    deadline.lift();
    return untilClosed(socket, () => deadline.end());
  } catch (thrown) {
    deadline.end();
    // A socket that opens after the deadline is closed.
    opening.then(
      (late) => late.close(),
      () => {},
    );
    throw thrown instanceof UpgradeError ? toUpgradeApiError(thrown, attempt) : toCallError(thrown, attempt, signal);
  }
}

/** Releases the caller's signal when the socket is read to its end or closed. */
function untilClosed(socket: MessageSocket, end: () => void): MessageSocket {
  return {
    protocol: socket.protocol,
    send: (message) => socket.send(message),
    close() {
      socket.close();
      end();
    },
    async *[Symbol.asyncIterator]() {
      try {
        yield* socket;
      } finally {
        end();
      }
    },
  };
}

function toUpgradeApiError({ status: httpStatus, body }: UpgradeError, attempt: Attempt): ApiError {
  const status = statusIn(body);
  return toApiError({ httpStatus, attempt, status, text: status === undefined ? body.slice(0, 200) : undefined });
}

function notSupported(attempt: Attempt): ApiError {
  const message = `Cannot ${describeAttempt(attempt)}: this transport carries no sockets. Use a connection over the network.`;
  return new ApiError({ code: "NotSupported", message, attempt });
}
