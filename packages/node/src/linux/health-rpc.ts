/** Calls the gRPC health service over a connection. */
import { connect as http2Connect } from "node:http2";
import type { Socket } from "node:net";
import type { CheckResult, NetworkCheck } from "../runtime/runtime.ts";

const MOST_CHUNKS = 16;

/** `grpc.health.v1.Health/Check`: the service is serving when field 1 of the response is 1. */
export async function askGrpc(
  check: Extract<NetworkCheck, { readonly type: "grpc" }>,
  socket: Socket,
): Promise<CheckResult> {
  const session = http2Connect(`http://${check.host}:${check.port}`, { createConnection: () => socket });
  try {
    return await new Promise<CheckResult>((resolve, reject) => {
      session.once("error", reject);
      const stream = session.request({
        ":method": "POST",
        ":path": "/grpc.health.v1.Health/Check",
        "content-type": "application/grpc",
        te: "trailers",
        "user-agent": "kube-probe/1.36",
      });
      const chunks: Buffer[] = [];
      let outcome: RpcOutcome = { status: "", message: "" };
      const read = (headers: { readonly [name: string]: unknown }): void => {
        const { "grpc-status": status = outcome.status, "grpc-message": message = outcome.message } = headers;
        outcome = { status: String(status), message: String(message) };
      };
      stream.on("response", read);
      stream.on("trailers", read);
      // The first bytes are enough; an endless response is not read further.
      stream.on("data", (chunk: Buffer) => {
        if (chunks.length < MOST_CHUNKS) chunks.push(chunk);
      });
      stream.once("error", reject);
      stream.once("close", () => resolve(healthOf(Buffer.concat(chunks), outcome)));
      stream.end(healthRequest(check.service));
    });
  } finally {
    session.destroy();
  }
}

function healthRequest(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Seven bits in each byte, the lowest first. */
function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

/** The result of a call. */
interface RpcOutcome {
  readonly status: string;
  readonly message: string;
}

const unimplemented = "12";
const codes =
  "OK Canceled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied ResourceExhausted FailedPrecondition Aborted OutOfRange Unimplemented Internal Unavailable DataLoss Unauthenticated".split(
    " ",
  );
const healths = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];

/** The response is a message with one number, which defaults to 0. */
function healthOf(answer: Buffer, { status, message }: RpcOutcome): CheckResult {
  const words = wordsOf(message);
  if (status === unimplemented) {
    const why = "this server does not implement the grpc health protocol (grpc.health.v1.Health)";
    return { passed: false, output: `error: ${why}: ${words}` };
  }
  if (status !== "0") {
    const code = codes[Number(status || 2)] ?? `Code(${status})`;
    return { passed: false, output: `error: health rpc probe failed: rpc error: code = ${code} desc = ${words}` };
  }
  const health = answer[5] === 0x08 ? (answer[6] ?? 0) : 0;
  if (health === 1) return { passed: true, output: "service healthy" };
  return { passed: false, output: `service unhealthy (responded with "${healths[health] ?? health}")` };
}

/** Programs may send invalid percent-encoding: it is shown as it is. */
function wordsOf(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
