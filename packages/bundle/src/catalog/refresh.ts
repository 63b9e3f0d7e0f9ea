/** Keeps a catalog current: it asks for the version from time to time, and replaces the content only by a whole new one. */
import { startTimer, type StartTimer } from "../clock.ts";
import type { CatalogContent } from "./content.ts";

/** A catalog that may change. */
export interface CatalogSource {
  /** What names the content: a digest, for example. It must be cheap. */
  readonly version: () => Promise<string>;
  readonly open: (version: string) => Promise<CatalogContent>;
}

/** How often to look, and what to do then. */
export interface RefreshOptions {
  /** 0: never. */
  readonly everyMs: number;
  readonly onChange: (content: CatalogContent) => void;
  readonly onError: (error: Error) => void;
  readonly now: () => Date;
  readonly startTimer?: StartTimer;
}

/** The current content. */
export interface CurrentCatalog extends AsyncDisposable {
  readonly content: () => CatalogContent;
  readonly modified: () => Date;
  /** Looks now; true if the content changed. A failure leaves the old content. */
  readonly refresh: () => Promise<boolean>;
}

/** Opens a catalog and keeps it current. The first opening must succeed. */
export async function openCurrentCatalog(source: CatalogSource, options: RefreshOptions): Promise<CurrentCatalog> {
  let version = await source.version();
  let content = await source.open(version);
  let modified = options.now();
  options.onChange(content);
  const old: CatalogContent[] = [];
  const replace = async (): Promise<boolean> => {
    const next = await source.version();
    if (next === version) return false;
    const fresh = await source.open(next);
    // Requests may still read the content before; that of the change before last has no readers that make progress.
    old.push(content);
    while (old.length > 1) await old.shift()?.[Symbol.asyncDispose]();
    [version, content, modified] = [next, fresh, options.now()];
    options.onChange(content);
    return true;
  };
  const refresh = async (): Promise<boolean> => {
    try {
      return await replace();
    } catch (error) {
      options.onError(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  };
  const stop = repeat(refresh, options);
  return {
    content: () => content,
    modified: () => modified,
    refresh,
    [Symbol.asyncDispose]: async () => {
      await stop();
      for (const one of [...old, content]) await one[Symbol.asyncDispose]();
    },
  };
}

/** Calls again and again, each time after the call before has ended. Returns what stops it. */
function repeat(
  act: () => Promise<unknown>,
  { everyMs, startTimer: start = startTimer }: Pick<RefreshOptions, "everyMs" | "startTimer">,
): () => Promise<void> {
  if (everyMs === 0) return async () => undefined;
  let running: Promise<unknown> = Promise.resolve();
  let timer: ReturnType<StartTimer> | undefined;
  let isStopped = false;
  const plan = (): void => {
    timer = start(everyMs, () => {
      running = act().finally(() => {
        if (!isStopped) plan();
      });
    });
  };
  plan();
  return async () => {
    isStopped = true;
    timer?.cancel();
    await running;
  };
}
