/** The controller of CustomResourceDefinitions: accepts their names, serves their kinds, and deletes their objects. */
import { cloneJson, formatApiVersion, formatTime, isDeepEqual, type Condition, type KubeObject } from "@capstan/model";
import { approvalState, type Approval } from "@capstan/schema";
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
import { acceptNames, type Told } from "./names.ts";
import type { ConversionServices } from "./conversion-webhook.ts";
import { invalidVersion } from "./conversion.ts";
import { notReady } from "./not-ready.ts";
import { serveDefinition } from "./serve.ts";

type Parts = Pick<ServerParts, "store" | "registry" | "clock"> & { readonly conversion: ConversionServices };

/** Starts to serve the kinds of definitions. Stored definitions are served at once, later ones in a microtask. */
export function startDefinitions(parts: Parts): () => void {
  const controller = new DefinitionController(parts);
  return controller.start();
}

/** What is served for a definition, and the parts of the definition that decide how its objects look. */
interface Serving {
  readonly servedFrom: object;
  readonly resources: readonly ServedResource[];
}

function servedParts({ spec, status, metadata }: Definition): object {
  return { spec, acceptedNames: status?.acceptedNames, uid: metadata.uid };
}

class DefinitionController {
  readonly #parts: Parts;
  readonly #served = new Map<string, Serving>();
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

