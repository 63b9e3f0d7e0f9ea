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
import type { Stray, Strays } from "../apply/strays.ts";
import type { Fence } from "../apply/writer.ts";
import type { Caches } from "../cache/caches.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import { Lease } from "./lease.ts";

/** Where the record is. */
export const INVENTORY_ANNOTATION = "capstan.dev/inventory";

/** A kind that was written, and the namespaces that only the record tells. */
interface Written extends AnyKind {
  readonly namespaces: readonly string[];
}

/** By controller and kind. */
type Record = Map<string, Map<string, Written>>;

/** A controller, as far as the record knows it. */
interface Recorded {
  readonly name: string;
  readonly manager: string;
  readonly owns: readonly AnyKind[];
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
  /** A plan writes no record. */
  readonly dryRun: boolean;
}

/** How many children are listed at once. */
const PAGE = 500;

/** The record of one operator. */
export class Inventory {
  readonly #options: InventoryOptions;
  readonly #strays = new Map<string, Map<string, Stray[]>>();
  #record: Record = new Map();

  constructor(options: InventoryOptions) {
    this.#options = options;
  }

  /** Reads the record, looks for what only it can find, and enters what is new. Without it the operator works, and forgets. */
  async prepare(): Promise<void> {
    const { log, controllers } = this.#options;
    try {
      this.#record = await this.#read();
      const before = format(this.#record);
      for (const controller of controllers) await this.#look(controller);
      for (const { name, owns } of controllers) for (const kind of owns) this.#enter(name, kind, []);
      if (format(this.#record) !== before) await this.#write();
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
      forget: (owner, stray) =>
        own()?.set(
          owner,
          (own()?.get(owner) ?? []).filter((each) => each !== stray),
        ),
      beforeFar: async (kind, namespace) => {
        const known = this.#record.get(controller)?.get(kindId(kind));
        // What is of the whole cluster is in no namespace that could be entered.
        if (known !== undefined && (namespace === "" || known.namespaces.includes(namespace))) return;
        this.#enter(controller, kind, namespace === "" ? [] : [namespace]);
        await this.#write();
      },
    };
  }

  async #look({ name, manager, owns }: Recorded): Promise<void> {
    const owned = new Set(owns.map(kindId));
    for (const [id, written] of this.#record.get(name) ?? []) {
      const scopes = owned.has(id) ? this.#unwatched(written) : this.#everywhere(written);
      let found = 0;
      for (const scope of scopes) found += await this.#collect({ name, manager }, written, scope);
      if (found === 0 && !owned.has(id)) this.#record.get(name)?.delete(id);
    }
  }

  /** Namespaces that the record knows and no cache shows; whatever is there carries the label of its owner. */
  #unwatched(written: Written): readonly Scope[] {
    const { caches } = this.#options;
    const hidden = written.namespaces.filter((namespace) => !caches.covers(written, namespace));
    return hidden.map((namespace) => ({ namespace, labelSelector: OWNER_LABEL }));
  }

  #everywhere(written: Written): readonly Scope[] {
    const { namespaces } = this.#options.caches;
    if (written.scope === "Cluster" || namespaces.length === 0) return [{}];
    return [...new Set([...namespaces, ...written.namespaces])].map((namespace) => ({ namespace }));
  }

  async #collect({ name, manager }: Pick<Recorded, "name" | "manager">, kind: AnyKind, scope: Scope): Promise<number> {
    let found = 0;
    for await (const child of this.#children(kind, scope)) {
      const isOurs = child.metadata.managedFields?.some((entry) => entry.manager === manager) === true;
      if (!isOurs || child.metadata.deletionTimestamp !== undefined) continue;
      found++;
      for (const owner of ownersOf(child)) this.#note(name, owner, { kind, child });
    }
    return found;
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

  #enter(controller: string, kind: AnyKind, namespaces: readonly string[]): void {
    const { group, version, kind: name, plural, scope } = kind;
    const kinds = this.#record.get(controller) ?? new Map<string, Written>();
    const known = kinds.get(kindId(kind))?.namespaces ?? [];
    const all = [...new Set([...known, ...namespaces])].toSorted();
    this.#record.set(
      controller,
      kinds.set(kindId(kind), { group, version, kind: name, plural, scope, namespaces: all }),
    );
  }

  async #read(): Promise<Record> {
    const { api, place } = this.#options;
    const lease = await api.get(Lease, place).catch((error: unknown) => {
      if (isApiError(error, "NotFound")) return undefined;
      throw error;
    });
    return parse(lease?.metadata.annotations?.[INVENTORY_ANNOTATION]);
  }

  async #write(): Promise<void> {
    const { api, fence, place, dryRun } = this.#options;
    if (dryRun) return;
    fence.check();
    const metadata = { ...place, annotations: { [INVENTORY_ANNOTATION]: format(this.#record) } };
    const options = { manager: `${place.name}-inventory` };
    try {
      await api.patch(Lease, place, { metadata }, { ...options, type: "merge" });
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
      // An operator that runs alone has no Lease yet; one that nobody holds is free for whoever comes.
      await api.create(Lease, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata }, options);
    }
  }
}

/** The uids of those that a child belongs to. */
function ownersOf(child: StoredObject): readonly string[] {
  const labelled = child.metadata.labels?.[OWNER_LABEL];
  const referenced = child.metadata.ownerReferences?.map(({ uid }) => uid) ?? [];
  return labelled === undefined ? referenced : [...referenced, labelled];
}

function format(record: Record): string {
  return JSON.stringify(Object.fromEntries([...record].map(([name, kinds]) => [name, [...kinds.values()]])));
}

/** What somebody wrote by hand is not trusted: entries without the names of a kind are passed over. */
function parse(text: string | undefined): Record {
  const record: Record = new Map();
  if (text === undefined) return record;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return record;
  }
  for (const [name, kinds] of Object.entries(typeof parsed === "object" && parsed !== null ? parsed : {})) {
    const known = (Array.isArray(kinds) ? kinds : []).filter(isWritten);
    record.set(name, new Map(known.map((kind) => [kindId(kind), kind])));
  }
  return record;
}

function isWritten(value: unknown): value is Written {
  if (typeof value !== "object" || value === null || !("namespaces" in value) || !Array.isArray(value.namespaces)) {
    return false;
  }
  return ["group", "version", "kind", "plural", "scope"].every(
    (name) => typeof (value as { readonly [field: string]: unknown })[name] === "string",
  );
}
