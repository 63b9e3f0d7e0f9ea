/**
 * Remembers what an operator ever wrote: which kinds, and into which namespaces besides those of its objects. A later version that
 * no longer owns a kind, or is started for other namespaces, finds there what the earlier one left behind, and prunes it.
 *
 * The record is an annotation of the operator's Lease, which it may read and write anyway. It names kinds, not objects: it is
 * written when a kind is new, not when a child is.
 */
import { isApiError } from "@capstan/client";
import type { StoredObject } from "@capstan/model";
import { kindId } from "../api.ts";
import type { AnyKind, Api, Scope } from "../api.ts";
import { OWNER_LABEL } from "../owner-label.ts";
import { isSameResource } from "../apply/siblings.ts";
import type { Stray, Strays } from "../apply/strays.ts";
import type { Fence } from "../apply/writer.ts";
import type { Caches } from "../cache/caches.ts";
import { messageOf } from "../failure.ts";
import type { Previous } from "./previous.ts";
import type { Log } from "../log.ts";
import { Lease } from "./lease.ts";
import type { ToldHooks } from "./told-hooks.ts";
import { boundRecord, enterWritten, formatRecord, includesPlace, NOWHERE, parseRecord } from "./written.ts";
import type { Places, Written, WrittenRecord } from "./written.ts";

/** Where the record is. */
const INVENTORY_ANNOTATION = "capstan.dev/inventory";

/** Where the CRDs are named whose hooks the cluster was told of. */
const HOOKS_ANNOTATION = "capstan.dev/hooks";

/** A controller, as far as the record knows it. */
interface Recorded {
  readonly name: string;
  /** Names that it had. */
  readonly previousNames: readonly string[];
  /** Its field owners, also under earlier names. */
  readonly managers: readonly string[];
  /** Whose objects it works on. */
  readonly of: AnyKind;
  readonly owns: readonly AnyKind[];
}

/** Whose children are looked for, and which of them no cache shows. */
interface Seeker extends Pick<Recorded, "name" | "managers"> {
  readonly isHidden: (child: StoredObject) => boolean;
}

/** What a record is kept with. */
export interface InventoryOptions {
  readonly api: Api;
  readonly caches: Caches;
  readonly fence: Fence;
  readonly log: Log;
  /** The operator's Lease. */
  readonly place: { readonly namespace: string; readonly name: string };
  readonly controllers: readonly Recorded[];
  readonly previous: Previous;
  readonly hooks: ToldHooks | undefined;
  /** A plan writes no record. */
  readonly dryRun: boolean;
}

/** How many children are listed at once. */
const PAGE = 500;

