/** Watches over definitions: accepts their names, serves their kinds, and cleans up behind them. */
import { cloneJson, formatTime, isDeepEqual, type Condition, type KubeObject } from "@capstan/model";
import type { Draft } from "../builtin/draft.ts";
import type { ServerParts } from "../parts.ts";
import type { ServedResource } from "../resources/resource.ts";
import {
  cleanupFinalizer,
  definitionsName,
  hasCondition,
  type Definition,
  type DefinitionNames,
} from "./definition.ts";
import type { ConversionServices } from "./conversion-webhook.ts";
import { serveDefinition } from "./serve.ts";

type Parts = Pick<ServerParts, "store" | "registry" | "clock"> & { readonly conversion: ConversionServices };

/** Starts to serve what definitions define. What is stored already is served at once, later definitions in a turn of their own. */
export function startDefinitions(parts: Parts): () => void {
  const controller = new DefinitionController(parts);
  return controller.start();
}

class DefinitionController {
  readonly #parts: Parts;
  readonly #served = new Map<string, readonly ServedResource[]>();
  readonly #cleaning = new Map<string, () => void>();
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): () => void {
    const { store } = this.#parts;
    this.#serveAll();
    const unlisten = store.listen(definitionsName, ({ key }) => queueMicrotask(() => this.#look(key)));
    return () => {
      this.#stopped = true;
      unlisten();
      for (const stop of this.#cleaning.values()) stop();
    };
  }

  /** After a restore everything may be different. */
  #serveAll(): void {
    const { store } = this.#parts;
    store.onRestore(() => {
      if (this.#stopped) return;
      for (const key of this.#served.keys()) this.#unserve(key);
      this.#serveAll();
    });
    for (const { key } of store.collection(definitionsName).entries()) this.#look(key);
  }

  #look(key: string): void {
    if (this.#stopped) return;
    const entry = this.#parts.store.get(definitionsName, key);
    if (entry === undefined) return this.#unserve(key);
    const definition = this.#settle(key, entry.object as Definition);
    if (hasCondition(definition, "Established")) this.#serve(key, definition);
    if (definition.metadata.deletionTimestamp !== undefined) this.#cleanUp(key, definition);
  }

  #serve(key: string, definition: Definition): void {
    const { registry } = this.#parts;
    const resources = serveDefinition(definition, this.#parts.conversion);
    this.#remove(key, resources);
    this.#served.set(key, resources);
    registry.add(...resources);
  }

  #remove(key: string, except: readonly ServedResource[]): void {
    const kept = new Set(except.map(({ group, version, resource }) => `${group}/${version}/${resource}`));
    const before = this.#served.get(key) ?? [];
    const gone = before.filter(({ group, version, resource }) => !kept.has(`${group}/${version}/${resource}`));
    if (gone.length > 0) this.#parts.registry.remove(...gone);
  }

  #unserve(key: string): void {
    this.#remove(key, []);
    this.#served.delete(key);
  }

  /** Writes the accepted names and the conditions, when they are not what they should be. */
  #settle(key: string, definition: Definition): Definition {
    const now = formatTime(this.#parts.clock.now());
    const draft = cloneJson(definition) as Draft<Definition>;
    const conflict = nameConflict(definition, this.#others(key));
    const status = (draft.status ??= {});
    if (conflict === undefined)
      status.acceptedNames = cloneJson(acceptedOf(definition.spec.names)) as Draft<DefinitionNames>;
    const conditions = nextConditions(definition, conflict, now);
    status.conditions = conditions.map((condition) => ({ ...condition }));
    return this.#write(key, definition, draft);
  }

  /** Writes a definition as the server does that watches over it. */
  #write(key: string, definition: Definition, draft: Draft<Definition>): Definition {
    if (isDeepEqual(draft, definition)) return definition;
    const { store, clock, registry } = this.#parts;
    const now = formatTime(clock.now());
    const resource = registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    const manager = resource?.subresources.get("status")?.fieldManager;
    const managed = manager?.update(definition, draft, { manager: "kube-apiserver", time: now }) ?? draft;
    const stored = resource?.stored.decode(managed as never, undefined) ?? managed;
    return store.put(definitionsName, key, stored).object as Definition;
  }

  #others(key: string): Definition[] {
    const { store } = this.#parts;
    return store
      .collection(definitionsName)
      .entries()
      .filter((entry) => entry.key !== key)
      .map(({ object }) => object as Definition);
  }

  /** Deletes all objects of a definition that is to go, and the definition when none is left. */
  #cleanUp(key: string, definition: Definition): void {
    if (definition.metadata.finalizers?.includes(cleanupFinalizer) !== true) return;
    const { store } = this.#parts;
    const { names, group } = definition.spec;
    const storage = `${names.plural}.${group}`;
    this.#terminate(key, definition, deletionBegun);
    for (const entry of store.collection(storage).entries()) {
      if ((entry.object.metadata.finalizers ?? []).length === 0) store.remove(storage, entry);
      else if (entry.object.metadata.deletionTimestamp === undefined) this.#mark(storage, entry.key, entry.object);
    }
    if (store.collection(storage).size === 0) this.#finish(key);
    else if (!this.#cleaning.has(key)) {
      this.#cleaning.set(
        key,
        store.listen(storage, () => queueMicrotask(() => this.#look(key))),
      );
    }
  }

  /** Tells how far the deletion of the objects is, and whether it still holds the definition. */
  #terminate(key: string, definition: Definition, told: Deletion): void {
    const draft = cloneJson(definition) as Draft<Definition>;
    const status = (draft.status ??= {});
    const next = { type: "Terminating", ...told.condition };
    const conditions = withCondition(definition.status?.conditions ?? [], next, formatTime(this.#parts.clock.now()));
    status.conditions = conditions.map((condition) => ({ ...condition }));
    if (told.isOver) {
      draft.metadata.finalizers = (draft.metadata.finalizers ?? []).filter((one) => one !== cleanupFinalizer);
    }
    this.#write(key, definition, draft);
  }

  #mark(storage: string, key: string, object: KubeObject): void {
    const { store, clock } = this.#parts;
    const draft = cloneJson(object);
    if (draft.metadata.generation !== undefined) draft.metadata.generation += 1;
    draft.metadata.deletionTimestamp = formatTime(clock.now());
    draft.metadata.deletionGracePeriodSeconds = 0;
    store.put(storage, key, draft);
  }

  /** The definition goes with its finalizer; others may still hold it. */
  #finish(key: string): void {
    const { store } = this.#parts;
    this.#cleaning.get(key)?.();
    this.#cleaning.delete(key);
    const entry = store.get(definitionsName, key);
    if (entry === undefined) return;
    const definition = entry.object as Definition;
    const isLast = definition.metadata.finalizers?.every((one) => one === cleanupFinalizer) === true;
    if (isLast) store.remove(definitionsName, entry);
    else this.#terminate(key, definition, hasCondition(definition, "Established") ? deletionDone : neverEstablished);
  }
}

