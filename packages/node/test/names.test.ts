import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "@capstan/client";
import { startMachine, type Machine } from "@capstan/node";
import { openStore } from "@capstan/oci";
import { eventually, skip } from "./real-world.ts";

/** A query for the address of `a`, and a response that exceeds the size of a message. */
const question = Buffer.from("12340100000100000000000001610000010001", "hex");
const answer = Buffer.concat([
  Buffer.from("12348180000100ff00000000", "hex"),
  question.subarray(12),
  Buffer.alloc(70_000),
]);

/** Queries the machine's DNS server over TCP; returns the response in hex. */
async function ask(machine: Machine): Promise<string> {
  const script = `
    const socket = require("net").connect(53, "10.0.0.10", () => socket.write(Buffer.from("0013${question.toString("hex")}", "hex")));
    let all = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      all = Buffer.concat([all, chunk]);
      if (all.length < 2 || all.length < 2 + all.readUInt16BE(0)) return;
      console.log(all.subarray(2).toString("hex"));
      process.exit(0);
    });`;
  const { stdout, stderr } = await machine.run([process.execPath, "-e", script]);
  assert.equal(stderr, "");
  return stdout.trim();
}

test("no query or response stops the DNS server", { skip }, async () => {
  const state = await mkdtemp(join(tmpdir(), "names-"));
  const rights = process.getuid?.() === 0 ? "root" : "user";
  try {
    const store = await openStore(join(state, "images"));
    await using machine = await startMachine({ state, clock: systemClock, store, rights });
    machine.setNames(async () => answer);
    // The header has the truncation flag and no records; the question is included.
    assert.equal(await ask(machine), `123483800001${"0000".repeat(3)}${question.subarray(12).toString("hex")}`);
    await forgeFromNowhere(machine);
    machine.setNames(() => Promise.reject(new Error("nobody knows")));
    machine.setNames(async () => answer.subarray(0, 60_000));
    assert.equal((await ask(machine)).length, 120_000, "what fits is told whole");
  } finally {
    await rm(state, { recursive: true, force: true });
  }
});

/** Sends a query with source port 0, and waits until it has arrived. */
async function forgeFromNowhere(machine: Machine): Promise<void> {
  const rules = `table ip forged {
    chain output { type filter hook output priority 0; udp dport 53 udp sport set 0; }
    chain input { type filter hook input priority 0; udp dport 53 udp sport 0 counter; }
  }`;
  assert.equal((await machine.run(["nft", "-f", "-"], rules)).code, 0);
  const script = `const socket = require("dgram").createSocket("udp4");
    socket.send(Buffer.from("${question.toString("hex")}", "hex"), 53, "10.0.0.10", () => socket.close());`;
  assert.equal((await machine.run([process.execPath, "-e", script])).code, 0);
  const arrived = async (): Promise<string> => (await machine.run(["nft", "list", "table", "ip", "forged"])).stdout;
  await eventually("the question from nowhere", arrived, (text) => /counter packets [1-9]/.test(text));
  assert.equal((await machine.run(["nft", "delete", "table", "ip", "forged"])).code, 0);
}
