/**
 * Records the kinds that an operator ever wrote, and the namespaces besides those of its objects. A later version that no longer owns a
 * kind, or watches other namespaces, finds children of the earlier one with it and prunes them.
 *
 * The record is an annotation of the operator's Lease, which it may read and write anyway. It names kinds, not objects: it is written
 * when a kind is new, not when a child is.
 */
import { isApiError } from "@capstan/client";
import type { StoredObject } from "@capstan/model";
import { kindId } from "../api.ts";
import type { AnyKind, Api, Scope } from "../api.ts";
import { OWNER_LABEL } from "../cache/owner-label.ts";
import { isSameResource } from "../apply/siblings.ts";
import type { UncachedChild, UncachedChildren } from "../apply/uncached.ts";
import type { Fence } from "../apply/writer.ts";
import type { Caches } from "../cache/caches.ts";
import { messageOf } from "../failure.ts";
import type { Previous } from "./previous.ts";
import type { Log } from "../log.ts";
import { Lease } from "../leader/lease.ts";
import type { RegisteredWebhooks } from "./registered-webhooks.ts";
import { boundRecord, enterWritten, formatRecord, includesPlace, NOWHERE, parseRecord } from "./written.ts";
import type { Places, Written, WrittenRecord } from "./written.ts";

/** The annotation of the record. */
const INVENTORY_ANNOTATION = "capstan.dev/inventory";

/** The annotation with the CRDs for which webhooks were registered. */
const HOOKS_ANNOTATION = "capstan.dev/hooks";

/** The parts of a controller that the record needs. */
interface Recorded {
  readonly name: string;
  readonly previousNames: readonly string[];
  /** Its field managers, including previous names. */
  readonly managers: readonly string[];
  /** The kind that it reconciles. */
  readonly of: AnyKind;
  readonly owns: readonly AnyKind[];
}

/** The controller for which children are listed, and a test for children that its cache does not show. */
interface Search extends Pick<Recorded, "name" | "managers"> {
  readonly isHidden: (child: StoredObject) => boolean;
}

export interface InventoryOptions {
  readonly api: Api;
  readonly caches: Caches;
  readonly fence: Fence;
  readonly log: Log;
  /** The operator's Lease. */
  readonly place: { readonly namespace: string; readonly name: string };
  readonly controllers: readonly Recorded[];
  readonly previous: Previous;
  readonly hooks: RegisteredWebhooks | undefined;
  /** A plan writes no record. */
  readonly dryRun: boolean;
}

/** The page size when children are listed. */
const PAGE = 500;

