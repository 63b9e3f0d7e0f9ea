/**
 * Carries connections into a cluster's network: listens on a socket in the file system, reads one line `host port`, and joins the rest with
 * a connection to there. Run inside the network: `node forwarder.ts SOCKET ADDRESS`; its
 * connections come from that address, so that it is not taken for a kubelet and is cut off like any other client.
 */
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** A dial function that uses a forwarder. */
export function dialThrough(path: string) {
  return async (
    { host, port }: { readonly host: string; readonly port: number },
    { signal }: { readonly signal?: AbortSignal },
  ): Promise<Duplex> => {
    const socket = connect(path);
    const abort = (): void => void socket.destroy(new Error(`${host}:${port} does not respond`));
    signal?.addEventListener("abort", abort, { once: true });
    socket.write(`${host} ${port}\n`);
    try {
      await readLine(socket);
    } catch (error) {
      socket.destroy();
      throw new Error(`no connection to ${host}:${port}`, { cause: error });
    } finally {
      signal?.removeEventListener("abort", abort);
    }
    return socket;
  };
}

/** Reads byte by byte, so that nothing behind the line is consumed. */
function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = "";
    const onReadable = (): void => {
      for (let chunk = read(socket); chunk !== undefined; chunk = read(socket)) {
        if (chunk !== "\n") {
          line += chunk;
          continue;
        }
        socket.off("readable", onReadable);
        resolve(line);
        return;
      }
    };
    socket.on("readable", onReadable);
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("closed")));
  });
}

function read(socket: Socket): string | undefined {
  const chunk: unknown = socket.read(1);
  return Buffer.isBuffer(chunk) ? chunk.toString() : undefined;
}

async function join(near: Socket, address: string): Promise<void> {
  near.on("error", () => near.destroy());
  const [host = "", port = ""] = (await readLine(near)).split(" ");
  const far = connect({ host, port: Number(port), noDelay: true, localAddress: address });
  far.on("error", () => near.destroy());
  near.on("close", () => far.destroy());
  far.on("close", () => near.destroy());
  far.once("connect", () => {
    near.write("\n");
    near.pipe(far).pipe(near);
  });
}

if (import.meta.main) {
  const [, , path = "", address = ""] = process.argv;
  const server = createServer((near) => void join(near, address).catch(() => near.destroy()));
  server.listen(path, () => process.stdout.write("listening\n"));
  // The forwarder ends with its parent.
  process.stdin.on("close", () => process.exit(0)).resume();
}
