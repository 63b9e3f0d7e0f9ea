/** Reads how a container ended from how its launcher ended. */
import { open, readFile } from "node:fs/promises";
import type { Container } from "@capstan/kinds/v1";
import type { Exit } from "../runtime/runtime.ts";
import type { PlannedContainer } from "./container-plan.ts";
import { parseLogLine } from "./cri-log.ts";

/** What the keeper tells of an end. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last words on standard error. */
  readonly tail: string;
  /** Whether its program is known to have run: then those words are its own. */
  readonly hasRun: boolean;
}

/** What is known at the end. */
export interface EndedContainer extends Ending {
  readonly id: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly plan: Pick<PlannedContainer, "messageFile" | "launch">;
  readonly container: Container;
  readonly ranOutOfMemory: boolean;
}

const longestMessage = 4096;
const longestLog = 2048;
const mostLines = 80;
const killed = 137;
const cannotStart = 128;

/** How it ended. */
export async function readExit(ended: EndedContainer): Promise<Exit> {
  const { id, startedAt, finishedAt } = ended;
  const failure = startFailure(ended);
  if (failure !== undefined)
    return { id, startedAt: 0, finishedAt, exitCode: cannotStart, reason: "StartError", message: failure };
  const exitCode = ended.code ?? killed;
  const message = await messageOf(ended, exitCode);
  const reason = exitCode === 0 ? "Completed" : ended.ranOutOfMemory ? "OOMKilled" : "Error";
  return { id, startedAt, finishedAt, exitCode, reason, ...(message === "" ? {} : { message }) };
}

/** The launcher says in one line why it could not become the program. */
function startFailure({ tail, code, hasRun }: Ending): string | undefined {
  const said = code === 1 && !hasRun ? /^bwrap: (execvp ([^\n]*): ([^\n:]*)|[^\n]*)\n?$/.exec(tail) : null;
  if (said === null) return undefined;
  const [, whole = "", program, why] = said;
  const reason = program === undefined ? whole : `exec: "${program}": ${wordsFor(program, why)}`;
  return `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ${reason}`;
}

function wordsFor(program: string, why = ""): string {
  if (why !== "No such file or directory") return why.toLowerCase();
  return program.includes("/") ? `stat ${program}: no such file or directory` : "executable file not found in $PATH";
}

async function messageOf({ plan, container, ...ended }: EndedContainer, exitCode: number): Promise<string> {
  const message = await readStart(plan.messageFile, longestMessage);
  if (message !== "") return message;
  if (container.terminationMessagePolicy !== "FallbackToLogsOnError" || exitCode === 0) return "";
  const lines = (await readFile(plan.launch.log, "utf8").catch(() => ended.tail)).split("\n").slice(-mostLines - 1);
  const entries = lines.flatMap((line) => parseLogLine(line) ?? []);
  return entries
    .map(({ text, isWhole }) => (isWhole ? `${text}\n` : text))
    .join("")
    .slice(-longestLog);
}

/** A program may leave as much as it likes; only the beginning is told. */
async function readStart(path: string, length: number): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return "";
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
