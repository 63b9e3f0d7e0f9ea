/** Creates the context that the user's function gets. */
import { keyOf } from "@capstan/model";
import type { Kind, StoredObject } from "@capstan/model";
import { isApiError } from "@capstan/client";
import { keyText, kindId } from "../api.ts";
import type { AnyKind } from "../api.ts";
import type { Ownership } from "../apply/children.ts";
import { childText, mustBeChild, nameIn, placed } from "../apply/desired.ts";
import type { Desired } from "../apply/desired.ts";
import type { Query } from "../cache/selector.ts";
import { RuntimeError, toMilliseconds } from "../errors.ts";
import type { AnyContext, AnyFindQuery, ApplyChild, NewReference, Reference, RemoveChild } from "./context.ts";
import { onDecision } from "./decisions.ts";
import type { Reconcile } from "./reconcile.ts";
import type { Step } from "./steps.ts";

/** The context of a reconcile. The signal is that of the call. */
export function contextOf(reconcile: Reconcile, signal: AbortSignal): AnyContext {
  const { call, environment, request, status, decisions } = reconcile;
  const { definition, log, metric, settings } = environment;
  const context = {
    object: call.shown(definition.kind, reconcile.object),
    triggers: request.triggers,
    failures: request.failures,
    signal,
    log,
    status,
    metric,
    settings,
    ...readsOf(reconcile),
    ...writesOf(reconcile),
    external: (run: (...args: readonly unknown[]) => Promise<unknown>, ...args: readonly unknown[]) =>
      run(...args, { signal }),
  };
  onDecision(context, (decision) => {
    decisions.push(decision);
    call.beforeSideEffect(() => `act on ${decision}`);
  });
  // The runtime knows kinds only as names; the types that the user sees follow from the declared kind values.
  return context as unknown as AnyContext;
}

/** The read side. */
function readsOf(reconcile: Reconcile) {
  const { call, environment } = reconcile;
  const { caches } = environment;
  return {
    find: (kind: Kind, { namespace, labels, index, owner }: AnyFindQuery = {}) => {
      mustBeDeclared(reconcile, kind);
      const place = namespaceFor(reconcile, kind, namespace);
      const query: Query = { namespace: place, labels, index, owner: owner?.metadata.uid };
      reconcile.noteRead({ kind, query });
      return call.shownAll(kind, caches.of(kind).find(query));
    },
    get: (kind: Kind, reference: Reference) => {
      mustBeDeclared(reconcile, kind);
      const key = keyFor(reconcile, kind, reference);
      reconcile.noteRead({ kind, key });
      const object = caches.of(kind).get(key);
      return object && call.shown(kind, object);
    },
  };
}

/** The write side. */
function writesOf(reconcile: Reconcile) {
  const { call, children, steps, environment } = reconcile;
  const of = (verb: string, kind: Kind, reference: NewReference) => (): string =>
    `${verb} of ${childText(kind, nameIn(reference))}`;
  return {
    apply: (kind: Kind, reference: Reference, desired: Desired, how: ApplyChild = {}) =>
      call.start(of("apply", kind, reference), () => apply(reconcile, kind, { reference, desired, how })),
    create: (kind: Kind, reference: NewReference, desired: Desired) =>
      call.start(of("create", kind, reference), () => create(reconcile, kind, { reference, desired })),
    remove: (kind: Kind, reference: Reference, how: RemoveChild = {}) =>
      call.start(of("remove", kind, reference), () => remove(reconcile, kind, { reference, how })),
    keep: (kind: Kind, reference: Reference) => {
      mustBeOwned(reconcile, kind);
      children.keep(kind, keyFor(reconcile, kind, reference));
    },
    step: (...args: Parameters<Step>) =>
      call.start(
        () => `step "${args[0]}"`,
        () => steps.step(...args),
      ),
    event: (type: "Normal" | "Warning", reason: string, note: string) => {
      if (!call.isStopped) environment.onEvent(reconcile.object, { type, reason, note });
    },
  };
}

