/** Programs inside a cluster's network: the forwarder that connects a story with it, and short commands. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";

/** Turns a command line for the inside into one for this machine. */
export type Enter = (argv: readonly string[]) => readonly string[];

const run = promisify(execFile);

/** The address of the story inside the network: no node has it, so that a cut leaves no way around. */
const STORY_ADDRESS = "172.31.255.1";

/** Runs a short command inside to its end; returns its output. */
export async function runInside(enter: Enter, argv: readonly string[]): Promise<string> {
  const [program = "", ...args] = enter(argv);
  const { stdout } = await run(program, args, { env: { ...process.env, NODE_TEST_CONTEXT: "" } });
  return stdout;
}

/** Starts the forwarder, which ends with the test; returns the path of its socket. */
export async function startInside(test: TestContext, enter: Enter, folder: string): Promise<string> {
  const socket = join(folder, "pods.sock");
  await runInside(enter, ["ip", "address", "add", `${STORY_ADDRESS}/32`, "dev", "lo"]).catch(ignoreExisting);
  const program = join(import.meta.dirname, "forwarder.ts");
  const [command = "", ...args] = enter([process.execPath, program, socket, STORY_ADDRESS]);
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_TEST_CONTEXT: "" },
  });
  test.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.stdin.end();
    await gone;
  });
  await once(child.stdout, "data");
  return socket;
}

/** Stories that share a cluster share the address. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && error.message.includes("already"))) throw error;
}
