/** Which way of acting as somebody else was allowed last to whom: it is tried first next time, and tells why none is allowed. */
import type { Way } from "./impersonation.ts";

/** As many users as the real server remembers. */
const maxUsers = 10_000;

/** Remembers for each user the way that was allowed last, and forgets who has not used one for longest. */
export class LastWays {
  readonly #constraints = new Map<string, string>();

  /** The ways, the one that was allowed last before all others. */
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
