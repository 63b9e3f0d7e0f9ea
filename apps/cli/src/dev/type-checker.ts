/** Checks the types of a project while its operator runs: Node strips types without checking them. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, setPriority } from "node:os";
import { dirname, join } from "node:path";

/** A type checker that runs on demand. */
export interface TypeChecker extends Disposable {
  /** Starts a check and cancels the running one. */
  check(): void;
  /** Cancels the running check. */
  cancel(): void;
}

/** Checks with the compiler and the settings of the project; a project without a compiler is not checked. */
export function openTypeChecker(root: string, found: (errors: readonly string[]) => void): TypeChecker {
  let running: ChildProcess | undefined;
  let isOver = false;
  const cancel = (): void => {
    running?.kill("SIGKILL");
    running = undefined;
  };
  const check = (): void => {
    cancel();
    const compiler = isOver ? undefined : compilerOf(root);
    if (compiler === undefined) return;
    const child = start(compiler, root);
    running = child;
    let said = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (said += text));
    // A compiler that does not start is not an error of the project.
    child.on("error", () => undefined);
    child.on("close", (code) => {
      if (running !== child) return;
      running = undefined;
      const errors = said.split("\n").filter((line) => ERROR.test(line));
      if (code === 0 || errors.length > 0) found(errors);
    });
  };
  const dispose = (): void => {
    isOver = true;
    cancel();
  };
  return { check, cancel, [Symbol.dispose]: dispose };
}

const ERROR = /\berror TS\d+:/u;

/** The compiler runs with low priority: the operator comes first. */
function start(compiler: string, root: string): ChildProcess {
  const args = [compiler, "--noEmit", "--pretty", "false", "--project", root];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has ended already, or the system has no priorities.
  }
  return child;
}

function compilerOf(root: string): string | undefined {
  if (!existsSync(join(root, "tsconfig.json"))) return undefined;
  try {
    const manifest = createRequire(join(root, "package.json")).resolve("typescript/package.json");
    const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly bin?: { readonly tsc?: string } };
    return bin?.tsc === undefined ? undefined : join(dirname(manifest), bin.tsc);
  } catch {
    return undefined;
  }
}

/** How many errors are printed; the others mostly have the same cause. */
const MOST = 5;

/** The text about errors, given those printed last; undefined if nothing changed. */
export function typeErrorsText(errors: readonly string[], former: readonly string[]): string | undefined {
  if (errors.length === 0) return former.length === 0 ? undefined : "no type errors any more";
  const count = errors.length === 1 ? "a type error" : `${errors.length} type errors`;
  if (errors.join("\n") === former.join("\n")) return `${count}, as before`;
  const more = errors.length > MOST ? [`and ${errors.length - MOST} more`] : [];
  return [`${count}:`, ...errors.slice(0, MOST), ...more].join("\n  ");
}
