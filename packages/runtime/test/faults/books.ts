/** What must hold in a world at every moment: whoever acts is written down here, and what contradicts what stands there is a violation. */

/** One of several replicas does something for an object; whether it is told to end is seen from the signal. */
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

  /** A reconcile of an object begins; it ends when what is returned is disposed of. */
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

  /** A step runs. Nobody may believe to be the first who is not. */
  step(uid: string, input: number | undefined, resumed: boolean): void {
    const id = `${uid} ${input}`;
    if (!resumed && this.#begun.has(id)) this.violations.push(`a step of ${id} began twice`);
    this.#begun.add(id);
  }

  /** An object got the finalizer: it must not go before its cleanup has run. */
  held(uid: string): void {
    this.#held.add(uid);
  }

  cleaned(uid: string): void {
    this.#cleaned.add(uid);
  }

  /** Says which of the objects that were held are gone without a cleanup, given those that are there. */
  notCleaned(there: ReadonlySet<string>): readonly string[] {
    return [...this.#held].filter((uid) => !there.has(uid) && !this.#cleaned.has(uid));
  }

  /** A write reaches the server: its replica must lead by its own account and by the lease. */
  wrote(replica: string, { leads, holder }: { readonly leads: boolean; readonly holder: string }): void {
    if (!leads) this.violations.push(`${replica} wrote and did not lead`);
    if (holder !== replica) this.violations.push(`${replica} wrote while "${holder}" held the lease`);
  }

  /** Two may overlap only while one of them has been told to end. */
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
