/** Remembers which way of impersonation was allowed last for a user. It is tried first next time, and its error is reported. */
import type { Way } from "./impersonation.ts";

/** The cache size of kube-apiserver. */
const maxUsers = 10_000;

/** Keeps the last allowed way of each user and evicts the least recently used user. */
export class LastWays {
  readonly #constraints = new Map<string, string>();

  /** The ways, with the last allowed one first. */
  inOrder(user: string, ways: readonly Way[]): readonly Way[] {
    const last = this.#constraints.get(user);
    const first = ways.find(({ constraint }) => constraint === last);
    return first === undefined ? ways : [first, ...ways.filter((way) => way !== first)];
  }

  allowed(user: string, { constraint }: Way): void {
    this.#constraints.delete(user);
    this.#constraints.set(user, constraint);
    const [oldest] = this.#constraints.keys();
    if (this.#constraints.size > maxUsers && oldest !== undefined) this.#constraints.delete(oldest);
  }
}