  /** Runs again after a restore, because all definitions may be different. */
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
    if (entry === undefined) {
      this.#unserve(key);
      return this.#lookAtRivals(key);
    }
    const definition = this.#settle(key, entry.object as Definition);
    if (hasCondition(definition, "Established")) this.#serve(key, definition);
    else this.#unserve(key);
    if (definition.metadata.deletionTimestamp !== undefined) this.#cleanUp(key, definition);
  }

  #serve(key: string, definition: Definition): void {
    const { registry } = this.#parts;
    const before = this.#served.get(key)?.servedFrom;
    const now = servedParts(definition);
    const servedFrom = before !== undefined && isDeepEqual(before, now) ? before : now;
    const made = serveDefinition(definition, this.#parts.conversion);
    const resources = made.map((resource) => ({ ...resource, servedFrom }));
    this.#remove(key, resources);
    this.#served.set(key, { servedFrom, resources });
    registry.add(...resources);
  }

  #remove(key: string, except: readonly ServedResource[]): void {
    const kept = new Set(except.map(({ group, version, resource }) => `${group}/${version}/${resource}`));
    const before = this.#served.get(key)?.resources ?? [];
    const gone = before.filter(({ group, version, resource }) => !kept.has(`${group}/${version}/${resource}`));
    if (gone.length > 0) this.#parts.registry.remove(...gone);
  }

  #unserve(key: string): void {
    this.#remove(key, []);
    this.#served.delete(key);
  }

  /** Writes the accepted names and the conditions if they changed. Definitions with a name conflict may now get the name. */
  #settle(key: string, definition: Definition): Definition {
    const now = formatTime(this.#parts.clock.wall());
    const draft = cloneJson(definition) as Draft<Definition>;
    const status = (draft.status ??= {});
    let conditions = approved(definition, now);
    if (!isDeepEqual(definition.spec.names, definition.status?.acceptedNames)) {
      const { names, condition } = acceptNames(definition, this.#definitions());
      status.acceptedNames = cloneJson(names) as Draft<DefinitionNames>;
      conditions = withEstablished(withCondition(conditions, condition, now), now);
    }
    if (conditions.length > 0) status.conditions = conditions.map((condition) => ({ ...condition }));
    const settled = this.#write(key, definition, draft);
    if (!isDeepEqual(settled.status?.acceptedNames, definition.status?.acceptedNames)) this.#lookAtRivals(key);
    return settled;
  }

  /** Other definitions of the group with names that were not accepted. */
  #lookAtRivals(key: string): void {
    const group = key.slice(key.indexOf(".") + 1);
    for (const one of this.#parts.store.collection(definitionsName).entries()) {
      const { spec, status } = one.object as Definition;
      if (one.key === key || spec.group !== group || isDeepEqual(spec.names, status?.acceptedNames)) continue;
      queueMicrotask(() => this.#look(one.key));
    }
  }

  /** Writes a definition as the CRD controller does. */
  #write(key: string, definition: Definition, draft: Draft<Definition>): Definition {
    if (isDeepEqual(draft, definition)) return definition;
    const { store, clock, registry } = this.#parts;
    const now = formatTime(clock.wall());
    const resource = registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    const manager = resource?.subresources.get("status")?.fieldManager;
    const managed = manager?.update(definition, draft, { manager: "kube-apiserver", time: now }) ?? draft;
    const stored = resource?.stored.decode(managed as never, undefined) ?? managed;
    return store.put(definitionsName, key, stored).object as Definition;
  }

  #definitions(): Definition[] {
    const { store } = this.#parts;
    return store
      .collection(definitionsName)
      .entries()
      .map(({ object }) => object as Definition);
  }

  /** Deletes all objects of a definition that is being deleted, and the definition when none is left. */
  #cleanUp(key: string, definition: Definition): void {
    if (definition.metadata.finalizers?.includes(cleanupFinalizer) !== true) return;
    const { store } = this.#parts;
    const { names, group } = definition.spec;
    const storage = `${names.plural}.${group}`;
    const unreadable = this.#unreadable(definition);
    this.#terminate(key, definition, unreadable === undefined ? deletionBegun : deletionFailed(unreadable));
    if (unreadable !== undefined) return;
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

  /**
   * Why the objects cannot be listed: one of them is stored in a version that was removed. The version must be added again before the
   * deletion can finish.
   */
  #unreadable({ spec: { group, names, versions } }: Definition): string | undefined {
    const known = new Set(versions.map(({ name }) => formatApiVersion({ group, version: name })));
    const lost = this.#parts.store
      .collection(`${names.plural}.${group}`)
      .entries()
      .find(({ object }) => !known.has(object.apiVersion));
    if (lost === undefined) return undefined;
    const version = versions.find(({ storage }) => storage)?.name ?? "";
    const listed = { apiVersion: formatApiVersion({ group, version }), kind: names.kind };
    return notReady(listed, invalidVersion(lost.object)).message;
  }

  /** Writes the Terminating condition, and removes the finalizer when the deletion of the objects is complete. */
  #terminate(key: string, definition: Definition, told: Deletion): void {
    const draft = cloneJson(definition) as Draft<Definition>;
    const status = (draft.status ??= {});
    const next = { type: "Terminating", ...told.condition };
    const conditions = withCondition(definition.status?.conditions ?? [], next, formatTime(this.#parts.clock.wall()));
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
    draft.metadata.deletionTimestamp = formatTime(clock.wall());
    draft.metadata.deletionGracePeriodSeconds = 0;
    store.put(storage, key, draft);
  }

  /** The definition is removed with its finalizer, unless other finalizers remain. */
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
function deletionFailed(why: string): Deletion {
  const message = `could not list instances: ${why}`;
  return { condition: { status: "True", reason: "InstanceDeletionFailed", message }, isOver: false };
}

const deletionDone: Deletion = {
  condition: { status: "False", reason: "InstanceDeletionCompleted", message: "removed all instances" },
  isOver: true,
};
const neverEstablished: Deletion = {
  condition: { status: "False", reason: "NeverEstablished", message: "resource was never established" },
  isOver: true,
};

/** The conditions with KubernetesAPIApprovalPolicyConformant, for groups that need an approval. */
function approved({ spec: { group }, metadata, status }: Definition, now: string): readonly Condition[] {
  const conditions = status?.conditions ?? [];
  const state = approvalState(group, metadata.annotations);
  if (state === undefined) return conditions;
  const type = "KubernetesAPIApprovalPolicyConformant";
  return withCondition(conditions, { type, ...approvals[state.approval], message: state.message }, now);
}

const approvals: { readonly [approval in Approval]: Pick<Told, "status" | "reason"> } = {
  missing: { status: "False", reason: "MissingAnnotation" },
  bypassed: { status: "False", reason: "UnapprovedAnnotation" },
  approved: { status: "True", reason: "ApprovedAnnotation" },
  invalid: { status: "False", reason: "InvalidAnnotation" },
};

/** Once all names are accepted, the kind stays established, even if it requests other names later. */
function withEstablished(conditions: readonly Condition[], now: string): readonly Condition[] {
  const isTrue = (type: string): boolean => conditions.some((one) => one.type === type && one.status === "True");
  if (isTrue("Established")) return conditions;
  if (isTrue("NamesAccepted")) return withCondition(conditions, initialNames, now);
  return conditions.some(({ type }) => type === "Established")
    ? conditions
    : withCondition(conditions, namesMissing, now);
}

const initialNames: Told = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};
const namesMissing: Told = {
  type: "Established",
  status: "False",
  reason: "NotAccepted",
  message: "not all names are accepted",
};

/** A condition keeps its transition time while its status stays. */
function withCondition(conditions: readonly Condition[], next: Told, now: string): readonly Condition[] {
  const { type, status, reason, message } = next;
  const old = conditions.find((one) => one.type === type);
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
  const condition = { type, status, lastTransitionTime, reason, message } as Condition;
  return old === undefined ? [...conditions, condition] : conditions.map((one) => (one === old ? condition : one));
}
