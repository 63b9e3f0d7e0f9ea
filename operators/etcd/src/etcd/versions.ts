/** Reads a member's /version endpoint, the only source of the cluster version. */
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import type { Clock } from "capstan";
import type { CallOptions, ConnectOptions, Versions } from "./client.ts";
import { startDeadline } from "./deadline.ts";
import { openConnection } from "./dial.ts";
import { EtcdError } from "./errors.ts";

/** Uses a separate connection: the port serves HTTP/1.1 beside gRPC. */
export async function readVersions(options: ConnectOptions, clock: Clock, call: CallOptions = {}): Promise<Versions> {
  const { endpoint, timeoutMs = 5000 } = options;
  using deadline = startDeadline({ clock, endpoint, what: "/version", timeoutMs, ...call });
  try {
    const connection = await openConnection(options, "http/1.1", deadline.signal);
    try {
      return parseVersions(await getPage(connection, endpoint, deadline.signal), endpoint);
    } finally {
      connection.destroy();
    }
  } catch (error) {
    throw deadline.failure(false) ?? toError(error, endpoint);
  }
}

function getPage(connection: Duplex, endpoint: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host: new URL(endpoint).host, connection: "close" };
    const asked = request({ path: "/version", headers, signal, createConnection: () => connection });
    asked.once("error", reject);
    asked.once("response", (answer: IncomingMessage) => void text(answer).then(resolve, reject));
    asked.end();
  });
}

function parseVersions(page: string, endpoint: string): Versions {
  const { etcdserver, etcdcluster, storage } = JSON.parse(page) as Record<string, unknown>;
  if (typeof etcdserver !== "string" || typeof etcdcluster !== "string") {
    const message = `etcd at ${endpoint} has a /version page that names no version`;
    throw new EtcdError("Malformed", message, { endpoint, maybeDone: false });
  }
  return {
    server: etcdserver,
    cluster: etcdcluster,
    ...(typeof storage === "string" && storage !== "" ? { storage } : {}),
  };
}

function toError(error: unknown, endpoint: string): EtcdError {
  if (error instanceof EtcdError) return error;
  const code = error instanceof SyntaxError ? "Malformed" : "Unreachable";
  const why = error instanceof Error ? error.message : String(error);
  const message = `could not read the version of etcd at ${endpoint}: ${why}`;
  return new EtcdError(code, message, { endpoint, maybeDone: false, cause: error });
}
