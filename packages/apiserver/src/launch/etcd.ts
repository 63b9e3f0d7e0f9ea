/** A substitute for etcd: it reports healthy and stores nothing. */
import type { Server } from "node:http";
import { lastValue, type Flags } from "./flags.ts";

/** Not imported: the ES module of node:http loads undici, 14 MiB that are not used here. */
const { createServer } = process.getBuiltinModule("node:http");

/** The flags with an effect; others are accepted and ignored. */
export const etcdFlags: readonly string[] = [
  "advertise-client-urls",
  "data-dir",
  "listen-client-urls",
  "listen-peer-urls",
  "unsafe-no-fsync",
];

const answers: Readonly<Record<string, string>> = {
  "/health": '{"health":"true","reason":""}',
  "/version": '{"etcdserver":"3.6.0","etcdcluster":"3.6.0","storage":"3.6.0"}',
};

/** Listens at the addresses of the flags. */
export function startEtcd(flags: Flags): Server {
  const { hostname, port } = new URL(lastValue(flags, "listen-client-urls") ?? "http://127.0.0.1:2379");
  const server = createServer((request, response) => {
    const body = answers[new URL(request.url ?? "/", "http://etcd").pathname];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(body ?? "404 page not found\n");
  });
  return server.listen(Number(port), hostname);
}
