/** Derives the exit of a container from that of its launcher. */
import { constants } from "node:fs";
import { open, readFile } from "node:fs/promises";
import type { Container } from "@capstan/kinds/v1";
import type { Exit } from "../runtime/runtime.ts";
import type { PlannedContainer } from "./container-plan.ts";
import { parseLogLine } from "./cri-log.ts";
import type { Unexecuted } from "./protocol.ts";
import { goQuoted } from "./exec-failure.ts";

/** The shim's report of the end of a container. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  /** The line in which the launcher, or the program that sets the variables, reports that the program could not be executed. */
  readonly refused?: string | undefined;
  readonly unexecuted?: Unexecuted | undefined;
  /** Where the program was found. */
  readonly file?: string | undefined;
}

/** What is known when a container has ended. */
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

/** The exit of a container. */
export async function readExit(ended: EndedContainer): Promise<Exit> {
  const { id, startedAt, finishedAt } = ended;
  const failure = startFailure(ended.refused, ended.plan.command);
  if (failure !== undefined) return startError(id, finishedAt, failure);
  const exitCode = ended.code ?? killed;
  const message = await messageOf(ended, exitCode);
  const reason = exitCode === 0 ? "Completed" : ended.ranOutOfMemory ? "OOMKilled" : "Error";
  return { id, startedAt, finishedAt, exitCode, reason, ...(message === "" ? {} : { message }) };
}

/** The exit of a container that could not be prepared. */
export function neverStarted(id: string, finishedAt: number, why: string): Exit {
  return startError(id, finishedAt, `${couldNotStart}error during container init: ${why}`);
}

function startError(id: string, finishedAt: number, message: string): Exit {
  return { id, startedAt: 0, finishedAt, exitCode: cannotStart, reason: "StartError", message };
}

const couldNotStart =
  "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ";

/**
 * The launcher reports why it could not set up the container; the program that sets the variables reports why it could not execute the
 * program.
 */
function startFailure(refused: string | undefined, [program = ""]: readonly string[]): string | undefined {
  if (refused === undefined) return undefined;
  const whole = /^bwrap: (.*)$/.exec(refused)?.[1];
  if (whole !== undefined) return couldNotStart + initFailure(whole);
  return `${couldNotStart}exec: ${goQuoted(program)}: ${wordsFor(program, /: ([^:]*)$/.exec(refused)?.[1])}`;
}

/** A failure of the launcher before it executed the program. */
function initFailure(words: string): string {
  // A missing working directory is created; that fails if the path is not a directory.
  const folder = /^Can't mkdir (\S+): (.*)$/.exec(words) ?? /^Can't chdir to (\S+): (Not a directory)$/.exec(words);
  return folder === null ? words : `error during container init: mkdir ${folder[1]}: ${folder[2]?.toLowerCase()}`;
}

/** Why a command could not be executed, in the words of container runtimes, from the message of the program that sets its variables. */
export function execFailure(refused: string, [program = ""]: readonly string[]): string {
  const why = /: ([^:]*)$/.exec(refused)?.[1];
  const words = `OCI runtime exec failed: exec failed: unable to start container process: exec: "${program}": ${wordsFor(program, why)}`;
  return `failed to exec in container: failed to start exec "${noId}": ${words}`;
}

/** Commands of exec have no container id. */
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

/** A program may write any amount; only the end is reported, as by the kubelet. Only the node creates this file, so a link is not read. */
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
