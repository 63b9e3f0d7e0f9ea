/** Invariants of a world: actions are recorded here, and a contradiction is a violation. */

/** A replica acts for an object; its signal shows whether it was aborted. */
interface Work {
  readonly replica: string;
  readonly signal: AbortSignal;
}

export class Books {
  readonly violations: string[] = [];
  readonly #reconciles = new Map<string, Set<Work>>();
  readonly #daemons = new Map<string, Set<Work>>();
  readonly #begun = new Set<string>();
  readonly #held = new Set<string>();
  readonly #cleaned = new Set<string>();

  /** A reconcile of an object begins; it ends when the result is disposed. */
  request(name: string, work: Work): Disposable {
    return this.#during(this.#reconciles, name, work, "reconciles");
  }

  /** A daemon of an object begins. */
  daemon(uid: string, work: Work): Disposable {
    return this.#during(this.#daemons, uid, work, "daemons");
  }

  /** The objects that have a daemon in a replica. */
  daemonsOf(replica: string): readonly string[] {
    const live = [...this.#daemons].filter(([, works]) =>
      [...works].some((work) => work.replica === replica && isLive(work)),
    );
    return live.map(([uid]) => uid).sort();
  }

  /** A step runs. Only the first run may see itself as the first. */
  step(uid: string, input: number | undefined, resumed: boolean): void {
    const id = `${uid} ${input}`;
    if (!resumed && this.#begun.has(id)) this.violations.push(`a step of ${id} began twice`);
    this.#begun.add(id);
  }

  /** An object got the finalizer: it must not be deleted before its cleanup has run. */
  held(uid: string): void {
    this.#held.add(uid);
  }

  cleaned(uid: string): void {
    this.#cleaned.add(uid);
  }

  /** Returns the held objects that are gone without a cleanup, given the existing ones. */
  notCleaned(there: ReadonlySet<string>): readonly string[] {
    return [...this.#held].filter((uid) => !there.has(uid) && !this.#cleaned.has(uid));
  }

  /** A write reaches the server: its replica must lead, by its own state and by the lease. */
  wrote(replica: string, { leads, holder }: { readonly leads: boolean; readonly holder: string }): void {
    if (!leads) this.violations.push(`${replica} wrote and did not lead`);
    if (holder !== replica) this.violations.push(`${replica} wrote while "${holder}" held the lease`);
  }

  /** Two may overlap only if one of them was aborted. */
  #during(books: Map<string, Set<Work>>, id: string, work: Work, what: string): Disposable {
    const works = books.get(id) ?? new Set<Work>();
    books.set(id, works.add(work));
    const live = [...works].filter(isLive).map(({ replica }) => replica);
    if (live.length > 1) this.violations.push(`two ${what} of ${id} at once: ${live.join()}`);
    return { [Symbol.dispose]: () => void works.delete(work) };
  }
}

function isLive({ signal }: Work): boolean {
  return !signal.aborted;
}
