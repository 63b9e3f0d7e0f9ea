/** Reads how a container ended from how its launcher ended. */
import { readFile } from "node:fs/promises";
import type { Container } from "@capstan/kinds/v1";
import type { Exit } from "../runtime/runtime.ts";
import { parseLogLine } from "./cri-log.ts";

/** What is known at the end. */
export interface EndedContainer {
  readonly id: string;
  readonly code: number | null;
  readonly signal: string | null;
  /** The last words on standard error. */
  readonly tail: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  /** What the container left for this purpose. */
  readonly message: string;
  readonly container: Container;
  readonly log: string;
}

const longestMessage = 4096;
const longestLog = 2048;
const mostLines = 80;
const killed = 137;
const cannotStart = 128;

/** How it ended. */
export async function toExit(ended: EndedContainer): Promise<Exit> {
  const { id, startedAt, finishedAt } = ended;
  const missing = /bwrap: execvp ([^\n]*): (No such file or directory|Permission denied)\n?$/.exec(ended.tail);
  if (missing !== null) {
    const why = missing[2] === "Permission denied" ? "permission denied" : "executable file not found in $PATH";
    const message = `failed to create containerd task: failed to create shim task: OCI runtime create failed: exec: "${missing[1]}": ${why}`;
    return { id, startedAt: 0, finishedAt, exitCode: cannotStart, reason: "StartError", message };
  }
  const exitCode = ended.code ?? killed;
  const message = await messageOf(ended, exitCode);
  const reason = exitCode === 0 ? "Completed" : "Error";
  return { id, startedAt, finishedAt, exitCode, reason, ...(message === "" ? {} : { message }) };
}

async function messageOf({ message, container, log }: EndedContainer, exitCode: number): Promise<string> {
  if (message !== "") return message.slice(0, longestMessage);
  if (container.terminationMessagePolicy !== "FallbackToLogsOnError" || exitCode === 0) return "";
  const lines = (await readFile(log, "utf8").catch(() => "")).split("\n").slice(-mostLines - 1);
  const entries = lines.flatMap((line) => parseLogLine(line) ?? []);
  return entries
    .map(({ text, isWhole }) => (isWhole ? `${text}\n` : text))
    .join("")
    .slice(-longestLog);
}
