/**
 * Isolates errors of user functions from the event stream that calls them: each failure is logged once for its function and object,
 * counted, and remembered until it succeeds, and all other handlers still get the event.
 */
import type { KubeObject } from "@capstan/model";
import { isEarlier, keyText } from "../api.ts";
import type { AnyKind } from "../api.ts";
import type { UserCalls } from "../cache/indexes.ts";
import { RuntimeError } from "../errors.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import { namespaceOfKey } from "../api.ts";
import type { Predicate } from "./predicate.ts";
import type { MapToKeys } from "./event-handler.ts";

/** A function that failed. */
export interface UserFailure {
  readonly controller: string;
  /** The function, as in `map of ConfigMap`. */
  readonly what: string;
  /** The object, as in `ConfigMap default/settings`. */
  readonly object: string;
  readonly message: string;
  /** The version of the object for which it failed, if there is one. */
  readonly version: string | undefined;
}

export interface TroublesOptions {
  readonly controller: string;
  readonly log: Log;
  /** Called for each failure. */
  readonly onFailure: (what: string) => void;
}

/** The number of remembered failures: a function that always fails does so for every object. */
const KEPT = 100;

/** The functions of one controller that failed. */
export class UserFailures {
  readonly #options: TroublesOptions;
  readonly #known = new Map<string, UserFailure>();

  constructor(options: TroublesOptions) {
    this.#options = options;
  }

  /** Failures without a success since. */
  get all(): readonly UserFailure[] {
    return [...this.#known.values()];
  }

  /** If a predicate fails, the event passes. */
  predicate(what: string, kind: AnyKind, predicate: Predicate): Predicate {
    return (change) => {
      try {
        const matters = predicate(change);
        this.#succeeded(what, kind, change);
        return matters;
      } catch (error) {
        this.note(what, nameOf(kind, change), error);
        return true;
      }
    };
  }

  /** If a map fails, no key is triggered; invalid keys in its result are skipped. */
  map(kind: AnyKind, map: MapToKeys): MapToKeys {
    const what = `map of ${kind.kind}`;
    return (object, change) => {
      try {
        const keys: readonly unknown[] = [...map(object, change)];
        const odd = keys.find((key) => !isKey(key));
        if (odd !== undefined || keys.includes(undefined)) this.note(what, nameOf(kind, object), noKey(odd));
        else this.#succeeded(what, kind, object);
        return keys.filter(isKey);
      } catch (error) {
        this.note(what, nameOf(kind, object), error);
        return [];
      }
    };
  }

  /** If the fairness key fails, the namespace is used. */
  tenant(fairnessKey: (key: string) => string): (key: string) => string {
    return (key) => {
      try {
        return fairnessKey(key);
      } catch (error) {
        this.note("fairnessKey", { object: key, version: undefined }, error);
        return namespaceOfKey(key);
      }
    };
  }

  /** For user functions that the caches of a kind call. */
  calls(kind: AnyKind): UserCalls {
    return {
      failed: (what, object, error) => this.note(`${what} of ${kind.kind}`, nameOf(kind, object), error),
      succeeded: (what, object) => {
        if (this.#known.size > 0) this.#succeeded(`${what} of ${kind.kind}`, kind, object);
      },
    };
  }

  /** Logs that a function failed, unless that was logged before. */
  note(what: string, { object, version }: Named, error: unknown): void {
    const { controller, log, onFailure } = this.#options;
    const message = messageOf(error);
    onFailure(what);
    const id = `${what} ${object}`;
    const isNew = this.#known.get(id)?.message !== message;
    this.#known.set(id, { controller, what, object, message, version });
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest);
    if (isNew) log.error(`the ${what} failed for ${object}: ${message}`, { controller, object, error });
  }

  /** A success for an older version of an object does not clear the failure for the current one. */
  #succeeded(what: string, kind: AnyKind, object: Pick<KubeObject, "metadata">): void {
    if (this.#known.size === 0) return;
    const { object: name, version = "" } = nameOf(kind, object);
    const known = this.#known.get(`${what} ${name}`);
    if (known?.version !== undefined && !isEarlier(version, known.version)) this.#known.delete(`${what} ${name}`);
  }
}

/** The object of a call, and its version. */
interface Named {
  readonly object: string;
  readonly version: string | undefined;
}

function nameOf({ kind }: AnyKind, object: Pick<KubeObject, "metadata">): Named {
  return { object: `${kind} ${keyText(object)}`, version: object.metadata.resourceVersion };
}

/** The compiler knows that they are strings; values from objects may be anything. */
function isKey(key: unknown): key is string {
  return typeof key === "string" && key !== "";
}

function noKey(key: unknown): RuntimeError {
  return new RuntimeError(
    "BadOutcome",
    `Cannot enqueue ${key === "" ? '""' : messageOf(key)}: a map returns keys, as in "namespace/name".`,
  );
}
