/** A program that queries a memcached in three ways, and prints the throughput: small values, large ones, and new connections. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

const [host = "", port = ""] = process.argv.slice(2);
const MILLISECONDS = 2000;
const SMALL = 100;
const LARGE = 500_000;
const TOGETHER = 32;

async function open(): Promise<Socket> {
  const socket = connect({ host, port: Number(port), noDelay: true });
  await once(socket, "connect");
  return socket;
}

async function store(key: string, size: number): Promise<void> {
  const socket = await open();
  socket.write(`set ${key} 0 0 ${size}\r\n${"x".repeat(size)}\r\n`);
  await once(socket, "data");
  socket.destroy();
}

/** Reads a value again and again, several at a time on one connection; returns bytes per second. */
async function fetchOn(key: string, size: number, together: number): Promise<number> {
  const answer = `VALUE ${key} 0 ${size}\r\n`.length + size + "\r\nEND\r\n".length;
  const socket = await open();
  const question = `get ${key}\r\n`.repeat(together);
  const began = performance.now();
  let total = 0;
  while (performance.now() - began < MILLISECONDS) {
    socket.write(question);
    for (let missing = answer * together; missing > 0;) {
      const [chunk] = (await once(socket, "data")) as [Buffer];
      missing -= chunk.length;
      total += chunk.length;
    }
  }
  socket.destroy();
  return (total / (performance.now() - began)) * 1000;
}

async function connectOn(): Promise<number> {
  const began = performance.now();
  let count = 0;
  for (; performance.now() - began < MILLISECONDS; count++) {
    const socket = await open();
    socket.write("version\r\n");
    await once(socket, "data");
    socket.resetAndDestroy();
  }
  return (count / (performance.now() - began)) * 1000;
}

await store("small", SMALL);
await store("large", LARGE);
const requests = (await fetchOn("small", SMALL, TOGETHER)) / (SMALL + "VALUE small 0 100\r\n\r\nEND\r\n".length);
const megabytes = (await fetchOn("large", LARGE, 1)) / 1e6;
const connections = await connectOn();
process.stdout.write(JSON.stringify({ requests, megabytes, connections }));
