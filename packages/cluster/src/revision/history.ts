/** The templates that a StatefulSet or a DaemonSet had, as ControllerRevisions. */
import { isApiError } from "@capstan/client";
import { ControllerRevision } from "@capstan/kinds/apps/v1";
import type { PodTemplateSpec } from "@capstan/kinds/v1";
import { isDeepEqual } from "@capstan/model";
import type { Kind, LabelSelectorObject, StoredObject } from "@capstan/model";
import type { FindQuery } from "@capstan/runtime";
import { Ledger } from "../ledger/ledger.ts";
import { controllerOf, controllerReference } from "../ownership/owner.ts";
import { labelTests } from "../ownership/selection.ts";
import { templateHash } from "../pod/hash.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";

/** The label of pods that names the revision they were made from. */
export const REVISION_LABEL = "controller-revision-hash";

/** Whose templates are kept. */
export interface Keeper<T extends StoredObject> {
  readonly kind: Kind<T, unknown, "Namespaced">;
  readonly object: T;
  readonly selector: LabelSelectorObject | undefined;
  readonly template: PodTemplateSpec;
  readonly collisions: number;
  /** How the revision is labelled. */
  readonly hashLabel: string;
}

/** Finds revisions in the cache. */
export type FindRevisions = (kind: typeof ControllerRevision, query: FindQuery) => readonly ControllerRevision[];

/** What was found: all revisions, the oldest first, and the one of the template as it is now. */
export interface History {
  readonly revisions: readonly ControllerRevision[];
  readonly update: ControllerRevision;
}

/** Keeps revisions for one controller. */
export class Revisions {
  readonly ledger: Ledger<typeof ControllerRevision>;
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.ledger = new Ledger(ControllerRevision, setting.clock);
  }

  /** Brings the history up to date with the template. */
  async sync<T extends StoredObject>(keeper: Keeper<T>, find: FindRevisions): Promise<History> {
    const { uid, namespace } = keeper.object.metadata;
    const isOurs = (revision: ControllerRevision): boolean => controllerOf(revision)?.uid === uid;
    const cached = find(ControllerRevision, { labels: labelTests(keeper.selector) });
    const revisions = this.ledger
      .current(cached, (one) => one.metadata.namespace === namespace && isOurs(one))
      .filter(isOurs)
      .sort(byRevision);
    const data = toData(keeper.template);
    const highest = revisions.at(-1)?.revision ?? 0;
    const equal = revisions.findLast((one) => isDeepEqual(one.data, data));
    if (equal === undefined) {
      const update = await this.#create(keeper, data, highest + 1);
      return { revisions: [...revisions, update], update };
    }
    if (equal.revision === highest) return { revisions, update: equal };
    const update = await this.#renew(equal, highest + 1);
    return { revisions: [...revisions.filter((one) => one !== equal), update], update };
  }

  /** Removes the oldest revisions that nobody uses, beyond those that are kept. */
  async truncate(revisions: readonly ControllerRevision[], limit: number, live: ReadonlySet<string>): Promise<void> {
    const unused = revisions.filter(({ metadata }) => !live.has(metadata.name));
    for (const revision of unused.slice(0, Math.max(0, unused.length - limit))) {
      const { namespace = "", name, uid } = revision.metadata;
      const target = { namespace, name, preconditions: { uid } };
      try {
        this.ledger.deleted(revision, await this.#setting.client.delete(ControllerRevision, target));
      } catch (error) {
        if (!isApiError(error, "NotFound", "Conflict")) throw error;
      }
    }
  }

  async #create<T extends StoredObject>(
    keeper: Keeper<T>,
    data: unknown,
    revision: number,
  ): Promise<ControllerRevision> {
    const { kind, object, template, collisions, hashLabel } = keeper;
    const { namespace = "", name } = object.metadata;
    const hash = templateHash(data, collisions);
    const metadata = {
      name: `${name.slice(0, 223)}-${hash}`,
      namespace,
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      ...(object.metadata.annotations && { annotations: object.metadata.annotations }),
      ownerReferences: [controllerReference(kind, object)],
    };
    const { client } = this.#setting;
    try {
      const body = { metadata, data, revision } as never;
      return this.ledger.wrote(await client.create(ControllerRevision, body, { fieldManager: MANAGER }));
    } catch (error) {
      if (!isApiError(error, "AlreadyExists")) throw error;
      const existing = await client.get(ControllerRevision, { namespace, name: metadata.name });
      if (isDeepEqual(existing.data, data) && controllerOf(existing)?.uid === object.metadata.uid) return existing;
      throw new Error(`The name ${metadata.name} is taken by another revision.`, { cause: error });
    }
  }

  async #renew(
    { metadata: { namespace = "", name } }: ControllerRevision,
    revision: number,
  ): Promise<ControllerRevision> {
    const { client } = this.#setting;
    const options = { fieldManager: MANAGER };
    return this.ledger.wrote(
      await client.patch(ControllerRevision, { namespace, name }, { merge: { revision } }, options),
    );
  }
}

/** The template as a patch that restores it, its fields in order: others compare revisions byte by byte. */
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
