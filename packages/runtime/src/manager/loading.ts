/** Tells a program that is run from a module that a tool only looks at. */
import { fileURLToPath } from "node:url";

/** Shared by every copy of this package in a process: a tool brings its own, the project that it loads another. */
const LOADING = Symbol.for("capstan.loading");

interface Loading {
  [LOADING]?: unknown[] | undefined;
}

/** What was loaded, and what would have been run. */
export interface Loaded<T> {
  readonly loaded: T;
  /** Operators whose `run` was called while the module was loaded. */
  readonly wouldRun: readonly unknown[];
}

/** Loads a module without running it: while it is loaded, `run` only says that it was called. One at a time. */
export async function loadWithoutRunning<T>(load: () => Promise<T>): Promise<Loaded<T>> {
  const scope: Loading = globalThis as Loading;
  const wouldRun: unknown[] = [];
  scope[LOADING] = wouldRun;
  try {
    return { loaded: await load(), wouldRun };
  } finally {
    scope[LOADING] = undefined;
  }
}

/** Whether a tool is loading modules right now; if so, it is told who wanted to run. */
export function isOnlyLoaded(operator: unknown): boolean {
  const asked = (globalThis as Loading)[LOADING];
  asked?.push(operator);
  return asked !== undefined;
}

/** What a module knows of itself; `import.meta` is one. */
export interface ModuleFacts {
  readonly url: string;
  /** Since Node 24.2. */
  readonly main?: boolean;
}

/** Whether a module is the program that Node was started with. */
export function isMain({ url, main }: ModuleFacts, program: string | undefined): boolean {
  if (main !== undefined) return main;
  if (program === undefined || !url.startsWith("file:")) return false;
  // Not imported: as an ES module node:fs brings half of Node with it, and few programs need this.
  const { realpathSync } = process.getBuiltinModule("node:fs");
  try {
    return realpathSync(program) === realpathSync(fileURLToPath(url));
  } catch {
    return false;
  }
}
