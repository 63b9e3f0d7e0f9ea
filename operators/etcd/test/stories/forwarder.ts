/**
 * Carries connections into a cluster's network: listens on a socket in the file system, which every network namespace can reach, reads
 * one line `host port`, and joins the rest with a connection to there. Run inside the network: `node forwarder.ts <socket> <address>`;
 * its connections come from that address, so that it is not taken for a kubelet and is cut off like any other client.
 */
import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Opens a connection inside. */
type DialInside = (host: string, port: number) => Duplex | Promise<Duplex>;

/** Serves a socket in the file system. */
function startForwarder(path: string, dial: DialInside): Promise<Server> {
  const server = createServer((near) => void join(near, dial).catch(() => near.destroy()));
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => resolve(server));
  });
}

async function join(near: Socket, dial: DialInside): Promise<void> {
  near.on("error", () => near.destroy());
  const line = await firstLine(near);
  const [host = "", port = ""] = line.split(" ");
  const far = await dial(host, Number(port));
  far.on("error", () => near.destroy());
  near.on("close", () => far.destroy());
  far.on("close", () => near.destroy());
  near.write("\n");
  near.pipe(far).pipe(near);
}

/** Reads byte by byte, so that nothing behind the line is consumed. */
async function firstLine(socket: Socket): Promise<string> {
  const bytes: number[] = [];
  for (;;) {
    const chunk: unknown = socket.read(1);
    if (Buffer.isBuffer(chunk)) {
      if (chunk[0] === 10) return Buffer.from(bytes).toString();
      bytes.push(chunk[0] ?? 0);
      continue;
    }
    if (socket.readableEnded || socket.destroyed) throw new Error("no line");
    await new Promise((resolve) => socket.once("readable", resolve).once("close", resolve));
  }
}

/** The other end: a dial function for etcd clients that uses a forwarder. */
export function dialThrough(path: string) {
  return async (
    { host, port }: { readonly host: string; readonly port: number },
    { signal }: { readonly signal?: AbortSignal },
  ): Promise<Duplex> => {
    const socket = connect(path);
    const abort = (): void => void socket.destroy(new Error("given up"));
    signal?.addEventListener("abort", abort, { once: true });
    socket.write(`${host} ${port}\n`);
    await new Promise<void>((resolve, reject) => {
      const onReadable = (): void => {
        if (socket.read(1) === null) return;
        socket.off("readable", onReadable);
        resolve();
      };
      socket.on("readable", onReadable);
      socket.once("error", reject);
      socket.once("close", () => reject(new Error(`nobody answers at ${host}:${port}`)));
    });
    signal?.removeEventListener("abort", abort);
    return socket;
  };
}

if (import.meta.main) {
  const [, , path = "", localAddress] = process.argv;
  const from = localAddress === undefined ? {} : { localAddress };
  await startForwarder(path, (host, port) => connect({ host, port, noDelay: true, ...from }));
  // The forwarder ends with its parent.
  process.stdin.on("close", () => process.exit(0)).resume();
  process.stdout.write("listening\n");
}
