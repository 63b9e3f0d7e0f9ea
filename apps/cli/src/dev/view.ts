/** The objects that a dev session shows, and what its keys do with the selected one. */
import type { StoredObject } from "@capstan/model";
import { type Api, pauseAnnotation } from "@capstan/runtime";
import { toCliError } from "../errors.ts";
import { fetchReconciles } from "../explain/fetch-reconciles.ts";
import { formatReconciles, type Paper } from "../explain/format.ts";
import { wrap } from "../output/wrap.ts";
import { Failing, type HeardLine } from "./failing.ts";
import { type ObjectEvents, followObjects } from "./follow.ts";
import { type ControllerNames, type KindNames, resourceOf } from "./messages.ts";
import { conditionsText, type Row, rowsTable, toRow } from "./objects.ts";
import type { Screen } from "./screen.ts";

/** The line below the table. */
export const KEYS = "up/down select   p pause/resume   e explain   a again   r reload   q quit";

/** The limit of lines of an error below the table; `explain` shows all of it. */
const MOST_LINES = 4;

/** The options of a view. */
export interface ViewOptions {
  readonly api: Api;
  readonly screen: Screen;
  /** A function, because the window may be resized. */
  readonly paper: () => Paper;
  /** The address of an existing cluster: writes to it need a confirmation. */
  readonly askBefore: string | undefined;
  /** Makes these controllers reconcile an object again. */
  readonly again: (controllers: readonly string[], key: string) => void;
}

/** The program that runs at present. */
export interface Shown {
  readonly kinds: readonly KindNames[];
  readonly controllers: readonly ControllerNames[];
  /** `host:port` of the operator's health endpoint. */
  readonly address: string;
}

/** An action that waits for a confirmation. */
interface Question {
  readonly text: string;
  readonly onYes: () => Promise<void>;
}

/** The view of one session. */
export class View implements Disposable {
  readonly #options: ViewOptions;
  #shown: Shown = { kinds: [], controllers: [], address: "" };
  #following: Disposable | undefined;
  readonly #rows = new Map<string, Row>();
  #selected: string | undefined;
  #question: Question | undefined;
  #isDeaf = false;
  /** Why the current program does not run. */
  #trouble: string | undefined;
  readonly #failing = new Failing((controller, key) =>
    fetchReconciles({ address: this.#shown.address, controller, ...keyOf(key) }),
  );

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  /** Follows the objects of the running program. */
  show(shown: Shown): void {
    this.#shown = shown;
    this.#trouble = undefined;
    this.#failing.clear();
    this.#following?.[Symbol.dispose]();
    const resources = new Set(shown.kinds.map(resourceOf));
    for (const { id, resource } of this.#rows.values()) if (!resources.has(resource)) this.#rows.delete(id);
    this.#following = followObjects(this.#options.api, shown.kinds, this.#events());
  }

  /** The program failed to load, or ended: the text stays below the table when lines scroll away. */
  fail(trouble: string): void {
    this.#trouble = trouble;
  }

  /** Draws the table as of now. */
  draw(): void {
    const { screen, paper } = this.#options;
    const { style } = paper();
    const rows = this.#sorted();
    const selected = this.#selectedRow();
    const isFailing = (row: Row): boolean => this.#failureOf(row) !== undefined;
    screen.table(rowsTable(rows, { style, now: Date.now(), selected: selected?.id, isFailing }), {
      selected: selected === undefined ? 0 : rows.indexOf(selected),
      below: this.#below(selected),
    });
  }

  /** A line of the operator's log, if it is about an object. */
  hear(line: HeardLine | undefined): void {
    if (line !== undefined) this.#failing.hear(line);
  }

  /** Checks whether failed objects still fail. */
  async recheck(): Promise<void> {
    await this.#failing.recheck();
  }

  /** Runs the action of a key; other keys do nothing. */
  async press(key: string): Promise<void> {
    try {
      if (this.#question === undefined) await this.#act(key);
      else await this.#answer(key);
    } catch (error) {
      this.#options.screen.line(this.#options.paper().style.red(toCliError(error).message));
    }
    this.draw();
  }

  /** The error of the selected object and the keys, or the open question. */
  #below(selected: Row | undefined): string {
    const { style, columns } = this.#options.paper();
    if (this.#question !== undefined) return style.yellow(`${this.#question.text} y/n`);
    const failure = selected === undefined ? undefined : this.#failureOf(selected);
    const first = failure?.split("\n", 1)[0];
    const texts = [this.#trouble, first === undefined ? undefined : `last error: ${first}`];
    // The reason is often at the end: errors are wrapped, not cut, up to a limit that keeps the table visible.
    const lines = texts.flatMap((text) => (text === undefined ? [] : wrap(text, columns).slice(0, MOST_LINES)));
    const why = lines.map((line) => `${style.red(line.slice(0, columns))}\n`).join("");
    return `${why}${style.dim(KEYS)}`;
  }

  #failureOf({ resource, key }: Row): string | undefined {
    return this.#failing.messageOf(this.#controllersOf(resource), key);
  }

  [Symbol.dispose](): void {
    this.#following?.[Symbol.dispose]();
  }

  #events(): ObjectEvents {
    return {
      listed: (kind, objects) => this.#onList(kind, objects),
      changed: (kind, object) => this.#onRow(toRow(kind, object)),
      removed: (kind, object) => this.#onGone(toRow(kind, object)),
      failed: (_kind, error) => {
        if (this.#isDeaf) return;
        this.#isDeaf = true;
        const { screen, paper } = this.#options;
        screen.line(paper().style.red(`the table may be out of date: ${toCliError(error).message}`));
      },
    };
  }

  #onList(kind: KindNames, objects: readonly StoredObject[]): void {
    this.#isDeaf = false;
    const listed = objects.map((object) => toRow(kind, object));
    const ids = new Set(listed.map(({ id }) => id));
    for (const row of this.#rows.values()) if (row.resource === resourceOf(kind) && !ids.has(row.id)) this.#onGone(row);
    for (const row of listed) this.#onRow(row);
  }

  /** Visible changes are also printed as lines. */
  #onRow(row: Row): void {
    const { style } = this.#options.paper();
    const former = this.#rows.get(row.id);
    const text = conditionsText(row, style);
    this.#rows.set(row.id, row);
    if (former === undefined || conditionsText(former, style) !== text)
      this.#options.screen.line(`${style.bold(row.title)} ${text === "" ? "is there" : text}`);
  }

  #onGone({ id, title }: Row): void {
    if (this.#rows.delete(id)) this.#options.screen.line(`${this.#options.paper().style.bold(title)} is gone`);
  }

  #sorted(): readonly Row[] {
    return [...this.#rows.values()].toSorted((a, b) => (a.title < b.title ? -1 : 1));
  }

  #selectedRow(): Row | undefined {
    return this.#rows.get(this.#selected ?? "") ?? this.#sorted()[0];
  }

  async #act(key: string): Promise<void> {
    switch (key) {
      case "up":
      case "k":
        return this.#move(-1);
      case "down":
      case "j":
        return this.#move(1);
      case "p":
        return this.#withSelected((row) => this.#togglePause(row));
      case "e":
        return this.#withSelected((row) => this.#explain(row));
      case "a":
        return this.#withSelected((row) => this.#again(row));
      default:
    }
  }

