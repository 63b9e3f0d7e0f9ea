/** Tells what keeps watches from their objects: at once what will not pass by itself, the rest when it does not pass, each once. */
import { isApiError } from "@capstan/client";
import { kindId } from "../api.ts";
import type { AnyKind } from "../api.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import type { Signal } from "../watch/watcher.ts";

/** How many failures in a row are too many for an accident. */
const NO_ACCIDENT = 3;

interface Trouble {
  failures: number;
  /** What was told of it, if anything was. */
  told: string | undefined;
}

/** What was told about the watches of an operator. */
export class WatchLog {
  readonly #log: Log;
  readonly #troubles = new Map<string, Trouble>();

  constructor(log: Log) {
    this.#log = log;
  }

  hear(kind: AnyKind, signal: Signal): void {
    switch (signal.type) {
      case "failed":
        return this.#fail(kind, signal.error);
      case "synced":
      case "changed":
      case "removed":
      case "progressed":
        return this.#recover(kind);
      case "restarted":
      case "listed":
      case "unlisted":
      case "vanished":
        return;
    }
  }

  #fail(kind: AnyKind, error: unknown): void {
    const trouble = this.#troubles.get(kindId(kind)) ?? { failures: 0, told: undefined };
    this.#troubles.set(kindId(kind), trouble);
    trouble.failures++;
    const message = messageOf(error);
    if (trouble.told === message || (!isLasting(error) && trouble.failures < NO_ACCIDENT)) return;
    trouble.told = message;
    this.#log.warn(`cannot watch ${kind.plural}, and goes on trying: ${message}`, { kind: kind.kind });
  }

  #recover(kind: AnyKind): void {
    if (this.#troubles.size === 0) return;
    const { told } = this.#troubles.get(kindId(kind)) ?? {};
    this.#troubles.delete(kindId(kind));
    if (told !== undefined) this.#log.info(`watches ${kind.plural} again`, { kind: kind.kind });
  }
}

/** Somebody has to do something about it: grant a right, renew a credential, install a CRD. */
function isLasting(error: unknown): boolean {
  return isApiError(error, "Forbidden", "Unauthorized", "UnknownKind", "NotFound");
}
