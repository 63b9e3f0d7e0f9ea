/**
 * A program that queries a memcached server again and again, each time over a new connection, until a file exists; it prints what failed.
 * It creates another file after the first query.
 */
import { existsSync, writeFileSync } from "node:fs";
import { connect } from "node:net";

const [host = "", port = "", begun = "", end = ""] = process.argv.slice(2);

function ask(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port) });
    socket.setTimeout(60_000, () => socket.destroy(new Error("no answer in a minute")));
    socket.once("connect", () => socket.write("version\r\n"));
    socket.once("data", (chunk: Buffer) => {
      socket.destroy();
      resolve(chunk.toString("utf8"));
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("closed without an answer")));
  });
}

const failures: string[] = [];
async function askOn(): Promise<void> {
  while (!existsSync(end)) {
    const answer = await ask().catch((error: Error) => error.message);
    if (!answer.startsWith("VERSION")) failures.push(answer);
    if (!existsSync(begun)) writeFileSync(begun, "");
  }
}

await Promise.all([askOn(), askOn()]);
process.stdout.write(JSON.stringify({ failures }));
