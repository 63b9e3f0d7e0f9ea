/** The pods of one owner: found, claimed, started and ended. */
import { isApiError } from "@capstan/client";
import { Pod } from "@capstan/kinds/v1";
import { fromLabelSelectorObject } from "@capstan/model";
import type { LabelSelectorObject, StoredObject } from "@capstan/model";
import type { FindQuery } from "@capstan/runtime";
import { Ledger } from "../ledger/ledger.ts";
import { claim } from "../ownership/claim.ts";
import type { Owner } from "../ownership/claim.ts";
import { controllerOf } from "../ownership/owner.ts";
import { labelTests } from "../ownership/selection.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";
import type { NewPod } from "./template.ts";

/** Finds pods in the cache. */
export type FindPods = (kind: typeof Pod, query: FindQuery) => readonly Pod[];

/** Starts and ends the pods of a controller and knows of each at once. */
export class Crew {
  readonly ledger: Ledger<typeof Pod>;
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.ledger = new Ledger(Pod, setting.clock);
  }

  /** The pods of an owner, finished ones included: those that match are adopted, those that no longer do are let go. */
  async of<T extends StoredObject>(
    owner: Omit<Owner<T>, "selector"> & { readonly selector: LabelSelectorObject | undefined },
    find: FindPods,
  ): Promise<readonly Pod[]> {
    const { namespace, uid } = owner.object.metadata;
    const byLabels = find(Pod, { labels: labelTests(owner.selector) });
    const found = new Set(byLabels.map(({ metadata }) => metadata.uid));
    const others = find(Pod, { index: { name: "controller", value: uid } }).filter(
      ({ metadata }) => !found.has(metadata.uid),
    );
    const candidates = this.ledger.current(
      [...byLabels, ...others],
      (pod) => pod.metadata.namespace === namespace && controllerOf(pod)?.uid === uid,
    );
    const selector = fromLabelSelectorObject(owner.selector);
    const wrote = (pod: Pod): void => void this.ledger.wrote(pod);
    return claim({ ...owner, selector }, { client: this.#setting.client, kind: Pod, candidates, wrote });
  }

  async start(pod: NewPod, signal: AbortSignal): Promise<Pod> {
    return this.ledger.wrote(await this.#setting.client.create(Pod, pod, { fieldManager: MANAGER, signal }));
  }

  /** Ends a pod; one that is gone already has ended. */
  async end(pod: Pod, signal: AbortSignal): Promise<void> {
    const { namespace = "", name, uid } = pod.metadata;
    try {
      const answer = await this.#setting.client.delete(Pod, { namespace, name, preconditions: { uid }, signal });
      this.ledger.deleted(pod, answer);
    } catch (error) {
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
      this.ledger.deleted(pod, { kind: "Status" });
    }
  }
}

/** Does something so many times, a few at first and twice as many after each success; the first failure ends it and is thrown. */
export async function slowStart(count: number, act: (index: number) => Promise<void>): Promise<void> {
  let done = 0;
  for (let batch = 1; done < count; batch *= 2) {
    const size = Math.min(batch, count - done);
    const results = await Promise.allSettled(Array.from({ length: size }, (_, index) => act(done + index)));
    const failure = results.find((result) => result.status === "rejected");
    if (failure !== undefined) throw failure.reason;
    done += size;
  }
}
