/** Logs failures of watches, each once: lasting ones at once, others when they persist. */
import { isApiError } from "@capstan/client";
import { kindId } from "../api.ts";
import type { WatchName } from "../cache/caches.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import type { WatcherEvent } from "../watch/watcher.ts";

/** The number of consecutive failures that are not considered temporary. */
const NO_ACCIDENT = 3;

interface Trouble {
  failures: number;
  /** The logged message, if any. */
  told: string | undefined;
}

/** The logged failures of an operator's watches. */
export class WatchLog {
  readonly #log: Log;
  readonly #troubles = new Map<string, Trouble>();

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
    const trouble = this.#troubles.get(id) ?? { failures: 0, told: undefined };
    this.#troubles.set(id, trouble);
    trouble.failures++;
    const message = messageOf(error);
    if (trouble.told === message || (!isLasting(error) && trouble.failures < NO_ACCIDENT)) return;
    trouble.told = message;
    this.#log.warn(`cannot watch ${nameOf(of)}, and goes on trying: ${message}`, fieldsOf(of));
  }

  #recover(of: WatchName): void {
    if (this.#troubles.size === 0) return;
    const { told } = this.#troubles.get(idOf(of)) ?? {};
    this.#troubles.delete(idOf(of));
    if (told !== undefined) this.#log.info(`watches ${nameOf(of)} again`, fieldsOf(of));
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
