/**
 * Keeps what users' functions throw away from the stream that calls them: what failed for which object is told once, counted, and
 * remembered until it succeeds, and everybody else hears of the change.
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
import type { MapToKeys } from "./trigger.ts";

/** A function that failed. */
export interface Trouble {
  readonly controller: string;
  /** Which function, as in `map of ConfigMap`. */
  readonly what: string;
  /** For what, as in `ConfigMap default/settings`. */
  readonly object: string;
  readonly message: string;
  /** The version of the object that it failed for, if there is one. */
  readonly version: string | undefined;
}

/** What troubles are kept with. */
export interface TroublesOptions {
  readonly controller: string;
  readonly log: Log;
  /** Is told of each failure. */
  readonly onTrouble: (what: string) => void;
}

/** So many are remembered: more tell nothing new, and a function that always fails fails for every object. */
const KEPT = 100;

/** The functions of one controller that failed. */
export class Troubles {
  readonly #options: TroublesOptions;
  readonly #known = new Map<string, Trouble>();

  constructor(options: TroublesOptions) {
    this.#options = options;
  }

  /** Those that have not succeeded since. */
  get all(): readonly Trouble[] {
    return [...this.#known.values()];
  }

  /** A change that nobody could judge matters. */
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

  /** Whom an object concerns when its map fails, nobody knows; of what it names, the keys that make sense are woken. */
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

  /** A key whose tenant nobody can tell belongs to its namespace. */
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

  /** For functions that caches of a kind call. */
  calls(kind: AnyKind): UserCalls {
    return {
      failed: (what, object, error) => this.note(`${what} of ${kind.kind}`, nameOf(kind, object), error),
      succeeded: (what, object) => {
        if (this.#known.size > 0) this.#succeeded(`${what} of ${kind.kind}`, kind, object);
      },
    };
  }

  /** Tells that a function failed, unless it was told before. */
  note(what: string, { object, version }: Named, error: unknown): void {
    const { controller, log, onTrouble } = this.#options;
    const message = messageOf(error);
    onTrouble(what);
    const id = `${what} ${object}`;
    const isNew = this.#known.get(id)?.message !== message;
    this.#known.set(id, { controller, what, object, message, version });
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest);
    if (isNew) log.error(`the ${what} failed for ${object}: ${message}`, { controller, object, error });
  }

  /** A function that succeeds for an object as it was before says nothing about the object as it is. */
  #succeeded(what: string, kind: AnyKind, object: Pick<KubeObject, "metadata">): void {
    if (this.#known.size === 0) return;
    const { object: name, version = "" } = nameOf(kind, object);
    const known = this.#known.get(`${what} ${name}`);
    if (known?.version !== undefined && !isEarlier(version, known.version)) this.#known.delete(`${what} ${name}`);
  }
}

/** What a function was called for, and the version that it saw. */
interface Named {
  readonly object: string;
  readonly version: string | undefined;
}

function nameOf({ kind }: AnyKind, object: Pick<KubeObject, "metadata">): Named {
  return { object: `${kind} ${keyText(object)}`, version: object.metadata.resourceVersion };
}

/** The compiler knows that they are texts; what was read out of objects may be anything. */
function isKey(key: unknown): key is string {
  return typeof key === "string" && key !== "";
}

function noKey(key: unknown): RuntimeError {
  return new RuntimeError(
    "BadOutcome",
    `Cannot wake ${key === "" ? '""' : messageOf(key)}: a map returns keys, as in "namespace/name".`,
  );
}