/** The record of one operator. */
export class Inventory {
  readonly #options: InventoryOptions;
  readonly #strays = new Map<string, Map<string, Stray[]>>();
  #record: WrittenRecord = new Map();
  #hooks: readonly string[] = [];
  /** What reconciles have entered and no server has yet: nothing is written there before. */
  readonly #unsaved = new Set<string>();
  /** The write that was begun last, and the one that waits for it. */
  #latest: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  constructor(options: InventoryOptions) {
    this.#options = options;
  }

  /** The record as it stands on the Lease; nothing where there is none yet. */
  get annotations(): { readonly [name: string]: string } {
    return {
      ...(this.#record.size === 0 ? {} : { [INVENTORY_ANNOTATION]: formatRecord(this.#record) }),
      ...(this.#hooks.length === 0 ? {} : { [HOOKS_ANNOTATION]: JSON.stringify(this.#hooks) }),
    };
  }

  /** Reads the record, looks for what only it can find, and enters what is new. Without it the operator works, and forgets. */
  async prepare(): Promise<void> {
    const { log, controllers, previous } = this.#options;
    try {
      const found = await this.#read();
      this.#record = found.record;
      this.#hooks = found.hooks;
      const before = JSON.stringify(this.annotations);
      for (const controller of controllers) this.#rename(controller);
      this.#tellUnknown();
      for (const { name } of controllers) for (const kind of previous.owned ?? []) this.#enter(name, kind, NOWHERE);
      for (const controller of controllers) await this.#look(controller);
      for (const { name, owns } of controllers) for (const kind of owns) this.#enter(name, kind, NOWHERE);
      await this.#takeHooksBack();
      if (found.isOfFormer || JSON.stringify(this.annotations) !== before) await this.#write();
    } catch (error) {
      log.warn(`what was written before is not known, and kinds that are no longer owned stay: ${messageOf(error)}`);
    }
  }

  /** Other namespaces are watched than before: looks again for what no cache shows, and answers the owners, by controller. */
  async lookAgain(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const { log, controllers } = this.#options;
    const owners = new Map<string, ReadonlySet<string>>();
    try {
      for (const controller of controllers) {
        this.#strays.delete(controller.name);
        await this.#look(controller);
        owners.set(controller.name, new Set(this.#strays.get(controller.name)?.keys()));
      }
    } catch (error) {
      log.warn(`what is in namespaces that are no longer watched is not known, and stays: ${messageOf(error)}`);
    }
    return owners;
  }

  /** What one controller needs of it. */
  straysOf(controller: string): Strays {
    const own = (): Map<string, Stray[]> | undefined => this.#strays.get(controller);
    return {
      of: (owner) => own()?.get(owner) ?? [],
      look: (owner, stray) => this.#lookAt(controller, owner, stray),
      forget: (owner, stray) =>
        own()?.set(
          owner,
          (own()?.get(owner) ?? []).filter((each) => each !== stray),
        ),
      beforeFar: async (kind, namespace) => {
        const known = this.#record.get(controller)?.get(kindId(kind));
        const entry = `${controller} ${kindId(kind)} ${namespace}`;
        if (known !== undefined && includesPlace(known, namespace) && !this.#unsaved.has(entry)) return;
        this.#enter(controller, kind, namespace === "" ? NOWHERE : { namespaces: [namespace] });
        this.#unsaved.add(entry);
        await this.#write();
      },
    };
  }

  async #look(controller: Recorded): Promise<void> {
    this.#renew(controller.name, controller.owns);
    this.#handOver(controller);
    for (const [, written] of this.#record.get(controller.name) ?? []) {
      try {
        await this.#lookFor(controller, written);
      } catch (error) {
        // A role that follows what is owned does not let us see what no longer is: the others are looked for all the same.
        const what = `what controller "${controller.name}" left of ${written.kind} is not known, and stays`;
        const cure = `name the kind in \`previous.owned\` of the operator and generate its roles again`;
        this.#options.log.warn(`${what}: ${messageOf(error)}; ${cure}`);
      }
    }
  }

  async #lookFor({ name, managers, owns }: Recorded, written: Written): Promise<void> {
    const isOwned = owns.some((kind) => kindId(kind) === kindId(written));
    const scopes = isOwned ? this.#unwatched(written) : this.#everywhere(written);
    const { caches } = this.#options;
    const isHidden = ({ metadata }: StoredObject): boolean =>
      !isOwned || !caches.covers(written, metadata.namespace ?? "");
    let found = 0;
    for (const scope of scopes) found += await this.#collect({ name, managers, isHidden }, written, scope);
    if (found === 0 && !isOwned) this.#record.get(name)?.delete(kindId(written));
  }

  /** A kind that another controller of the same objects owns now is that one's: it applies the same children, and none is a stray. */
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

  /** What a controller wrote under an earlier name is its own. */
  #rename({ name, previousNames }: Recorded): void {
    for (const former of previousNames) {
      for (const [, written] of this.#record.get(former) ?? []) this.#enter(name, written, written);
      this.#record.delete(former);
    }
  }

  /** What nobody here answers to: its controller is gone, or has another name. */
  #tellUnknown(): void {
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

  /** A kind in another version has the same objects: what was written of one is what is owned of the other, and no stray. */
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

  /** Namespaces that the record knows and no cache shows; whatever is there carries the label of its owner. */
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

  async #collect({ name, managers, isHidden }: Seeker, kind: AnyKind, scope: Scope): Promise<number> {
    let found = 0;
    for await (const child of this.#children(kind, scope)) {
      if (!isChildOf(managers, child) || !isHidden(child)) continue;
      found++;
      for (const owner of ownersOf(child)) this.#note(name, owner, { kind, child });
    }
    return found;
  }

  /** A list of one: roles let us list what is no longer owned, and not get it. */
  async #lookAt(controller: string, owner: string, { kind, child }: Stray): Promise<StoredObject | undefined> {
    const { name, namespace, uid } = child.metadata;
    const managers = this.#options.controllers.find((each) => each.name === controller)?.managers ?? [];
    for await (const found of this.#children(kind, { namespace, fieldSelector: `metadata.name=${name}` })) {
      if (found.metadata.uid === uid && isChildOf(managers, found) && ownersOf(found).includes(owner)) return found;
    }
    return undefined;
  }

  /** A kind that is not served any more has no objects. */
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

  #note(controller: string, owner: string, stray: Stray): void {
    const byOwner = this.#strays.get(controller) ?? new Map<string, Stray[]>();
    this.#strays.set(controller, byOwner);
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), stray]);
  }

  #enter(controller: string, kind: AnyKind, places: Places): void {
    enterWritten(this.#record, controller, kind, places);
  }

  /** That of this name; where there is none yet, that of the latest earlier one. */
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

  /** Only a leader does it: while the version before leads, it answers for its hooks. */
  async #takeHooksBack(): Promise<void> {
    const { hooks, previous, log, dryRun } = this.#options;
    if (hooks === undefined || dryRun) return;
    const former = new Set([...this.#hooks, ...(previous.hooked ?? [])]);
    try {
      const left = await hooks.takeBack([...former.difference(new Set(hooks.crds))]);
      this.#hooks = [...new Set([...hooks.crds, ...left])].toSorted();
    } catch (error) {
      log.warn(`could not look for webhooks of an earlier version: ${messageOf(error)}`);
    }
  }

  /** Many reconciles may enter something at once: all that is entered while a write is under way goes out with one other. */
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
      // An operator that runs alone has no Lease yet; one that nobody holds is free for whoever comes.
      const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
      await api.create(Lease, { ...lease, metadata: { ...place, annotations: this.annotations } }, options);
    }
  }
}

/** What a Lease tells, and whether it is the Lease of an earlier name. */
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

/** Whether field owners applied an object that is to stay. */
function isChildOf(managers: readonly string[], { metadata }: StoredObject): boolean {
  const isOurs = metadata.managedFields?.some(({ manager = "" }) => managers.includes(manager)) === true;
  return isOurs && metadata.deletionTimestamp === undefined;
}

/** The uids of those that a child belongs to. */
function ownersOf(child: StoredObject): readonly string[] {
  const labelled = child.metadata.labels?.[OWNER_LABEL];
  const referenced = child.metadata.ownerReferences?.map(({ uid }) => uid) ?? [];
  return labelled === undefined ? referenced : [...referenced, labelled];
}
