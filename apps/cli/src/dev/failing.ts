/** Tracks the objects with failing reconciles. The operator's log shows when that begins, its history when it ends. */
import type { ReconcileRecord } from "@capstan/runtime";
import { CliError } from "../errors.ts";

/** The used fields of a log line about an object. */
export interface HeardLine {
  readonly level: string;
  readonly controller: string;
  readonly object: string;
  readonly message: string;
}

/** Asks the operator for the last reconciles of an object. */
export type AskReconciles = (controller: string, key: string) => Promise<readonly ReconcileRecord[]>;

interface Failure {
  readonly controller: string;
  readonly key: string;
  readonly message: string;
}

/** The failures of one operator. */
export class Failing {
  readonly #failures = new Map<string, Failure>();
  readonly #ask: AskReconciles;
  #isAsking = false;

  constructor(ask: AskReconciles) {
    this.#ask = ask;
  }

  /** Errors about objects are failed reconciles; intended waits are logged as warnings. */
  hear({ level, controller, object: key, message }: HeardLine): void {
    if (level === "error") this.#failures.set(`${controller} ${key}`, { controller, key, message });
  }

  /** The error of one of these controllers for an object, if there is one. */
  messageOf(controllers: readonly string[], key: string): string | undefined {
    const failure = controllers.map((controller) => this.#failures.get(`${controller} ${key}`)).find(Boolean);
    return failure?.message;
  }

  /** Checks whether failed objects still fail. A call during a running check does nothing. */
  async recheck(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    for (const [id, failure] of this.#failures)
      if (await this.#isOver(failure)) {
        // It may have failed again during the request.
        if (this.#failures.get(id) === failure) this.#failures.delete(id);
      }
    this.#isAsking = false;
  }

  /** Another program runs now, with its own failures. */
  clear(): void {
    this.#failures.clear();
  }

  async #isOver({ controller, key }: Failure): Promise<boolean> {
    try {
      const reconciles = await this.#ask(controller, key);
      return reconciles.at(-1)?.outcome !== "failed";
    } catch (error) {
      // An object without a history is deleted; an operator that does not respond proves nothing.
      return error instanceof CliError && error.code === "Failed";
    }
  }
}
