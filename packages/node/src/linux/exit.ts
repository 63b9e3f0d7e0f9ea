/** Reads how a container ended from how its launcher ended. */
import { constants } from "node:fs";
import { open, readFile } from "node:fs/promises";
import type { Container } from "@capstan/kinds/v1";
import type { Exit } from "../runtime/runtime.ts";
import type { PlannedContainer } from "./container-plan.ts";
import { parseLogLine } from "./cri-log.ts";
import type { Unexecuted } from "./protocol.ts";
import { goQuoted } from "./unexecutable.ts";

/** What the keeper tells of an end. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  /** The line in which the launcher, or what sets the variables, says that the program could not be run. */
  readonly refused?: string | undefined;
  readonly unexecuted?: Unexecuted | undefined;
  /** Where its program was found. */
  readonly file?: string | undefined;
}

/** What is known at the end. */
export interface EndedContainer extends Ending {
  readonly id: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly plan: Pick<PlannedContainer, "messageFile" | "launch" | "command">;
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
  const failure = startFailure(ended.refused, ended.plan.command);
  if (failure !== undefined) return startError(id, finishedAt, failure);
  const exitCode = ended.code ?? killed;
  const message = await messageOf(ended, exitCode);
  const reason = exitCode === 0 ? "Completed" : ended.ranOutOfMemory ? "OOMKilled" : "Error";
  return { id, startedAt, finishedAt, exitCode, reason, ...(message === "" ? {} : { message }) };
}

/** The end of a container for which no place could be made. */
export function neverStarted(id: string, finishedAt: number, why: string): Exit {
  return startError(id, finishedAt, `${couldNotStart}error during container init: ${why}`);
}

function startError(id: string, finishedAt: number, message: string): Exit {
  return { id, startedAt: 0, finishedAt, exitCode: cannotStart, reason: "StartError", message };
}

const couldNotStart =
  "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ";

/** The launcher says why it could not put the container together, and what sets the variables why it could not become the program. */
function startFailure(refused: string | undefined, [program = ""]: readonly string[]): string | undefined {
  if (refused === undefined) return undefined;
  const whole = /^bwrap: (.*)$/.exec(refused)?.[1];
  if (whole !== undefined) return couldNotStart + initFailure(whole);
  return `${couldNotStart}exec: ${goQuoted(program)}: ${wordsFor(program, /: ([^:]*)$/.exec(refused)?.[1])}`;
}

/** What the launcher could not do before it came to the program. */
function initFailure(words: string): string {
  // Where a program is to begin is made if it is missing: what is no folder could not be.
  const folder = /^Can't mkdir (\S+): (.*)$/.exec(words) ?? /^Can't chdir to (\S+): (Not a directory)$/.exec(words);
  return folder === null ? words : `error during container init: mkdir ${folder[1]}: ${folder[2]?.toLowerCase()}`;
}

/** Why a command could not be run, in the words of container runtimes, from those of what sets its variables and could not become it. */
export function execFailure(refused: string, [program = ""]: readonly string[]): string {
  const why = /: ([^:]*)$/.exec(refused)?.[1];
  const words = `OCI runtime exec failed: exec failed: unable to start container process: exec: "${program}": ${wordsFor(program, why)}`;
  return `failed to exec in container: failed to start exec "${noId}": ${words}`;
}

/** Commands have no names of their own here. */
const noId = "0".repeat(64);

const missing = "No such file or directory";

function wordsFor(program: string, why = ""): string {
  const isMissing = why === missing;
  if (isMissing && !program.includes("/")) return "executable file not found in $PATH";
  return isMissing || why === "Not a directory" ? `stat ${program}: ${why.toLowerCase()}` : why.toLowerCase();
}

async function messageOf({ plan, container }: EndedContainer, exitCode: number): Promise<string> {
  const message = await readEnd(plan.messageFile, longestMessage);
  if (message !== "") return message;
  if (container.terminationMessagePolicy !== "FallbackToLogsOnError" || exitCode === 0) return "";
  const lines = (await readFile(plan.launch.log, "utf8").catch(() => "")).split("\n").slice(-mostLines - 1);
  const entries = lines.flatMap((line) => parseLogLine(line) ?? []);
  return entries
    .map(({ text, isWhole }) => (isWhole ? `${text}\n` : text))
    .join("")
    .slice(-longestLog);
}

/** A program may leave as much as it likes; only the end is told, as by kubelets. Nobody but the node has made this file: a link is none. */
async function readEnd(path: string, length: number): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  if (file === undefined) return "";
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, size - length));
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