  async #withSelected(act: (row: Row) => Promise<void>): Promise<void> {
    const row = this.#selectedRow();
    if (row === undefined) this.#options.screen.line("there is no object yet");
    else await act(row);
  }

  #move(by: number): void {
    const rows = this.#sorted();
    const at = rows.findIndex(({ id }) => id === this.#selectedRow()?.id) + by;
    this.#selected = rows[Math.max(0, Math.min(at, rows.length - 1))]?.id;
  }

  async #answer(key: string): Promise<void> {
    const question = this.#question;
    this.#question = undefined;
    if (key === "y") await question?.onYes();
    else this.#options.screen.line("left as it is");
  }

  async #togglePause(row: Row): Promise<void> {
    const { askBefore } = this.#options;
    const onYes = (): Promise<void> => this.#setPause(row);
    if (askBefore === undefined) await onYes();
    else this.#question = { text: `${row.isPaused ? "resume" : "pause"} ${row.title} on ${askBefore}?`, onYes };
  }

  async #setPause({ resource, key, isPaused }: Row): Promise<void> {
    const names = this.#shown.kinds.find((one) => resourceOf(one) === resource);
    if (names === undefined) return;
    const body = { metadata: { annotations: { [pauseAnnotation]: isPaused ? null : "true" } } };
    await this.#options.api.patch(names, keyOf(key), body, { type: "merge", manager: "capstan-dev" });
  }

  /** Prints why the object was reconciled, for each of its controllers. */
  async #explain({ title, resource, key }: Row): Promise<void> {
    const { screen, paper } = this.#options;
    const { address } = this.#shown;
    for (const controller of this.#controllersOf(resource)) {
      const reconciles = await fetchReconciles({ address, controller, ...keyOf(key) });
      screen.line(`${paper().style.bold(title)} by ${controller}\n${formatReconciles(reconciles, paper())}`);
    }
  }

  async #again({ title, resource, key }: Row): Promise<void> {
    this.#options.again(this.#controllersOf(resource), key);
    this.#options.screen.line(`${this.#options.paper().style.bold(title)} is looked at again`);
  }

  #controllersOf(resource: string): readonly string[] {
    return this.#shown.controllers.filter((one) => one.resource === resource).map(({ name }) => name);
  }
}

function keyOf(key: string): { readonly namespace: string; readonly name: string } {
  const [name = "", namespace = ""] = key.split("/").reverse();
  return { namespace, name };
}
