/** Asks over the network of a node: HTTP, TCP and the health service of gRPC, each over a connection from inside. */
import type { IncomingMessage } from "node:http";
import { connect as http2Connect } from "node:http2";
import type { Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import type { Clock } from "@capstan/client";
import { NodeError } from "../errors.ts";
import type { CheckResult, NetworkCheck } from "../runtime/runtime.ts";

/** Not imported: as an ES module node:http brings undici with it, 14 MiB that nobody here uses. */
const { request: httpRequest } = process.getBuiltinModule("node:http");

/** What a check needs. */
export interface CheckTools {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly dial: (host: string, port: number) => Promise<Socket>;
}

/** Waits for the door to say that the other side was reached. */
export function dial(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let head = "";
    const read = (): void => {
      for (let byte = socket.read(1) as Buffer | null; byte !== null; byte = socket.read(1) as Buffer | null) {
        if (byte[0] !== 0x0a) {
          head += byte.toString("latin1");
          continue;
        }
        socket.off("readable", read);
        socket.off("close", fail);
        if (head === "ok") return resolve(socket);
        socket.destroy();
        return reject(new NodeError("Internal", head));
      }
    };
    const fail = (): void => reject(new NodeError("Internal", "the connection was lost"));
    socket.on("error", () => {});
    socket.on("readable", read);
    socket.once("close", fail);
  });
}

/** Makes one check; whatever goes wrong is a failed check. */
export async function checkNetwork(check: NetworkCheck, tools: CheckTools): Promise<CheckResult> {
  let socket: Socket | undefined;
  let timer;
  const late = new Promise<CheckResult>((resolve) => {
    timer = tools.clock.later(tools.timeoutMs, () => resolve({ passed: false, output: lateness(check) }));
  });
  const work = async (): Promise<CheckResult> => {
    try {
      socket = await tools.dial(check.host, check.port);
      return await ask(check, socket);
    } catch (thrown) {
      return { passed: false, output: explain(check, thrown) };
    }
  };
  try {
    return await Promise.race([work(), late]);
  } finally {
    (timer as { cancel(): void } | undefined)?.cancel();
    socket?.destroy();
  }
}

/** Failures are told as Go's clients tell them, because people and tools look for those words. */
function explain(check: NetworkCheck, thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const words = `dial tcp ${check.host}:${check.port}: connect: connection refused`;
  return asked(check, message.includes("ECONNREFUSED") ? words : message);
}

function lateness(check: NetworkCheck): string {
  if (check.type === "tcp") return `dial tcp ${check.host}:${check.port}: i/o timeout`;
  return asked(check, "context deadline exceeded (Client.Timeout exceeded while awaiting headers)");
}

function asked(check: NetworkCheck, why: string): string {
  if (check.type !== "http") return why;
  return `Get "${check.scheme.toLowerCase()}://${check.host}:${check.port}${check.path}": ${why}`;
}

function ask(check: NetworkCheck, socket: Socket): Promise<CheckResult> {
  switch (check.type) {
    case "tcp":
      return Promise.resolve({ passed: true, output: "" });
    case "http":
      return askHttp(check, socket);
    case "grpc":
      return askGrpc(check, socket);
  }
}

const longestBody = 10 * 1024;

/** Any answer from 200 to 399 is a good one. Certificates are not checked: a probe asks whether somebody is there. */
async function askHttp(check: Extract<NetworkCheck, { readonly type: "http" }>, socket: Socket): Promise<CheckResult> {
  const connection = check.scheme === "HTTPS" ? tlsConnect({ socket, rejectUnauthorized: false }) : socket;
  const headers: { [name: string]: string } = { "user-agent": "kube-probe/1.36", accept: "*/*" };
  headers["host"] = `${check.host}:${check.port}`;
  for (const [name, value] of check.headers) headers[name.toLowerCase()] = value;
  const path = check.path.startsWith("/") ? check.path : `/${check.path}`;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = httpRequest({ method: "GET", path, headers, createConnection: () => connection }, resolve);
    request.once("error", reject);
    request.end();
  });
  let body = "";
  for await (const chunk of response) if (body.length < longestBody) body += String(chunk);
  const code = response.statusCode ?? 0;
  if (code >= 200 && code < 400) return { passed: true, output: body };
  return { passed: false, output: `HTTP probe failed with statuscode: ${code}` };
}

/** `grpc.health.v1.Health/Check`: the service is serving when the answer's field 1 is 1. */
async function askGrpc(check: Extract<NetworkCheck, { readonly type: "grpc" }>, socket: Socket): Promise<CheckResult> {
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
      let status = "";
      stream.on("response", (headers) => (status = String(headers["grpc-status"] ?? "")));
      stream.on("trailers", (headers) => (status = String(headers["grpc-status"] ?? status)));
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.once("error", reject);
      stream.once("close", () => resolve(healthOf(Buffer.concat(chunks), status, check.service)));
      stream.end(healthRequest(check.service));
    });
  } finally {
    session.destroy();
  }
}

function healthRequest(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function healthOf(answer: Buffer, status: string, service: string): CheckResult {
  const isServing = status === "0" && answer.length >= 7 && answer[5] === 0x08 && answer[6] === 1;
  return {
    passed: isServing,
    output: isServing ? "service healthy" : `service unhealthy (responded with "${service}" ${status})`,
  };
}
