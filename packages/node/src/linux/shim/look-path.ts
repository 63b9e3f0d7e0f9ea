/**
 * Checks the program of a container, as the container sees it, before it is executed. The program that sets the variables passes a file
 * in an unknown format to a shell, and reports a missing interpreter as a missing program; container runtimes do neither.
 */
import { closeSync, constants, lstatSync, openSync, readSync } from "node:fs";
import { posix } from "node:path";
import type { Program, Unexecuted } from "../protocol.ts";
import type { ExecFailure } from "../exec-failure.ts";
import { findInRoot } from "./in-root.ts";

export interface CommandSearch {
  readonly command: string;
  /** The container's PATH. */
  readonly path: string;
  readonly directory: string;
}

/** The result: a file that may have a flaw, or why no executable file was found. */
export type LookedAt =
  | { readonly file: string; readonly flaw: ExecFailure | undefined }
  | { readonly missing: "No such file or directory" | "Not a directory" | "Permission denied" };

/** Looks up a command below the root of a container; only a command without a slash is searched in PATH. */
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

/** The exec error of a program, if its message has to differ from that of the program that tries to execute it. */
export type ExecError = { readonly refused: string } | { readonly unexecuted: Unexecuted };

/** Derives the exec error from the result of the lookup. */
export function execErrorOf(
  seen: LookedAt,
  { command, execFailure }: Pick<Program, "command" | "execFailure">,
): ExecError | undefined {
  // The program that executes the command reports a missing one itself, except if it does not run or takes the command for a variable.
  if ("missing" in seen)
    return execFailure !== undefined || command.includes("=") ? { refused: `${command}: ${seen.missing}` } : undefined;
  const failure = execFailure ?? seen.flaw;
  return failure && { unexecuted: { file: seen.file, failure } };
}

/** The path of an executable file. */
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

/** As many bytes as the kernel reads. */
const headLength = 256;

/** Why a file cannot be executed, if that is visible in it. */
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

/** Never blocks: the container may have put a pipe there meanwhile. */
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
