/** A dev session, put together: the cluster, the operator's process, the watch on its sources, the screen and the keys. */
import { basename, relative } from "node:path";
import { apiOf, PAUSE_ANNOTATION } from "@capstan/runtime";
import type { Api } from "@capstan/runtime";
import { askDoor } from "../explain/door.ts";
import { formatTurns, type Paper, paperOf } from "../explain/format.ts";
import { styleOf, type Style } from "../output/style.ts";
import { stopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";
import { applyFiles } from "./apply-files.ts";
import { type ClusterChoice, openCluster } from "./cluster.ts";
import { watchKeys } from "./keys.ts";
import { formatLogLine } from "./log-line.ts";
import type { KindNames } from "./messages.ts";
import { conditionsText, listRows, type Row, rowsTable } from "./objects.ts";
import { Runner } from "./runner.ts";
import { openScreen, type Screen } from "./screen.ts";
import { removeSession, writeSession } from "./session.ts";
import { watchSources } from "./sources.ts";

/** What a session is started with. */
export interface SessionOptions extends ClusterChoice {
  readonly entry: string;
  readonly logLevel: string;
  readonly apply: readonly string[];
}

const LOOK = 500;

/** Runs until it is told to stop. */
export async function runSession(options: SessionOptions, terminal: Terminal): Promise<void> {
  await using cluster = await openCluster(options, terminal);
  const style = styleOf(terminal);
  const screen = openScreen(terminal, terminal.isInteractive);
  for (const line of cluster.about) screen.line(line);
  const view = new View({ api: apiOf(cluster.client), screen, style, paper: () => paperOf(terminal) });
  const { root, entry } = options;
  await using runner = new Runner({
    cwd: root,
    entry,
    flags: [
      `--kubeconfig=${cluster.operatorKubeconfig}`,
      ...(cluster.context === undefined ? [] : [`--context=${cluster.context}`]),
      "--install-crds",
      `--log-level=${options.logLevel}`,
    ],
    line: (line) => screen.line(formatLogLine(line, style)),
    failed: (why) => screen.line(style.red(why)),
    started: (milliseconds) => {
      screen.line(style.green(`ready in ${Math.round(milliseconds)} ms`));
      void applyOnce();
    },
    loaded: ({ kinds, controllers }, door) => {
      view.show(kinds, controllers, door);
      void writeSession(root, { pid: process.pid, kubeconfig: cluster.kubeconfig, door });
    },
  });
  let files: readonly string[] = options.apply;
  const applyOnce = async (): Promise<void> => {
    const [now, later] = [files, []];
    files = later;
    for (const line of await applyFiles(cluster.client, now, terminal.cwd)) screen.line(line);
  };
  const reload = (why: string, what: "program" | "packages"): void => {
    screen.line(style.dim(why));
    void runner.reload(what);
  };
  await runner.reload();
  using _sources = watchSources(root, (path) =>
    reload(`${relative(root, path)} changed: reloading`, basename(path) === "package.json" ? "packages" : "program"),
  );
  const timer = setInterval(() => void view.look(), LOOK);
  const quit = new AbortController();
  using _keys = watchKeys(terminal, {
    r: () => reload("reloading", "packages"),
    p: () => void view.togglePause(),
    e: () => void view.explain(),
    q: () => quit.abort(),
  });
  await stopSignal(quit.signal);
  clearInterval(timer);
  screen.close();
  await removeSession(root);
}

/** What the session shows of the operator's objects. */
class View {
  readonly #api: Api;
  readonly #screen: Screen;
  readonly #style: Style;
  /** Windows are made wider and narrower. */
  readonly #paper: () => Paper;
  #kinds: readonly KindNames[] = [];
  #controllers: ReadonlyMap<string, string> = new Map();
  #door = "";
  #rows: readonly Row[] = [];
  #told = new Map<string, string>();
  #latest: Row | undefined;

  constructor({ api, screen, style, paper }: { api: Api; screen: Screen; style: Style; paper: () => Paper }) {
    this.#api = api;
    this.#paper = paper;
    this.#screen = screen;
    this.#style = style;
  }

  show(kinds: readonly KindNames[], controllers: readonly { name: string; kind: string }[], door: string): void {
    this.#kinds = kinds;
    this.#controllers = new Map([...controllers].reverse().map(({ name, kind }) => [kind, name]));
    this.#door = door;
  }

  /** Lists the objects; what changed since the last look is told as a line, too. */
  async look(): Promise<void> {
    this.#rows = await listRows(this.#api, this.#kinds);
    const told = new Map<string, string>();
    for (const row of this.#rows) {
      const text = conditionsText(row, this.#style);
      told.set(row.id, text);
      if (this.#told.get(row.id) === text) continue;
      this.#latest = row;
      this.#screen.line(`${this.#style.bold(row.id)} ${text === "" ? "is there" : text}`);
    }
    for (const id of this.#told.keys()) if (!told.has(id)) this.#screen.line(`${this.#style.bold(id)} is gone`);
    this.#told = told;
    this.#screen.table(rowsTable(this.#rows, this.#style, Date.now()));
  }

  /** Pauses every object, or resumes all when some are paused. */
  async togglePause(): Promise<void> {
    const value = this.#rows.some(({ isPaused }) => isPaused) ? null : "true";
    const body = { metadata: { annotations: { [PAUSE_ANNOTATION]: value } } };
    for (const { kind, key } of this.#rows) {
      const names = this.#kinds.find((one) => one.kind === kind);
      const [name = "", namespace = ""] = key.split("/").reverse();
      if (names !== undefined)
        await this.#api.patch(names, { namespace, name }, body, { type: "merge", manager: "capstan-dev" });
    }
  }

  /** Tells why the object that changed last was looked at. */
  async explain(): Promise<void> {
    const row = this.#latest;
    if (row === undefined) return this.#screen.line("nothing to explain yet");
    const [name = "", namespace = ""] = row.key.split("/").reverse();
    try {
      const turns = await askDoor({
        door: this.#door,
        controller: this.#controllers.get(row.kind) ?? "",
        namespace,
        name,
      });
      this.#screen.line(`${this.#style.bold(row.id)}\n${formatTurns(turns, this.#paper())}`);
    } catch (error) {
      this.#screen.line(error instanceof Error ? error.message : String(error));
    }
  }
}
