/** A stand-in for etcd: it says that it is well and keeps nothing. */
import type { Server } from "node:http";
import { lastValue, type Flags } from "./flags.ts";

/** Not imported: as an ES module node:http brings undici with it, 14 MiB that nobody here uses. */
const { createServer } = process.getBuiltinModule("node:http");

/** The flags that mean something here; others are accepted and have no effect. */
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

/** Listens where the flags say. */
export function startEtcd(flags: Flags): Server {
  const { hostname, port } = new URL(lastValue(flags, "listen-client-urls") ?? "http://127.0.0.1:2379");
  const server = createServer((request, response) => {
    const body = answers[new URL(request.url ?? "/", "http://etcd").pathname];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(body ?? "404 page not found\n");
  });
  return server.listen(Number(port), hostname);
}
