/** A program that asks a memcached server again and again, each time over a new connection, until a file is there; it says how often it failed. */
import { existsSync } from "node:fs";
import { connect } from "node:net";

const [host = "", port = "", end = ""] = process.argv.slice(2);

function ask(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port) });
    socket.setTimeout(10_000, () => socket.destroy(new Error("no answer in ten seconds")));
    socket.once("connect", () => socket.write("version\r\n"));
    socket.once("data", (chunk: Buffer) => {
      socket.destroy();
      resolve(chunk.toString("utf8"));
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("closed without an answer")));
  });
}

let asked = 0;
const failures: string[] = [];
async function askOn(): Promise<void> {
  while (!existsSync(end)) {
    asked += 1;
    const answer = await ask().catch((error: Error) => error.message);
    if (!answer.startsWith("VERSION")) failures.push(answer);
  }
}

await Promise.all([askOn(), askOn()]);
process.stdout.write(JSON.stringify({ asked, failures }));
