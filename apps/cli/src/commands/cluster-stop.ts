/** `capstan cluster stop`: stops a running cluster. */
import { rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { defineCommand, type Command } from "../command/define.ts";
import { nameOption } from "../embedded/name-option.ts";
import { isAlive, listRecords, needRecord, type ClusterRecord } from "../embedded/record.ts";
import { clusterFolder } from "../embedded/places.ts";
import type { Terminal } from "../terminal.ts";

/** How long a cluster may take to stop before it is killed. Its pods stop in both cases. */
const PATIENCE = 20_000;

/** Stops clusters. */
export const clusterStop: Command = defineCommand({
  describe: "Its pods end at once. What was started with --data can be started again from there.",
  options: { name: nameOption, all: { type: "flag", describe: "stop every cluster of this user" } },
  examples: [
    { line: "capstan cluster stop", does: "Stop the cluster" },
    { line: "capstan cluster stop --all", does: "Stop all of them" },
  ],
  run: async ({ options: { name, all }, terminal }) => {
    const records = all ? await listRecords(terminal) : [await needRecord(terminal, name)];
    for (const record of records) await stop(record, terminal);
  },
});

async function stop(record: ClusterRecord, terminal: Terminal): Promise<void> {
  process.kill(record.process.pid, "SIGTERM");
  const end = performance.now() + PATIENCE;
  while (isAlive(record.process) && performance.now() < end) await wait(20);
  if (isAlive(record.process)) process.kill(record.process.pid, "SIGKILL");
  while (isAlive(record.process)) await wait(20);
  await rm(clusterFolder(terminal, record.name), { recursive: true, force: true });
  terminal.out(`cluster ${record.name} has ended\n`);
}
