/** Reading: one object, or many, page by page. */
import type { Kind, KubeList, KubeObject, Scope } from "@capstan/model";
import { ApiError, isApiError } from "../error/api-error.ts";
import { describeAttempt } from "../error/attempt.ts";
import type { Attempt, Verb } from "../error/attempt.ts";
import type { GetOptions, ListOptions } from "./options.ts";
import { pathOf, withQuery } from "./path.ts";
import type { ResourcePath } from "./path.ts";
import { acceptOf } from "./representation.ts";
import type { Sender } from "./send.ts";
import { allNamespaces } from "./target.ts";
import type { AnyKind, InNamespace, Target } from "./target.ts";

/** A list that is fetched while it is read: objects with `for await`, whole pages, or everything. */
export interface Listing<T> extends AsyncIterable<T> {
  pages(): AsyncGenerator<KubeList<T>>;
  /** All objects at one resource version. */
  all(): Promise<KubeList<T>>;
}

/** The read calls. */
export interface ReadCalls {
  /** Reads one object. */
  get<T extends KubeObject, A, S extends Scope>(kind: Kind<T, A, S>, target: Target<S> & GetOptions): Promise<T>;
  /** Lists objects; `namespace: "*"` means all namespaces. */
  list<T extends KubeObject, A, S extends Scope>(kind: Kind<T, A, S>, where: InNamespace<S> & ListOptions): Listing<T>;
}

/** The read calls over a sender. */
export function readCalls(sender: Sender): ReadCalls {
  return {
    get<T extends KubeObject>(kind: AnyKind, target: ResourcePath & GetOptions): Promise<T> {
      // An empty name would turn the get into a list, so it is rejected even if the compiler was bypassed.
      const place = { ...target, name: target.name ?? "" };
      const path = withQuery(pathOf(kind, place), { resourceVersion: target.resourceVersion });
      const headers = acceptOf(kind, "one");
      return sender.json({ attempt: attemptOf("get", kind, target), method: "GET", path, headers, options: target });
    },
    list<T extends KubeObject>(kind: AnyKind, where: ResourcePath & ListOptions): Listing<T> {
      return listing((options) => fetchPage(sender, kind, { ...where, ...options }));
    },
  };
}

/** Describes a call for its errors. */
export function attemptOf(verb: Verb, kind: AnyKind, place: ResourcePath): Attempt {
  const { namespace, name, subresource } = place;
  return {
    verb,
    group: kind.group,
    version: kind.version,
    kind: kind.kind,
    plural: kind.plural,
    namespace: namespace === allNamespaces ? undefined : namespace,
    name,
    subresource,
  };
}

const pageSize = 500;

async function fetchPage<T>(sender: Sender, kind: AnyKind, where: ResourcePath & ListOptions): Promise<KubeList<T>> {
  const { limit = pageSize, labelSelector, fieldSelector } = where;
  const path = withQuery(pathOf(kind, { namespace: where.namespace }), {
    limit: limit === 0 ? undefined : limit,
    continue: where.continue,
    labelSelector,
    fieldSelector,
    // A continue token includes the version; the server rejects both together.
    resourceVersion: where.continue === undefined ? where.resourceVersion : undefined,
    resourceVersionMatch: where.continue === undefined ? where.resourceVersionMatch : undefined,
  });
  const headers = acceptOf(kind, "many");
  const request = { attempt: attemptOf("list", kind, where), method: "GET", path, headers, options: where } as const;
  const answer = await sender.json<unknown>(request);
  if (isList<T>(answer)) return { ...answer, metadata: answer.metadata ?? {}, items: answer.items ?? [] };
  throw notAList(request.attempt);
}

/** A list as received: Go servers write empty lists as null. */
type ReceivedList<T> = Omit<KubeList<T>, "metadata" | "items"> & {
  readonly metadata?: KubeList<T>["metadata"] | null;
  readonly items?: readonly T[] | null;
};

function isList<T>(answer: unknown): answer is ReceivedList<T> {
  if (!isObject(answer)) return false;
  const { metadata = null, items = null } = answer;
  return (metadata === null || isObject(metadata)) && (items === null || Array.isArray(items));
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notAList(attempt: Attempt): ApiError {
  const message = `Cannot ${describeAttempt(attempt)}: the response is not a list. Check that the address is that of a Kubernetes API server.`;
  return new ApiError({ code: "BadAnswer", message, attempt });
}

type PageOptions = Pick<ListOptions, "continue" | "limit" | "resourceVersion" | "resourceVersionMatch">;

function listing<T>(fetch: (options: PageOptions) => Promise<KubeList<T>>): Listing<T> {
  async function* pages(): AsyncGenerator<KubeList<T>> {
    let page = await fetch({});
    yield page;
    while (isToken(page.metadata.continue)) {
      page = await fetch({ continue: page.metadata.continue });
      yield page;
    }
  }
  return {
    pages,
    all: () =>
      collectAll(pages(), () => fetch({ limit: 0, resourceVersion: undefined, resourceVersionMatch: undefined })),
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items;
    },
  };
}

/** If the first page's version has expired, only one unpaged list is still consistent. */
async function collectAll<T>(
  pages: AsyncGenerator<KubeList<T>>,
  unpaged: () => Promise<KubeList<T>>,
): Promise<KubeList<T>> {
  const items: T[] = [];
  let first: KubeList<T> | undefined;
  try {
    for await (const page of pages) {
      first ??= page;
      for (const item of page.items) items.push(item);
    }
  } catch (error) {
    if (first === undefined || !isApiError(error, "Expired", "Gone")) throw error;
    return unpaged();
  }
  if (first === undefined) return unpaged();
  const { resourceVersion } = first.metadata;
  return { ...first, metadata: resourceVersion === undefined ? {} : { resourceVersion }, items };
}

function isToken(token: string | undefined): token is string {
  return token !== undefined && token !== "";
}
