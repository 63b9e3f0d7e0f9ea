/** Assembles a dev session: the cluster, the operator's process, the watch on its sources, the screen and the keys. */
import { basename, relative } from "node:path";
import { apiOf } from "@capstan/runtime";
import { paperOf } from "../explain/format.ts";
import { toCliError } from "../errors.ts";
import { withProgress } from "../output/progress.ts";
import { styleOf } from "../output/style.ts";
import { stopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";
import { applyFiles } from "./apply-files.ts";
import { type ClusterChoice, type DevCluster, openCluster } from "./cluster.ts";
import { readEnvFile } from "./env-file.ts";
import { watchKeys } from "./keys.ts";
import { logFormatter, readObjectLine } from "./log-line.ts";
import { Runner } from "./runner.ts";
import type { RunnerOptions } from "./runner.ts";
import { openScreen } from "./screen.ts";
import { claimSession } from "./session.ts";
import { type SourceEvents, watchSources } from "./sources.ts";
import { openTypeChecker, type TypeChecker, typeErrorsText } from "./type-checker.ts";
import { View } from "./view.ts";

/** The options of a session. */
export interface SessionOptions extends ClusterChoice {
  readonly entry: string;
  readonly logLevel: string;
  /** The port for a debugger. */
  readonly inspect: number | undefined;
  readonly apply: readonly string[];
}

/** The redraw interval of the table, for growing ages. */
const REDRAW = 250;
/** The interval of checks on failed objects. */
const RECHECK = 1_000;

/** What still runs after a program failed to load, or ended. */
const AFTER_FAILURE = {
  former: "the program as it was before runs on; what you save next is tried again",
  nothing: "nothing runs now; what you save next is tried again",
} as const;

/** The same, below the table. */
const BELOW = {
  former: "not what you saved: it could not be loaded, see above; the program as it was before runs",
  nothing: "nothing runs: see above; what you save next is tried again",
} as const;

/** Runs until it is stopped. A stop at any moment leaves nothing behind. */
export async function runSession(options: SessionOptions, terminal: Terminal): Promise<void> {
  const quit = new AbortController();
  const stopped = stopSignal(quit.signal).then(() => quit.abort());
  try {
    await runUntil(stopped, options, { terminal, quit });
  } finally {
    quit.abort();
    await stopped;
  }
}

async function runUntil(
  stopped: Promise<void>,
  options: SessionOptions,
  { terminal, quit }: { readonly terminal: Terminal; readonly quit: AbortController },
): Promise<void> {
  await using session = await claimSession(options.root);
  await using cluster = await withProgress(terminal, "starting the cluster", () =>
    openCluster(options, { terminal, signal: quit.signal }),
  );
  const style = styleOf(terminal);
  const formatLine = logFormatter(style);
  const screen = openScreen(terminal, terminal.isInteractive);
  for (const line of cluster.about) screen.line(line);
  const tellFailure = (error: unknown): void => screen.line(style.red(toCliError(error).message));
  const { root, entry } = options;
  const sayAll = (lines: readonly string[]): void => lines.forEach((line) => screen.line(line));
  const applyFirst = once(async () => sayAll(await applyFiles(cluster.client, options.apply, terminal.cwd)));
  await using runner = new Runner({
    cwd: root,
    entry,
    ...runOf(cluster, options),
    line: (line) => {
      screen.line(formatLine(line));
      view.hear(readObjectLine(line));
    },
    failed: (why, left) => {
      screen.line(`${style.red(why)}\n${style.yellow(AFTER_FAILURE[left])}`);
      view.fail(BELOW[left]);
      types.check();
    },
    started: (milliseconds) => {
      screen.line(style.green(`ready in ${Math.round(milliseconds)} ms`));
      void applyFirst();
      types.check();
    },
    loaded: ({ kinds, controllers, notes }, host) => {
      sayAll(notes.map(style.yellow));
      view.show({ kinds, controllers, address: host });
      session.write({ kubeconfig: cluster.kubeconfig, context: cluster.context, host, controllers }).catch(tellFailure);
    },
  });
  using view = new View({
    api: apiOf(cluster.client),
    screen,
    paper: () => paperOf(terminal),
    askBefore: cluster.owner === "somebody" ? cluster.server : undefined,
    again: (controllers, key) => runner.again({ controllers, key }),
  });
  using types = watchTypes(root, (text) => screen.line(style.yellow(text)));
  const reload: Reload = (why, what) => void (types.cancel(), screen.line(style.dim(why)), runner.reload(what));
  // The watch starts before the first load, so that no saved change is missed.
  using _sources = watchSources(root, sourceEvents(root, { reload, say: (text) => screen.line(style.yellow(text)) }));
  // A program that loads slowly can be quit or reloaded.
  using _keys = watchKeys(terminal, (key) => {
    if (key === "q") quit.abort();
    else void (key === "r" ? reload("reloading", "packages") : view.press(key));
  });
  await Promise.race([withProgress(terminal, "loading the program", () => runner.reload()), stopped]);
  using _upkeep = keepUp(view);
  await stopped;
  screen.close();
}

/** Loads the program again, and prints why. */
type Reload = (why: string, what: "program" | "packages") => void;

function sourceEvents(
  root: string,
  { reload, say }: { readonly reload: Reload; readonly say: (text: string) => void },
): SourceEvents {
  return {
    changed: (path) =>
      reload(`${relative(root, path)} changed: reloading`, basename(path) === "package.json" ? "packages" : "program"),
    failed: (error) => say(`changes are not seen everywhere: ${toCliError(error).message}`),
  };
}

/** Checks types on demand and prints the errors. */
function watchTypes(root: string, say: (text: string) => void): TypeChecker {
  let told: readonly string[] = [];
  return openTypeChecker(root, (errors) => {
    const text = typeErrorsText(errors, told);
    told = errors;
    if (text !== undefined) say(text);
  });
}

/** Redraws the table and rechecks failures until it is disposed of. */
function keepUp(view: View): Disposable {
  const timers = [setInterval(() => view.draw(), REDRAW), setInterval(() => void view.recheck(), RECHECK)];
  return { [Symbol.dispose]: () => timers.forEach((timer) => clearInterval(timer)) };
}

/** How the operator runs on a cluster. Only an embedded one surely reaches its webhooks. */
function runOf(
  cluster: DevCluster,
  options: SessionOptions,
): Pick<RunnerOptions, "flags" | "isReachable" | "inspect" | "env"> {
  return {
    flags: flagsOf(cluster, options),
    isReachable: cluster.owner === "session",
    inspect: options.inspect,
    env: () => readEnvFile(options.root),
  };
}

function flagsOf({ operatorKubeconfig, context }: DevCluster, { logLevel }: SessionOptions): readonly string[] {
  return [
    ...(operatorKubeconfig === undefined ? [] : [`--kubeconfig=${operatorKubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
    // In development, reverting a schema edit is allowed.
    "--install-crds=force",
    `--log-level=${logLevel}`,
  ];
}

/** Runs the work on the first call only. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
