/** The template history of a StatefulSet or DaemonSet, as ControllerRevisions. */
import { isApiError } from "@capstan/client";
import { ControllerRevision } from "@capstan/kinds/apps/v1";
import type { PodTemplateSpec } from "@capstan/kinds/v1";
import { isDeepEqual } from "@capstan/model";
import type { Kind, LabelSelectorObject, StoredObject } from "@capstan/model";
import type { FindQuery } from "@capstan/runtime";
import { MutationCache } from "./mutation-cache.ts";
import { controllerOf, controllerReference } from "../ownership/owner.ts";
import { labelQuery } from "../ownership/label-query.ts";
import { templateHash } from "../pod/hash.ts";
import { FIELD_MANAGER } from "./context.ts";
import type { ControllerContext } from "./context.ts";

/** The pod label that names the pod's revision. */
export const REVISION_LABEL = "controller-revision-hash";

/** The owner of the revisions. */
export interface RevisionParent<T extends StoredObject> {
  readonly kind: Kind<T, unknown, "Namespaced">;
  readonly object: T;
  readonly selector: LabelSelectorObject | undefined;
  readonly template: PodTemplateSpec;
  readonly collisions: number;
  /** The label for the hash of the revision. */
  readonly hashLabel: string;
}

/** Finds revisions in the cache. */
export type FindRevisions = (kind: typeof ControllerRevision, query: FindQuery) => readonly ControllerRevision[];

/** All revisions, oldest first, and the one for the current template. */
export interface SyncedRevisions {
  readonly revisions: readonly ControllerRevision[];
  readonly update: ControllerRevision;
}

/** Maintains the revisions for one controller. */
export class RevisionHistory {
  readonly mutations: MutationCache<typeof ControllerRevision>;
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.mutations = new MutationCache(ControllerRevision, context.clock);
  }

  /** Creates or updates the revision for the current template. */
  async sync<T extends StoredObject>(parent: RevisionParent<T>, find: FindRevisions): Promise<SyncedRevisions> {
    const { uid, namespace } = parent.object.metadata;
    const isOwned = (revision: ControllerRevision): boolean => controllerOf(revision)?.uid === uid;
    const cached = find(ControllerRevision, { labels: labelQuery(parent.selector) });
    const revisions = this.mutations
      .current(cached, (one) => one.metadata.namespace === namespace && isOwned(one))
      .filter(isOwned)
      .sort(byRevision);
    const data = toData(parent.template);
    const highest = revisions.at(-1)?.revision ?? 0;
    const equal = revisions.findLast((one) => isDeepEqual(one.data, data));
    if (equal === undefined) {
      const update = await this.#create(parent, data, highest + 1);
      return { revisions: [...revisions, update], update };
    }
    if (equal.revision === highest) return { revisions, update: equal };
    const update = await this.#updateRevision(equal, highest + 1);
    return { revisions: [...revisions.filter((one) => one !== equal), update], update };
  }

  /** Removes the oldest unused revisions beyond the limit. */
  async truncate(revisions: readonly ControllerRevision[], limit: number, live: ReadonlySet<string>): Promise<void> {
    const unused = revisions.filter(({ metadata }) => !live.has(metadata.name));
    for (const revision of unused.slice(0, Math.max(0, unused.length - limit))) {
      const { namespace = "", name, uid } = revision.metadata;
      const target = { namespace, name, preconditions: { uid } };
      try {
        this.mutations.deleted(revision, await this.#context.client.delete(ControllerRevision, target));
      } catch (error) {
        if (!isApiError(error, "NotFound", "Conflict")) throw error;
      }
    }
  }

  async #create<T extends StoredObject>(
    parent: RevisionParent<T>,
    data: unknown,
    revision: number,
  ): Promise<ControllerRevision> {
    const { kind, object, template, collisions, hashLabel } = parent;
    const { namespace = "", name } = object.metadata;
    const hash = templateHash(data, collisions);
    const metadata = {
      name: `${name.slice(0, 223)}-${hash}`,
      namespace,
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      ...(object.metadata.annotations && { annotations: object.metadata.annotations }),
      ownerReferences: [controllerReference(kind, object)],
    };
    const { client } = this.#context;
    try {
      const body = { metadata, data, revision } as never;
      return this.mutations.wrote(await client.create(ControllerRevision, body, { fieldManager: FIELD_MANAGER }));
    } catch (error) {
      if (!isApiError(error, "AlreadyExists")) throw error;
      const existing = await client.get(ControllerRevision, { namespace, name: metadata.name });
      if (isDeepEqual(existing.data, data) && controllerOf(existing)?.uid === object.metadata.uid) return existing;
      throw new Error(`Another revision has the name ${metadata.name}.`, { cause: error });
    }
  }

  async #updateRevision(
    { metadata: { namespace = "", name } }: ControllerRevision,
    revision: number,
  ): Promise<ControllerRevision> {
    const { client } = this.#context;
    const options = { fieldManager: FIELD_MANAGER };
    return this.mutations.wrote(
      await client.patch(ControllerRevision, { namespace, name }, { merge: { revision } }, options),
    );
  }
}

/** The template as a patch that restores it. The fields are sorted because revisions are compared byte by byte. */
function toData(template: PodTemplateSpec): unknown {
  return { spec: { template: inOrder({ $patch: "replace", ...template }) } };
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, part]) => [name, inOrder(part)]));
}

/** The template of a revision. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { template = {} } = (data as { readonly spec?: { readonly template?: object } } | undefined)?.spec ?? {};
  const { $patch: _patch, ...rest } = template as { readonly $patch?: string };
  return rest;
}

function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return (
    a.revision - b.revision ||
    (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1) ||
    (a.metadata.name < b.metadata.name ? -1 : 1)
  );
}
