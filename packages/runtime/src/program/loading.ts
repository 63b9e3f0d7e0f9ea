/** Distinguishes a program that is run from a module that a tool only loads. */
import { fileURLToPath } from "node:url";

/** Shared by every copy of this package in a process: a tool has its own copy, and the project that it loads another. */
const LOADING = Symbol.for("capstan.loading");

interface Loading {
  [LOADING]?: unknown[] | undefined;
}

/** The loaded module, and the operators that would have run. */
export interface Loaded<T> {
  readonly loaded: T;
  /** Operators that called `run` while the module was loaded. */
  readonly wouldRun: readonly unknown[];
}

/** Loads a module without running it: meanwhile `run` only records its call. One module at a time. */
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

/** Whether a tool is loading modules now; if so, records the operator that would run. */
export function isOnlyLoaded(operator: unknown): boolean {
  const asked = (globalThis as Loading)[LOADING];
  asked?.push(operator);
  return asked !== undefined;
}

/** The relevant parts of `import.meta`. */
export interface ModuleFacts {
  readonly url: string;
  /** Since Node 24.2. */
  readonly main?: boolean;
}

/** Whether a module is the program that Node was started with. */
export function isMain({ url, main }: ModuleFacts, program: string | undefined): boolean {
  if (main !== undefined) return main;
  if (program === undefined || !url.startsWith("file:")) return false;
  // Not imported: as an ES module node:fs loads half of Node, and few programs need this.
  const { realpathSync } = process.getBuiltinModule("node:fs");
  try {
    return realpathSync(program) === realpathSync(fileURLToPath(url));
  } catch {
    return false;
  }
}
