/** Network probes of a node: HTTP, TCP and the gRPC health service, each over a connection from inside the node's network. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import type { Clock } from "@capstan/client";
import { formatDuration } from "@capstan/model";
import { NodeError } from "../errors.ts";
import type { CheckResult, NetworkCheck } from "../runtime/runtime.ts";
import { askGrpc } from "./health-rpc.ts";

/** Not imported: as an ES module node:http loads undici, 14 MiB that this package does not use. */
const { request: httpRequest } = process.getBuiltinModule("node:http");

export interface CheckTools {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly dial: (host: string, port: number) => Promise<Socket>;
}

/** Waits until the shim server reports that the target was reached. */
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

/** Runs one probe; any error is a failed probe. */
export async function checkNetwork(check: NetworkCheck, tools: CheckTools): Promise<CheckResult> {
  const line = new Line(check, tools);
  let timer;
  const late = new Promise<CheckResult>((resolve) => {
    timer = tools.clock.later(tools.timeoutMs, () => {
      const { isReached } = line;
      resolve({ passed: false, output: lateness(check, { timeoutMs: tools.timeoutMs, isReached }) });
    });
  });
  const work = async (): Promise<CheckResult> => {
    try {
      return await ask(check, line);
    } catch (thrown) {
      return { passed: false, output: explain(check, thrown, tools.timeoutMs) };
    }
  };
  try {
    return await Promise.race([work(), late]);
  } finally {
    (timer as { cancel(): void } | undefined)?.cancel();
    line.close();
  }
}

/** The connections of one probe: all are closed when it is over, also one that opens too late. */
class Line {
  readonly #check: NetworkCheck;
  readonly #tools: CheckTools;
  readonly #sockets: Socket[] = [];
  #isOver = false;

  constructor(check: NetworkCheck, tools: CheckTools) {
    this.#check = check;
    this.#tools = tools;
  }

  get isReached(): boolean {
    return this.#sockets.length > 0;
  }

  async connect(port: number = this.#check.port): Promise<Socket> {
    const socket = await this.#tools.dial(this.#check.host, port);
    this.#sockets.push(socket);
    if (this.#isOver) socket.destroy();
    return socket;
  }

  close(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Failures have the messages of Go's clients, because users and tools search for them. */
function explain(check: NetworkCheck, thrown: unknown, timeoutMs: number): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  // The gRPC client retries until the timeout, whatever the error.
  if (check.type === "grpc") return lateness(check, { timeoutMs, isReached: false });
  const words = `dial tcp ${check.host}:${check.port}: connect: connection refused`;
  return asked(check, message.includes("ECONNREFUSED") ? words : message);
}

function lateness(
  check: NetworkCheck,
  { timeoutMs, isReached }: { readonly timeoutMs: number; readonly isReached: boolean },
): string {
  const time = formatDuration(BigInt(Math.round(timeoutMs)) * 1_000_000n);
  if (check.type === "grpc")
    return isReached
      ? `timeout: health rpc did not complete within ${time}`
      : `timeout: failed to connect service "${check.host}:${check.port}" within ${time}: context deadline exceeded`;
  if (check.type === "tcp") return `dial tcp ${check.host}:${check.port}: i/o timeout`;
  return asked(check, "context deadline exceeded (Client.Timeout exceeded while awaiting headers)");
}

function asked(check: NetworkCheck, why: string): string {
  if (check.type !== "http") return why;
  return `Get "${check.scheme.toLowerCase()}://${check.host}:${check.port}${check.path}": ${why}`;
}

async function ask(check: NetworkCheck, line: Line): Promise<CheckResult> {
  switch (check.type) {
    case "tcp":
      await line.connect();
      return { passed: true, output: "" };
    case "http":
      return askHttp(check, line);
    case "grpc":
      return askGrpc(check, await line.connect());
  }
}

type HttpCheck = Extract<NetworkCheck, { readonly type: "http" }>;

const longestBody = 10 * 1024;
const mostRedirects = 10;

/** A response from 200 to 399 is a success. A redirect on the same host is followed; a redirect to another host is a success. */
async function askHttp(check: HttpCheck, line: Line): Promise<CheckResult> {
  const host = `${check.scheme.toLowerCase()}://${check.host.includes(":") ? `[${check.host}]` : check.host}:${check.port}`;
  let url = new URL(check.path.startsWith("/") ? check.path : `/${check.path}`, host);
  for (let redirects = 0; ; redirects++) {
    const response = await get(url, check, line);
    const code = response.statusCode ?? 0;
    const next = nextOf(response, url);
    if (next === undefined || next.hostname !== url.hostname) {
      const passed = code >= 200 && code < 400;
      return { passed, output: passed ? await startOf(response) : `HTTP probe failed with statuscode: ${code}` };
    }
    if (redirects === mostRedirects) throw new NodeError("Internal", `stopped after ${mostRedirects} redirects`);
    url = next;
  }
}

/** Certificates are not verified: a probe only checks that a server responds. */
async function get(url: URL, check: HttpCheck, line: Line): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  const socket = await line.connect(Number(url.port || (isSecure ? 443 : 80)));
  const connection = isSecure ? tlsConnect({ socket, rejectUnauthorized: false }) : socket;
  const headers: { [name: string]: string } = { "user-agent": "kube-probe/1.36", accept: "*/*", host: url.host };
  for (const [name, value] of check.headers) headers[name.toLowerCase()] = value;
  const path = `${url.pathname}${url.search}`;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ method: "GET", path, headers, createConnection: () => connection }, resolve);
    request.once("error", reject);
    request.end();
  });
}

const redirecting = new Set([301, 302, 303, 307, 308]);

function nextOf({ statusCode = 0, headers: { location = "" } }: IncomingMessage, from: URL): URL | undefined {
  if (!redirecting.has(statusCode) || location === "" || !URL.canParse(location, from.href)) return undefined;
  return new URL(location, from);
}

/** A response may be endless: this much is enough to know that the server responds. */
async function startOf(response: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of response) {
    body += String(chunk);
    if (body.length >= longestBody) break;
  }
  return body.slice(0, longestBody);
}
