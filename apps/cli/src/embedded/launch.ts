/** Starts a cluster in a background process and waits until it is ready. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { CliError } from "../errors.ts";
import { ownProgram } from "../place.ts";
import { servingOptions } from "../serving-heap.ts";
import type { Terminal } from "../terminal.ts";
import { lastWordsOf } from "./last-words.ts";
import { clusterFolder } from "./places.ts";
import { files, findRecord, type ClusterRecord } from "./record.ts";

/** Runs the same command in the foreground of a process that outlives this one. An interrupt before the cluster is ready stops it again. */
export async function launchCluster(
  name: string,
  words: readonly string[],
  { terminal, interrupt }: { readonly terminal: Terminal; readonly interrupt: AbortSignal },
): Promise<ClusterRecord> {
  const folder = clusterFolder(terminal, name);
  if ((await findRecord(folder)) !== undefined)
    throw new CliError("Cluster", `the cluster ${name} runs already; choose another --name, or stop it first`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Several processes may start a cluster of the same name: each has its own log until one of them holds the name.
  const log = `${files.log(folder)}.${randomUUID()}`;
  const output = openSync(log, "w", 0o600);
  const options = [...process.execArgv, ...servingOptions];
  const program = [...options, ownProgram("main"), "cluster", "start", "--foreground", ...words];
  const child = spawn(process.execPath, program, {
    cwd: terminal.cwd,
    env: { ...terminal.env },
    stdio: ["ignore", output, output],
    detached: true,
  });
  closeSync(output);
  let failure: string | undefined;
  child.once("error", (error) => (failure = error.message));
  child.once("exit", (code, signal) => (failure = `it ended with ${signal ?? `exit code ${code}`}`));
  const stop = (): void => void child.kill("SIGTERM");
  interrupt.addEventListener("abort", stop, { once: true });
  if (interrupt.aborted) stop();
  for (;;) {
    const record = await findRecord(folder);
    if (record !== undefined && record.process.pid === child.pid && !interrupt.aborted) {
      interrupt.removeEventListener("abort", stop);
      child.unref();
      await rename(log, files.log(folder));
      return record;
    }
    if (failure !== undefined && interrupt.aborted) {
      await rm(log, { force: true });
      throw new CliError("Interrupted", `interrupted: the cluster ${name} was stopped before it was ready`);
    }
    if (failure !== undefined) throw await notStarted(name, log, failure);
    await wait(20);
  }
}

async function notStarted(name: string, log: string, failure: string): Promise<CliError> {
  const said = lastWordsOf(await readFile(log, "utf8").catch(() => ""));
  await rm(log, { force: true });
  return new CliError("Failed", `could not start the cluster ${name}: ${said === "" ? failure : said}`);
}
