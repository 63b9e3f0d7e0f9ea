/** The calls of the manager to one API server: typed reads, and writes that fail when the object changed in between. */
import { isApiError, mergePatchBetween } from "@capstan/client";
import { apiVersionOf } from "@capstan/model";
import type { Kind, KubeObject, ObjectKey } from "@capstan/model";
import type { Api } from "@capstan/runtime";

/** The field manager of everything that the manager writes. */
export const MANAGER = "olm";

/** An object to create: its kind says apiVersion and kind. */
export type NewObject<T extends KubeObject> = Omit<T, "apiVersion" | "kind" | "metadata"> & {
  readonly metadata: KubeObject["metadata"];
};

/** One API server, as one user. */
export interface Cluster {
  get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): Promise<T | undefined>;
  list<T extends KubeObject>(kind: Kind<T>, where?: Selection): Promise<readonly T[]>;
  create<T extends KubeObject>(kind: Kind<T>, object: NewObject<T>): Promise<T>;
  /** Creates an object unless one of its name exists, and says which. */
  ensure<T extends KubeObject>(kind: Kind<T>, object: NewObject<T>): Promise<"created" | "exists">;
  /** Writes the difference between two forms of an object; nothing if there is none. The object must not have changed in between. */
  change<T extends KubeObject>(kind: Kind<T>, change: Change<T>): Promise<T>;
  changeStatus<T extends KubeObject>(kind: Kind<T>, change: Change<T>): Promise<T>;
  /** Creates or overwrites the given fields. */
  apply<T extends KubeObject>(kind: Kind<T>, object: NewObject<T>, manager?: string): Promise<T>;
  /** Deletes an object if it exists. */
  remove(kind: Kind, key: ObjectKey & { readonly uid?: string }): Promise<void>;
}

/** An object before and after. */
export interface Change<T> {
  readonly before: T;
  readonly after: T;
}

/** Selects objects; without a namespace, those of all namespaces. */
export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
}

/** The calls over an API. */
export function clusterOf(api: Api): Cluster {
  return {
    get: (kind, key) => orUndefined(api.get(kind, key)) as never,
    list: (kind, where = {}) => listAll(api, kind, where) as never,
    create: (kind, object) => api.create(kind, typed(kind, object), { manager: MANAGER }) as never,
    ensure: async (kind, object) => {
      try {
        await api.create(kind, typed(kind, object), { manager: MANAGER });
        return "created";
      } catch (error) {
        if (isApiError(error, "AlreadyExists")) return "exists";
        throw error;
      }
    },
    change: (kind, change) => patch(api, kind, change, undefined) as never,
    changeStatus: (kind, change) => patch(api, kind, change, "status") as never,
    apply: (kind, object, manager = MANAGER) => api.apply(kind, typed(kind, object), { manager, force: true }) as never,
    remove: async (kind, { uid, ...key }) => {
      await orUndefined(api.delete(kind, key, uid === undefined ? {} : { uid }));
    },
  };
}

async function listAll(api: Api, kind: Kind, where: Selection): Promise<readonly KubeObject[]> {
  const items: KubeObject[] = [];
  let continueAt: string | undefined;
  do {
    const page = await api.list(kind, { ...where, limit: 500, continueAt });
    items.push(...page.items);
    continueAt = page.continueAt === "" ? undefined : page.continueAt;
  } while (continueAt !== undefined);
  return items;
}

async function patch(
  api: Api,
  kind: Kind,
  { before, after }: Change<KubeObject>,
  subresource: "status" | undefined,
): Promise<KubeObject> {
  const body = mergePatchBetween(before, after);
  if (body === undefined) return before;
  const { namespace = "", name = "", resourceVersion } = before.metadata;
  const metadata = { ...("metadata" in body ? (body.metadata as object) : {}), resourceVersion };
  return api.patch(
    kind,
    { namespace, name },
    { ...body, metadata },
    {
      type: "merge",
      manager: MANAGER,
      ...(subresource === undefined ? {} : { subresource }),
    },
  );
}

async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isApiError(error, "NotFound")) return undefined;
    throw error;
  }
}

function typed(kind: Kind, object: { readonly metadata: KubeObject["metadata"] }): KubeObject {
  return { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind };
}
