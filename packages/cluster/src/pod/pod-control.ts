/** Claims, creates and deletes the pods of one owner. */
import { isApiError } from "@capstan/client";
import { Pod } from "@capstan/kinds/v1";
import { fromLabelSelectorObject } from "@capstan/model";
import type { LabelSelectorObject, StoredObject } from "@capstan/model";
import type { FindQuery } from "@capstan/runtime";
import { MutationCache } from "../controller/mutation-cache.ts";
import { claim } from "../ownership/claim.ts";
import type { Owner } from "../ownership/claim.ts";
import { controllerOf } from "../ownership/owner.ts";
import { labelQuery } from "../ownership/label-query.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import type { NewPod } from "./template.ts";

/** Finds pods in the cache. */
export type FindPods = (kind: typeof Pod, query: FindQuery) => readonly Pod[];

/** Creates and deletes the pods of a controller; the mutation cache records each write. */
export class PodControl {
  readonly mutations: MutationCache<typeof Pod>;
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.mutations = new MutationCache(Pod, context.clock);
  }

  /** The pods of an owner, including finished ones. Adopts matching pods and releases others. */
  async claimPods<T extends StoredObject>(
    owner: Omit<Owner<T>, "selector"> & { readonly selector: LabelSelectorObject | undefined },
    find: FindPods,
  ): Promise<readonly Pod[]> {
    const { namespace, uid } = owner.object.metadata;
    const byLabels = find(Pod, { labels: labelQuery(owner.selector) });
    const found = new Set(byLabels.map(({ metadata }) => metadata.uid));
    const others = find(Pod, { index: { name: "controller", value: uid } }).filter(
      ({ metadata }) => !found.has(metadata.uid),
    );
    const candidates = this.mutations.current(
      [...byLabels, ...others],
      (pod) => pod.metadata.namespace === namespace && controllerOf(pod)?.uid === uid,
    );
    const selector = fromLabelSelectorObject(owner.selector);
    const wrote = (pod: Pod): void => void this.mutations.wrote(pod);
    return claim({ ...owner, selector }, { client: this.#context.client, kind: Pod, candidates, wrote });
  }

  async create(pod: NewPod, signal: AbortSignal): Promise<Pod> {
    return this.mutations.wrote(await this.#context.client.create(Pod, pod, { fieldManager: FIELD_MANAGER, signal }));
  }

  /** Deletes a pod; a missing pod is not an error. */
  async delete(pod: Pod, signal: AbortSignal): Promise<void> {
    const { namespace = "", name, uid } = pod.metadata;
    try {
      const answer = await this.#context.client.delete(Pod, { namespace, name, preconditions: { uid }, signal });
      this.mutations.deleted(pod, answer);
    } catch (error) {
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
      this.mutations.deleted(pod, { kind: "Status" });
    }
  }
}

/** Calls `act` `count` times in batches of doubling size. The first failure stops it and is thrown. */
export async function slowStartBatch(count: number, act: (index: number) => Promise<void>): Promise<void> {
  let done = 0;
  for (let batch = 1; done < count; batch *= 2) {
    const size = Math.min(batch, count - done);
    const results = await Promise.allSettled(Array.from({ length: size }, (_, index) => act(done + index)));
    const failure = results.find((result) => result.status === "rejected");
    if (failure !== undefined) throw failure.reason;
    done += size;
  }
}
