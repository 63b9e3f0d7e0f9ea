/**
 * Looks at the program of a container as the container sees it, before it is executed. What sets the variables gives a file that the kernel
 * does not know how to execute to a shell, and takes a missing interpreter for a missing program: container runtimes do neither.
 */
import { closeSync, constants, lstatSync, openSync, readSync } from "node:fs";
import { posix } from "node:path";
import type { Program, Unexecuted } from "../protocol.ts";
import type { ExecFailure } from "../unexecutable.ts";
import { findInRoot } from "./in-root.ts";

/** What to find. */
export interface CommandSearch {
  readonly command: string;
  /** Its variable PATH. */
  readonly path: string;
  /** Where it begins. */
  readonly directory: string;
}

/** What there is: a file that may have a flaw, or why there is none that could be executed. */
export type LookedAt =
  | { readonly file: string; readonly flaw: ExecFailure | undefined }
  | { readonly missing: "No such file or directory" | "Not a directory" | "Permission denied" };

/** Looks at a command below the root of a container; only one without a slash is searched for. */
export function lookAtCommand(root: string, { command, path, directory }: CommandSearch): LookedAt {
  if (command === "" || command.includes("\0")) return { missing: "No such file or directory" };
  if (command.includes("/")) {
    const found = find(root, command.startsWith("/") ? command : `${directory}/${command}`);
    return typeof found === "object" ? found : { file: command, flaw: flawOf(root, found) };
  }
  for (const folder of path.split(":")) {
    const file = posix.join(folder, command);
    const found = find(root, file);
    if (typeof found === "string") return { file, flaw: flawOf(root, found) };
  }
  return { missing: "No such file or directory" };
}

/** What would become of a program that is tried, if it had to be told in other words than those of who tries it. */
export type Verdict = { readonly refused: string } | { readonly unexecuted: Unexecuted };

/** Judges a program by what was seen. */
export function judge(seen: LookedAt, { command, doom }: Pick<Program, "command" | "doom">): Verdict | undefined {
  // What is missing is told by who looks for it in vain, unless nobody does, or in words of its own.
  if ("missing" in seen)
    return doom !== undefined || command.includes("=") ? { refused: `${command}: ${seen.missing}` } : undefined;
  const failure = doom ?? seen.flaw;
  return failure && { unexecuted: { file: seen.file, failure } };
}

/** The place of a file that can be executed. */
function find(root: string, path: string): string | Extract<LookedAt, { readonly missing: string }> {
  try {
    const { path: found } = findInRoot({ root, path, make: "nothing", isCovered: () => false });
    const info = lstatSync(root + found);
    return info.isFile() && (info.mode & 0o111) !== 0 ? found : { missing: "Permission denied" };
  } catch (error) {
    const isBelowFile = error instanceof Error && error.message.endsWith("not a directory");
    return { missing: isBelowFile ? "Not a directory" : "No such file or directory" };
  }
}

/** As much as the kernel looks at. */
const headLength = 256;

/** Why a file cannot be executed, where that can be seen. */
function flawOf(root: string, path: string): ExecFailure | undefined {
  const head = headOf(root + path);
  if (head === undefined || head.startsWith("\x7fELF")) return undefined;
  const interpreter = /^#![ \t]*([^ \t\n]+)/.exec(head)?.[1];
  if (interpreter === undefined) return "exec format error";
  const found = interpreter.startsWith("/") ? find(root, interpreter) : undefined;
  return typeof found === "object" && found.missing === "No such file or directory"
    ? "no such file or directory"
    : undefined;
}

/** Never waits: somebody may have put a pipe there meanwhile. */
function headOf(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const bytes = Buffer.alloc(headLength);
    return bytes.toString("latin1", 0, readSync(file, bytes, 0, headLength, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
