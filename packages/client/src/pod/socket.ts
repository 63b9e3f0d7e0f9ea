/** Opens sockets to pods, and turns a refusal into an error that names what was to be done. */
import { explain } from "../call/send.ts";
import { ApiError } from "../error/api-error.ts";
import { describeAttempt } from "../error/attempt.ts";
import type { Attempt } from "../error/attempt.ts";
import { statusIn, toApiError } from "../error/from-response.ts";
import { SocketRefused } from "../network/socket-refused.ts";
import type { MessageSocket, SocketRequest, Transport } from "../transport/transport.ts";

/** Opens a socket over a transport. */
export async function openSocket(
  transport: Transport,
  attempt: Attempt,
  request: SocketRequest,
): Promise<MessageSocket> {
  if (transport.open === undefined) {
    const message = `Cannot ${describeAttempt(attempt)}: this transport carries no sockets. Use a connection over the network.`;
    throw new ApiError({ code: "NotSupported", message, attempt });
  }
  try {
    return await transport.open(request);
  } catch (thrown) {
    if (!(thrown instanceof SocketRefused)) throw explain(thrown, attempt, request.signal);
    const status = statusIn(thrown.body);
    const text = status === undefined ? thrown.body.slice(0, 200) : undefined;
    throw toApiError({ httpStatus: thrown.status, attempt, status, text });
  }
}