/** A step of the deletion of all objects of a definition. */
interface Deletion {
  readonly condition: Pick<Condition, "status" | "reason" | "message">;
  readonly isOver: boolean;
}

const deletionBegun: Deletion = {
  condition: {
    status: "True",
    reason: "InstanceDeletionInProgress",
    message: "CustomResource deletion is in progress",
  },
  isOver: false,
};
const deletionDone: Deletion = {
  condition: { status: "False", reason: "InstanceDeletionCompleted", message: "removed all instances" },
  isOver: true,
};
const neverEstablished: Deletion = {
  condition: { status: "False", reason: "NeverEstablished", message: "resource was never established" },
  isOver: true,
};

function acceptedOf(names: DefinitionNames): DefinitionNames {
  return names;
}

/** The first name that another definition of the group has already, with the reason to give. */
function nameConflict(
  definition: Definition,
  others: readonly Definition[],
): Omit<Condition, "lastTransitionTime" | "status"> | undefined {
  const { group, names } = definition.spec;
  const rivals = others.filter((one) => one.spec.group === group && one.status?.acceptedNames?.plural);
  const taken = new Set(rivals.flatMap(({ status }) => resourceNames(status?.acceptedNames)));
  const takenKinds = new Set(
    rivals.flatMap(({ status }) => [status?.acceptedNames?.kind, status?.acceptedNames?.listKind]),
  );
  const conflict = (reason: string, name: string) => ({
    type: "NamesAccepted",
    reason,
    message: `${JSON.stringify(name)} is already in use`,
  });
  if (taken.has(names.plural)) return conflict("PluralConflict", names.plural);
  if (names.singular !== undefined && taken.has(names.singular)) return conflict("SingularConflict", names.singular);
  const short = (names.shortNames ?? []).find((name) => taken.has(name));
  if (short !== undefined) return conflict("ShortNamesConflict", short);
  if (takenKinds.has(names.kind)) return conflict("KindConflict", names.kind);
  if (names.listKind !== undefined && takenKinds.has(names.listKind))
    return conflict("ListKindConflict", names.listKind);
  return undefined;
}

function resourceNames(names: DefinitionNames | undefined): string[] {
  if (names === undefined) return [];
  return [names.plural, names.singular ?? "", ...(names.shortNames ?? [])].filter((name) => name !== "");
}

function nextConditions(
  definition: Definition,
  conflict: Omit<Condition, "lastTransitionTime" | "status"> | undefined,
  now: string,
): readonly Condition[] {
  const before = definition.status?.conditions ?? [];
  const accepted: Omit<Condition, "lastTransitionTime"> =
    conflict === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { ...conflict, status: "False" };
  const wasEstablished = hasCondition(definition, "Established");
  const established: Omit<Condition, "lastTransitionTime"> =
    conflict === undefined || wasEstablished
      ? {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        }
      : { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" };
  return withCondition(withCondition(before, accepted, now), established, now);
}

/** A condition keeps its time while its status stays. */
function withCondition(
  conditions: readonly Condition[],
  next: Omit<Condition, "lastTransitionTime">,
  now: string,
): readonly Condition[] {
  const { type, status, reason, message } = next;
  const old = conditions.find((one) => one.type === type);
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
  const condition = { type, status, lastTransitionTime, reason, message } as Condition;
  return old === undefined ? [...conditions, condition] : conditions.map((one) => (one === old ? condition : one));
}
