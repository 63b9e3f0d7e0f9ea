/** Logs failures of watches, each once: lasting ones at once, others when they persist. */
import { isApiError } from "@capstan/client";
import { kindId } from "../api.ts";
import type { WatchName } from "../cache/caches.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import type { WatcherEvent } from "../watch/watcher.ts";

/** The number of consecutive failures that are not considered temporary. */
const lastingFailures = 3;

interface WatchFailure {
  failures: number;
  /** The logged message, if any. */
  logged: string | undefined;
}

/** The logged failures of an operator's watches. */
export class WatchLog {
  readonly #log: Log;
  readonly #failures = new Map<string, WatchFailure>();

  constructor(log: Log) {
    this.#log = log;
  }

  note(of: WatchName, event: WatcherEvent): void {
    switch (event.type) {
      case "failed":
        return this.#fail(of, event.error);
      case "synced":
      case "changed":
      case "removed":
      case "progressed":
        return this.#recover(of);
      case "restarted":
      case "listed":
      case "unlisted":
      case "vanished":
        return;
    }
  }

  #fail(of: WatchName, error: unknown): void {
    const id = idOf(of);
    const failure = this.#failures.get(id) ?? { failures: 0, logged: undefined };
    this.#failures.set(id, failure);
    failure.failures++;
    const message = messageOf(error);
    if (failure.logged === message || (!isLasting(error) && failure.failures < lastingFailures)) return;
    failure.logged = message;
    this.#log.warn(`cannot watch ${nameOf(of)}, and goes on trying: ${message}`, fieldsOf(of));
  }

  #recover(of: WatchName): void {
    if (this.#failures.size === 0) return;
    const { logged } = this.#failures.get(idOf(of)) ?? {};
    this.#failures.delete(idOf(of));
    if (logged !== undefined) this.#log.info(`watches ${nameOf(of)} again`, fieldsOf(of));
  }
}

/** The watch of one namespace may be healthy while another is not. */
function idOf({ kind, namespace = "" }: WatchName): string {
  return `${namespace}/${kindId(kind)}`;
}

function nameOf({ kind, namespace }: WatchName): string {
  return namespace === undefined ? kind.plural : `${kind.plural} in ${namespace}`;
}

function fieldsOf({ kind, namespace }: WatchName): { readonly kind: string; readonly namespace?: string } {
  return { kind: kind.kind, ...(namespace === undefined ? {} : { namespace }) };
}

/** Failures that need an action: grant a permission, renew a credential, install a CRD. */
function isLasting(error: unknown): boolean {
  return isApiError(error, "Forbidden", "Unauthorized", "UnknownKind", "NotFound");
}
