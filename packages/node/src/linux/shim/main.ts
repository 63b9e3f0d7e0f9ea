/**
 * The shim: the first process in the namespaces of a node. It ends with the process that started it, and the kernel then removes
 * everything in the namespaces: processes, mounts, interfaces. So nothing is left behind.
 */
import { spawn } from "node:child_process";
import type { ShimMessage, ShimRequest, NamesAnswer, RunResult, ShimCall } from "../protocol.ts";
import { removeTree } from "../cgroups/remove.ts";
import { Containers } from "./containers.ts";
import { startShimServer } from "./server.ts";
import { startNames, startRelay } from "./listeners.ts";
import { prepareMounts } from "./prepare-mounts.ts";
import { writeFilesAndFolders, writeVolumeFiles } from "./write-files.ts";
import { bindInside, giveToGroup, removeInside } from "./volumes.ts";

const [socketPath = "", ...groups] = process.argv.slice(2);
// The caller may have a restrictive umask; the pods here have many users.
process.umask(0o022);
const questions = new Map<number, (bytes: Buffer | undefined) => void>();
let questionNumber = 0;

/** The parent may be gone; then the shim still cleans up, without a receiver for its messages. */
const send = (message: ShimMessage): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
};
/** RFC 3339 with nine fraction digits, as in logs. */
const time = (): string => {
  const nanoseconds = process.hrtime.bigint() % 1_000_000n;
  return new Date().toISOString().replace("Z", `${String(nanoseconds).padStart(6, "0")}Z`);
};
const pause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 1));
const containers = new Containers({ time, pause, ended: (ending) => send({ event: "exit", ...ending }) });

function ask(question: Buffer): Promise<Buffer | undefined> {
  const q = questionNumber++;
  return new Promise((resolve) => {
    questions.set(q, resolve);
    send({ event: "question", q, bytes: question.toString("base64") });
  });
}

function answer({ q, bytes }: NamesAnswer): void {
  questions.get(q)?.(bytes === undefined ? undefined : Buffer.from(bytes, "base64"));
  questions.delete(q);
}

function run(argv: readonly string[], input = ""): Promise<RunResult> {
  const [program = "", ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 137, stdout, stderr }));
  });
}

async function perform(request: ShimRequest): Promise<unknown> {
  switch (request.do) {
    case "run":
      return run(request.argv, request.input);
    case "start":
      return containers.start(request.launch);
    case "signal":
      return containers.signal(request.id, request.signal);
    case "relay":
      return startRelay(request.host, request.port, request.socket);
    case "names":
      return startNames(request.host, ask);
    case "usage":
      return containers.usage(request.id);
    case "bind":
      return bindInside(request.what, run);
    case "prepareMounts":
      return prepareMounts(request.what, run);
    case "writeFilesAndFolders":
      return writeFilesAndFolders(request.what);
    case "files":
      return writeVolumeFiles(request.what);
    case "give":
      return giveToGroup(request.folder, request.group);
    case "remove":
      return removeInside(request, run);
  }
}

process.on("message", (message: ShimCall | NamesAnswer) => {
  if ("q" in message) return answer(message);
  perform(message.request).then(
    (value) => send({ n: message.n, value }),
    (error: unknown) => send({ n: message.n, error: error instanceof Error ? error.message : String(error) }),
  );
});
/** No other process is left to remove the cgroups: they can be removed when all other processes have ended. */
async function leave(): Promise<void> {
  if (groups.length > 0) {
    endOthers();
    await Promise.all(groups.map((folder) => removeTree(folder, pause)));
  }
  process.exit(0);
}

function endOthers(): void {
  try {
    process.kill(-1, "SIGKILL");
  } catch {
    // No other process is left.
  }
}

process.on("disconnect", () => void leave());
process.on("SIGTERM", () => void leave());
process.on("SIGINT", () => {});

await startShimServer(socketPath, { containers, pause });
send({ event: "ready" });