interface Applied {
  readonly reference: Reference;
  readonly desired: Desired;
  readonly how: ApplyChild;
}

async function apply(
  reconcile: Reconcile,
  kind: AnyKind,
  { reference, desired: given, how }: Applied,
): Promise<StoredObject> {
  const name = typeof reference === "object" && reference !== null ? reference.name : reference;
  mustBeChild(kind, name, given);
  const desired = placed(kind, reference, given);
  mustBeOwned(reconcile, kind);
  const ownership = ownershipOf(how);
  const noteRead = (): void => {
    const { namespace } = desired.metadata ?? {};
    reconcile.noteRead({ kind, key: keyFor(reconcile, kind, { name, namespace }) });
  };
  // A free child has no owner mark: recording it as read makes its changes trigger the object.
  if (ownership === "free") noteRead();
  try {
    return reconcile.call.shown(kind, await reconcile.children.apply(kind, name, desired, ownership));
  } catch (error) {
    // When the conflicting object is deleted, the object must be reconciled again.
    if (error instanceof RuntimeError && error.code === "NotOurs") noteRead();
    throw error;
  }
}

async function create(
  reconcile: Reconcile,
  kind: AnyKind,
  { reference, desired }: { readonly reference: NewReference; readonly desired: Desired },
): Promise<StoredObject> {
  const name = nameIn(reference);
  mustBeChild(kind, name, desired);
  mustBeOwned(reconcile, kind);
  return reconcile.call.shown(kind, await reconcile.children.create(kind, name, placed(kind, reference, desired)));
}

async function remove(
  reconcile: Reconcile,
  kind: AnyKind,
  { reference, how }: { readonly reference: Reference; readonly how: RemoveChild },
): Promise<void> {
  mustBeOwned(reconcile, kind);
  const object = reconcile.environment.caches.of(kind).get(keyFor(reconcile, kind, reference));
  if (object === undefined) return;
  const seconds = how.grace === undefined ? undefined : Math.ceil(toMilliseconds(how.grace) / 1000);
  reconcile.environment.breaker.removed(kind, keyText(object));
  await reconcile.userWriter.delete(kind, object, seconds).catch((error: unknown) => {
    if (!isApiError(error, "NotFound")) throw error;
  });
}

function keyFor(reconcile: Reconcile, kind: AnyKind, reference: Reference): string {
  const { name, namespace: given } =
    typeof reference === "object" ? reference : { name: reference, namespace: undefined };
  const namespace = namespaceFor(reconcile, kind, given);
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

function namespaceFor({ object }: Reconcile, kind: AnyKind, namespace: string | undefined): string | undefined {
  if (kind.scope === "Cluster" || namespace === "*") return undefined;
  return namespace ?? keyOf(object).namespace;
}

function mustBeDeclared(reconcile: Reconcile, kind: AnyKind): void {
  const { owns, reads } = reconcile.environment.definition;
  if (!isAmong(owns, kind) && !isAmong(reads, kind)) throw notDeclared(reconcile, kind, "reads");
}

function mustBeOwned(reconcile: Reconcile, kind: AnyKind): void {
  if (!isAmong(reconcile.environment.definition.owns, kind)) throw notDeclared(reconcile, kind, "owns");
}

function notDeclared({ environment, object }: Reconcile, kind: AnyKind, where: string): RuntimeError {
  const { name, kind: own } = environment.definition;
  return new RuntimeError(
    "NotDeclared",
    `Controller "${name}" cannot use ${kind.kind}: it was not declared. Add it to \`${where}\`.`,
    { object: `${own.kind} ${keyText(object)}` },
  );
}

function ownershipOf({ owned = true, adopt = false }: ApplyChild): Ownership {
  if (!owned) return "free";
  return adopt ? "adopted" : "owned";
}

function isAmong(kinds: readonly AnyKind[], kind: AnyKind): boolean {
  return kinds.includes(kind) || kinds.some((each) => kindId(each) === kindId(kind));
}
