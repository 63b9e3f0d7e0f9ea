/** Which objects the operator fails on at present: its log tells when that begins, its history when it is over. */
import type { ReconcileRecord } from "@capstan/runtime";
import { CliError } from "../errors.ts";

/** A line of the operator's log about an object, as far as it matters here. */
export interface HeardLine {
  readonly level: string;
  readonly controller: string;
  readonly object: string;
  readonly message: string;
}

/** The last reconciles of an object, as the operator remembers them. */
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

  /** Errors about objects are failed reconciles; whoever waits on purpose only warns. */
  hear({ level, controller, object: key, message }: HeardLine): void {
    if (level === "error") this.#failures.set(`${controller} ${key}`, { controller, key, message });
  }

  /** Why one of these controllers fails on an object, if one does. */
  messageOf(controllers: readonly string[], key: string): string | undefined {
    const failure = controllers.map((controller) => this.#failures.get(`${controller} ${key}`)).find(Boolean);
    return failure?.message;
  }

  /** Asks about those that failed whether they still do; who asks again meanwhile has to wait for the next time. */
  async recheck(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    for (const [id, failure] of this.#failures)
      if (await this.#isOver(failure)) {
        // It may have failed anew while it was asked about.
        if (this.#failures.get(id) === failure) this.#failures.delete(id);
      }
    this.#isAsking = false;
  }

  /** Another program runs, whose failures are its own. */
  clear(): void {
    this.#failures.clear();
  }

  async #isOver({ controller, key }: Failure): Promise<boolean> {
    try {
      const reconciles = await this.#ask(controller, key);
      return reconciles.at(-1)?.outcome !== "failed";
    } catch (error) {
      // An object that is not remembered is gone; an operator that does not answer tells nothing.
      return error instanceof CliError && error.code === "Failed";
    }
  }
}