/** The record of one operator. */
export class Inventory {
  readonly #options: InventoryOptions;
  readonly #uncached = new Map<string, Map<string, UncachedChild[]>>();
  #record: WrittenRecord = new Map();
  #hooks: readonly string[] = [];
  /** Entries of reconciles that are not saved yet: the child is written only after that. */
  readonly #unsaved = new Set<string>();
  /** The last write, and the one that waits for it. */
  #latest: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  constructor(options: InventoryOptions) {
    this.#options = options;
  }

  /** The record as annotations of the Lease; empty if there is none yet. */
  get annotations(): { readonly [name: string]: string } {
    return {
      ...(this.#record.size === 0 ? {} : { [INVENTORY_ANNOTATION]: formatRecord(this.#record) }),
      ...(this.#hooks.length === 0 ? {} : { [HOOKS_ANNOTATION]: JSON.stringify(this.#hooks) }),
    };
  }

  /**
   * Reads the record, looks for children that only it can find, and adds new kinds. If that fails the operator runs, but does not prune
   * such children.
   */
  async prepare(): Promise<void> {
    const { log, controllers, previous } = this.#options;
    try {
      const found = await this.#read();
      this.#record = found.record;
      this.#hooks = found.hooks;
      const before = JSON.stringify(this.annotations);
      for (const controller of controllers) this.#rename(controller);
      this.#warnOfUnknown();
      for (const { name } of controllers) for (const kind of previous.owned ?? []) this.#enter(name, kind, NOWHERE);
      for (const controller of controllers) await this.#findAll(controller);
      for (const { name, owns } of controllers) for (const kind of owns) this.#enter(name, kind, NOWHERE);
      await this.#removeFormerWebhooks();
      if (found.isOfFormer || JSON.stringify(this.annotations) !== before) await this.#write();
    } catch (error) {
      log.warn(`what was written before is not known, and kinds that are no longer owned stay: ${messageOf(error)}`);
    }
  }

  /** The watched namespaces have changed: looks again for children that no cache shows, and returns their owners by controller. */
  async refresh(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const { log, controllers } = this.#options;
    const owners = new Map<string, ReadonlySet<string>>();
    try {
      for (const controller of controllers) {
        this.#uncached.delete(controller.name);
        await this.#findAll(controller);
        owners.set(controller.name, new Set(this.#uncached.get(controller.name)?.keys()));
      }
    } catch (error) {
      log.warn(`what is in namespaces that are no longer watched is not known, and stays: ${messageOf(error)}`);
    }
    return owners;
  }

  /** The uncached children of one controller. */
  uncachedOf(controller: string): UncachedChildren {
    const own = (): Map<string, UncachedChild[]> | undefined => this.#uncached.get(controller);
    return {
      of: (owner) => own()?.get(owner) ?? [],
      read: (owner, uncached) => this.#readLive(controller, owner, uncached),
      forget: (owner, uncached) =>
        own()?.set(
          owner,
          (own()?.get(owner) ?? []).filter((each) => each !== uncached),
        ),
      beforeUnreachable: async (kind, namespace) => {
        const known = this.#record.get(controller)?.get(kindId(kind));
        const entry = `${controller} ${kindId(kind)} ${namespace}`;
        if (known !== undefined && includesPlace(known, namespace) && !this.#unsaved.has(entry)) return;
        this.#enter(controller, kind, namespace === "" ? NOWHERE : { namespaces: [namespace] });
        this.#unsaved.add(entry);
        await this.#write();
      },
    };
  }

  async #findAll(controller: Recorded): Promise<void> {
    this.#renew(controller.name, controller.owns);
    this.#handOver(controller);
    for (const [, written] of this.#record.get(controller.name) ?? []) {
      try {
        await this.#findKind(controller, written);
      } catch (error) {
        // A role that covers only the owned kinds does not permit a list of former ones: continue with the other kinds.
        const what = `what controller "${controller.name}" left of ${written.kind} is not known, and stays`;
        const cure = `name the kind in \`previous.owned\` of the operator and generate its roles again`;
        this.#options.log.warn(`${what}: ${messageOf(error)}; ${cure}`);
      }
    }
  }

  async #findKind({ name, managers, owns }: Recorded, written: Written): Promise<void> {
    const isOwned = owns.some((kind) => kindId(kind) === kindId(written));
    const scopes = isOwned ? this.#unwatched(written) : this.#everywhere(written);
    const { caches } = this.#options;
    const isHidden = ({ metadata }: StoredObject): boolean =>
      !isOwned || !caches.covers(written, metadata.namespace ?? "");
    let found = 0;
    for (const scope of scopes) found += await this.#collect({ name, managers, isHidden }, written, scope);
    if (found === 0 && !isOwned) this.#record.get(name)?.delete(kindId(written));
  }

  /** A kind that another controller of the same objects owns now belongs to that one: it applies the same children, and none is uncached. */
  #handOver({ name, of, owns }: Recorded): void {
    const record = this.#record.get(name);
    for (const [id, written] of record ?? []) {
      if (owns.some((kind) => isSameResource(kind, written))) continue;
      const heir = this.#options.controllers.find(
        (other) => isSameResource(other.of, of) && other.owns.some((kind) => isSameResource(kind, written)),
      );
      const kind = heir?.owns.find((each) => isSameResource(each, written));
      if (heir === undefined || kind === undefined) continue;
      record?.delete(id);
      this.#enter(heir.name, kind, written);
    }
  }

  /** Entries under a previous name of a controller are its own. */
  #rename({ name, previousNames }: Recorded): void {
    for (const former of previousNames) {
      for (const [, written] of this.#record.get(former) ?? []) this.#enter(name, written, written);
      this.#record.delete(former);
    }
  }

  /** Logs entries that belong to none of the controllers: theirs was removed or renamed. */
  #warnOfUnknown(): void {
    const { controllers, log } = this.#options;
    for (const [name, kinds] of this.#record) {
      if (controllers.some((controller) => controller.name === name)) continue;
      const what = [...kinds.values()].map(({ kind }) => kind).join(", ");
      if (kinds.size === 0) continue;
      const cure = `if it has another name now, say \`previousNames: ["${name}"]\` there; else delete them`;
      log.warn(
        `what the controller "${name}" of an earlier version left of ${what} stays: there is no such controller; ${cure}`,
      );
    }
  }

  /** A kind in another version has the same objects: entries for one version count for the owned one, and are not uncached. */
  #renew(controller: string, owns: readonly AnyKind[]): void {
    const owned = new Set(owns.map(kindId));
    const record = this.#record.get(controller);
    for (const [id, written] of record ?? []) {
      const same = owned.has(id) ? undefined : owns.find((kind) => isSameResource(kind, written));
      if (same === undefined) continue;
      record?.delete(id);
      this.#enter(controller, same, written);
    }
  }

  /** Recorded namespaces that no cache shows; children there have the owner label. */
  #unwatched(written: Written): readonly Scope[] {
    const { caches } = this.#options;
    if (written.isEverywhere === true) return caches.covers(written, "") ? [] : [{ labelSelector: OWNER_LABEL }];
    const hidden = written.namespaces.filter((namespace) => !caches.covers(written, namespace));
    return hidden.map((namespace) => ({ namespace, labelSelector: OWNER_LABEL }));
  }

  #everywhere(written: Written): readonly Scope[] {
    const { namespaces } = this.#options.caches;
    if (written.scope === "Cluster" || written.isEverywhere === true || namespaces.length === 0) return [{}];
    return [...new Set([...namespaces, ...written.namespaces])].map((namespace) => ({ namespace }));
  }

  async #collect({ name, managers, isHidden }: Search, kind: AnyKind, scope: Scope): Promise<number> {
    let found = 0;
    for await (const child of this.#children(kind, scope)) {
      if (!isChildOf(managers, child) || !isHidden(child)) continue;
      found++;
      for (const owner of ownersOf(child)) this.#note(name, owner, { kind, child });
    }
    return found;
  }

  /** A list with one result: roles permit list, but not get, for kinds that are no longer owned. */
  async #readLive(
    controller: string,
    owner: string,
    { kind, child }: UncachedChild,
  ): Promise<StoredObject | undefined> {
    const { name, namespace, uid } = child.metadata;
    const managers = this.#options.controllers.find((each) => each.name === controller)?.managers ?? [];
    for await (const found of this.#children(kind, { namespace, fieldSelector: `metadata.name=${name}` })) {
      if (found.metadata.uid === uid && isChildOf(managers, found) && ownersOf(found).includes(owner)) return found;
    }
    return undefined;
  }

  /** A kind that is no longer served has no objects. */
  async *#children(kind: AnyKind, scope: Scope): AsyncGenerator<StoredObject> {
    const { api } = this.#options;
    let continueAt: string | undefined;
    do {
      const page = await api
        .list(kind, { ...scope, metadataOnly: true, limit: PAGE, continueAt })
        .catch((error: unknown) => {
          if (isApiError(error, "NotFound", "UnknownKind")) return undefined;
          throw error;
        });
      yield* page?.items ?? [];
      continueAt = page?.continueAt;
    } while (continueAt !== undefined);
  }

  #note(controller: string, owner: string, uncached: UncachedChild): void {
    const byOwner = this.#uncached.get(controller) ?? new Map<string, UncachedChild[]>();
    this.#uncached.set(controller, byOwner);
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), uncached]);
  }

  #enter(controller: string, kind: AnyKind, places: Places): void {
    enterWritten(this.#record, controller, kind, places);
  }

  /** The record of the current name; if there is none yet, that of the latest previous name. */
  async #read(): Promise<Found> {
    const { place, previous } = this.#options;
    const own = await this.#readOf(place.name);
    if (own !== undefined) return { ...own, isOfFormer: false };
    for (const name of previous.names ?? []) {
      const former = await this.#readOf(name);
      if (former !== undefined) return { ...former, isOfFormer: true };
    }
    return { record: new Map(), hooks: [], isOfFormer: false };
  }

  async #readOf(name: string): Promise<Omit<Found, "isOfFormer"> | undefined> {
    const { api, place } = this.#options;
    const lease = await api.get(Lease, { ...place, name }).catch((error: unknown) => {
      if (isApiError(error, "NotFound")) return undefined;
      throw error;
    });
    const { [INVENTORY_ANNOTATION]: record, [HOOKS_ANNOTATION]: hooks } = lease?.metadata.annotations ?? {};
    return record === undefined && hooks === undefined
      ? undefined
      : { record: parseRecord(record), hooks: parseNames(hooks) };
  }

  /** Only a leader does it: while the previous version leads, its webhooks stay registered. */
  async #removeFormerWebhooks(): Promise<void> {
    const { hooks, previous, log, dryRun } = this.#options;
    if (hooks === undefined || dryRun) return;
    const former = new Set([...this.#hooks, ...(previous.hooked ?? [])]);
    try {
      const left = await hooks.removeFormer([...former.difference(new Set(hooks.crds))]);
      this.#hooks = [...new Set([...hooks.crds, ...left])].toSorted();
    } catch (error) {
      log.warn(`could not look for webhooks of an earlier version: ${messageOf(error)}`);
    }
  }

  /** Many reconciles may add entries at once: all entries that are added during a write are saved by the next one. */
  #write(): Promise<void> {
    if (this.#waiting !== undefined) return this.#waiting;
    const former = this.#latest;
    this.#waiting = (async () => {
      await former.catch(() => undefined);
      this.#waiting = undefined;
      await this.#send();
    })();
    this.#latest = this.#waiting;
    return this.#waiting;
  }

  async #send(): Promise<void> {
    const { fence, dryRun } = this.#options;
    const entries = [...this.#unsaved];
    boundRecord(this.#record);
    if (!dryRun) {
      fence.check();
      await this.#store();
    }
    for (const entry of entries) this.#unsaved.delete(entry);
  }

  async #store(): Promise<void> {
    const { api, fence, place } = this.#options;
    const annotations = { [INVENTORY_ANNOTATION]: null, [HOOKS_ANNOTATION]: null, ...this.annotations };
    const metadata = { ...place, annotations };
    const options = { manager: `${place.name}-inventory`, beforeSending: () => fence.check() };
    try {
      await api.patch(Lease, place, { metadata }, { ...options, type: "merge" });
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
      // An operator without leader election has no Lease yet; a Lease without a holder can be acquired by any replica.
      const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
      await api.create(Lease, { ...lease, metadata: { ...place, annotations: this.annotations } }, options);
    }
  }
}

/** The contents of a Lease, and whether it is the Lease of a previous name. */
interface Found {
  readonly record: WrittenRecord;
  readonly hooks: readonly string[];
  readonly isOfFormer: boolean;
}

function parseNames(text = "[]"): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

/** Whether one of the field managers applied an object that is not being deleted. */
function isChildOf(managers: readonly string[], { metadata }: StoredObject): boolean {
  const isOurs = metadata.managedFields?.some(({ manager = "" }) => managers.includes(manager)) === true;
  return isOurs && metadata.deletionTimestamp === undefined;
}

/** The uids of the owners of a child. */
function ownersOf(child: StoredObject): readonly string[] {
  const labelled = child.metadata.labels?.[OWNER_LABEL];
  const referenced = child.metadata.ownerReferences?.map(({ uid }) => uid) ?? [];
  return labelled === undefined ? referenced : [...referenced, labelled];
}
