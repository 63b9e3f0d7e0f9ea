/** A dev session, put together: the cluster, the operator's process, the watch on its sources, the screen and the keys. */
import { basename, relative } from "node:path";
import { apiOf } from "@capstan/runtime";
import { paperOf } from "../explain/format.ts";
import { toCliError } from "../errors.ts";
import { styleOf } from "../output/style.ts";
import { stopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";
import { applyFiles } from "./apply-files.ts";
import { type ClusterChoice, type DevCluster, openCluster } from "./cluster.ts";
import { watchKeys } from "./keys.ts";
import { formatLogLine } from "./log-line.ts";
import { Runner } from "./runner.ts";
import { openScreen } from "./screen.ts";
import { claimSession } from "./session.ts";
import { watchSources } from "./sources.ts";
import { View } from "./view.ts";

/** What a session is started with. */
export interface SessionOptions extends ClusterChoice {
  readonly entry: string;
  readonly logLevel: string;
  readonly apply: readonly string[];
}

/** How often the table is drawn: ages grow. */
const REDRAW = 250;

/** Runs until it is told to stop. */
export async function runSession(options: SessionOptions, terminal: Terminal): Promise<void> {
  await using session = await claimSession(options.root);
  await using cluster = await openCluster(options, terminal);
  const style = styleOf(terminal);
  const screen = openScreen(terminal, terminal.isInteractive);
  for (const line of cluster.about) screen.line(line);
  const tellFailure = (error: unknown): void => screen.line(style.red(toCliError(error).message));
  const { root, entry } = options;
  const applyFirst = once(async () => {
    for (const line of await applyFiles(cluster.client, options.apply, terminal.cwd)) screen.line(line);
  });
  await using runner = new Runner({
    cwd: root,
    entry,
    flags: flagsOf(cluster, options),
    line: (line) => screen.line(formatLogLine(line, style)),
    failed: (why) => screen.line(style.red(why)),
    started: (milliseconds) => {
      screen.line(style.green(`ready in ${Math.round(milliseconds)} ms`));
      void applyFirst();
    },
    loaded: ({ kinds, controllers }, door) => {
      view.show({ kinds, controllers, door });
      session.write({ kubeconfig: cluster.kubeconfig, context: cluster.context, door }).catch(tellFailure);
    },
  });
  using view = new View({
    api: apiOf(cluster.client),
    screen,
    paper: () => paperOf(terminal),
    askBefore: cluster.owner === "somebody" ? cluster.server : undefined,
    again: (controllers, key) => runner.again({ controllers, key }),
  });
  const reload = (why: string, what: "program" | "packages"): void => {
    screen.line(style.dim(why));
    void runner.reload(what);
  };
  await runner.reload();
  using _sources = watchSources(root, {
    changed: (path) =>
      reload(`${relative(root, path)} changed: reloading`, basename(path) === "package.json" ? "packages" : "program"),
    failed: (error) => screen.line(style.yellow(`changes are not seen everywhere: ${toCliError(error).message}`)),
  });
  const timer = setInterval(() => view.draw(), REDRAW);
  const quit = new AbortController();
  using _keys = watchKeys(terminal, (key) => {
    if (key === "r") reload("reloading", "packages");
    else if (key === "q") quit.abort();
    else void view.press(key);
  });
  await stopSignal(quit.signal);
  clearInterval(timer);
  screen.close();
}

function flagsOf({ operatorKubeconfig, context }: DevCluster, { logLevel }: SessionOptions): readonly string[] {
  return [
    ...(operatorKubeconfig === undefined ? [] : [`--kubeconfig=${operatorKubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
    "--install-crds",
    `--log-level=${logLevel}`,
  ];
}

/** Does something the first time that it is called, and never again. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
