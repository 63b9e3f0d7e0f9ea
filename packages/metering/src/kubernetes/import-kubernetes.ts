/** Imports from a live cluster: observes the kinds of the book into a journal, and imports the journal while it grows. */
import { type Client, isApiError } from "@capstan/client";
import type { Book } from "../book/book.ts";
import { Tally } from "../record/import-usage.ts";
import type { ImportResult } from "../record/usage.ts";
import type { Store } from "../store/store.ts";
import { JournalFollower } from "./follow-journal.ts";
import { type LineFields, openJournal } from "./journal-file.ts";
import { type NamedKind, listKind, type Observation, observeKind } from "./observe-kind.ts";

/** How a cluster is observed. */
export interface KubernetesImport {
  readonly book: Book;
  readonly client: Client;
  /** The path of the journal; it is continued if it exists. */
  readonly journal: string;
  /** The name of the cluster; absent for that of the journal. */
  readonly cluster?: string;
  /** Opens the store as its writer: for each step of the import, so that others can write in between. */
  readonly openStore: () => Promise<Store>;
  /** One list of each kind, no watch. */
  readonly once: boolean;
  /** Ends the observation in order. */
  readonly stop: AbortSignal;
  /** Milliseconds between two steps of the import. */
  readonly interval: number;
  readonly batch: number;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly newId: () => string;
  readonly warn: (message: string) => void;
}

/** The outcome: what was imported, and the kinds that were not observed up to the end. */
export interface KubernetesResult {
  readonly result: ImportResult;
  readonly behind: readonly NamedKind[];
}

/** Lines that only say that nothing happened may wait for this long. */
const quietMs = 30_000;

/** Observes and imports until it is stopped. */
export async function importKubernetes(options: KubernetesImport): Promise<KubernetesResult> {
  const { book, client, journal: path, cluster, now, openStore, warn, batch } = options;
  // A cluster that cannot be reached is an error before anything is written.
  await client.serverVersion();
  using journal = openJournal(path, { now: now(), newId: options.newId, ...(cluster !== undefined && { cluster }) });
  const tally = new Tally();
  const follower = new JournalFollower(
    { path, id: journal.id, cluster: journal.cluster, book, batch, now, warn },
    tally,
  );
  let watermarks: ReadonlyMap<string, number> = new Map();
  const step = async (): Promise<void> => {
    if (!(await follower.hasMore())) return;
    journal.sync();
    await using store = await openStore();
    await follower.step(store);
    watermarks = store.state.watermarks;
  };
  const news = new News();
  const write = async (lines: readonly LineFields[]): Promise<void> => {
    journal.append(lines);
    if (lines.some(({ type }) => type !== "BOOKMARK")) news.isUrgent = true;
  };
  await step();
  const observation = { client, now, sleep: options.sleep, write, warn, stop: options.stop };
  const kinds = kindsOf(book);
  const behind = options.once
    ? await listAll(kinds, observation)
    : await importing({ news, step, options }, (stop) => observeAll(kinds, { ...observation, stop }));
  await step();
  return { result: tally.result("kubernetes", watermarks), behind };
}

/** The kinds that the meters of a book count, and Namespaces, for tenants. */
export function kindsOf({ meters }: Pick<Book, "meters">): readonly NamedKind[] {
  const kinds = new Map([["v1/Namespace", { apiVersion: "v1", kind: "Namespace" }]]);
  for (const { objects } of meters.values())
    if (objects !== undefined)
      kinds.set(`${objects.apiVersion}/${objects.kind}`, { apiVersion: objects.apiVersion, kind: objects.kind });
  return [...kinds.values()];
}

class News {
  isUrgent = false;
}

async function listAll(kinds: readonly NamedKind[], observation: Observation): Promise<readonly NamedKind[]> {
  const missing: NamedKind[] = [];
  for (const kind of kinds) {
    try {
      await listKind(kind, observation);
    } catch (error) {
      if (!isApiError(error, "UnknownKind")) throw error;
      observation.warn(`${kind.apiVersion} ${kind.kind}: ${error.message}`);
      missing.push(kind);
    }
  }
  return missing;
}

async function observeAll(kinds: readonly NamedKind[], observation: Observation): Promise<readonly NamedKind[]> {
  const followed = await Promise.all(kinds.map(async (kind) => observeKind(kind, observation)));
  return kinds.filter((_, at) => followed[at] === false);
}

interface Importing {
  readonly news: News;
  readonly step: () => Promise<void>;
  readonly options: KubernetesImport;
}

/** Runs steps of the import beside the observation. A step that fails ends both; the journal keeps what was seen. */
async function importing<T>(
  { news, step, options }: Importing,
  observe: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const failed = new AbortController();
  const steps = (async () => {
    let quiet = 0;
    while (!ended.signal.aborted) {
      await options.sleep(options.interval, ended.signal).catch(() => undefined);
      quiet += options.interval;
      if (!news.isUrgent && quiet < quietMs) continue;
      news.isUrgent = false;
      quiet = 0;
      await step();
    }
  })().catch((error: unknown) => {
    failed.abort();
    throw error;
  });
  const guarded = steps.catch(() => undefined);
  try {
    return await observe(AbortSignal.any([options.stop, failed.signal]));
  } finally {
    ended.abort();
    await guarded;
    await steps;
  }
}
