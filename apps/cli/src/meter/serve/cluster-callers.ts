/** Callers of a cluster: TokenReview says who they are, SubjectAccessReview what they may do. */
import type { KubeObject, ResourceKind } from "./cluster-kinds.ts";
import { Namespace, SubjectAccessReview, TokenReview } from "./cluster-kinds.ts";
import type { Authenticator, Caller, Right, Scope } from "./caller.ts";

/** What asking the cluster needs. */
export interface ClusterAccess {
  readonly create: (kind: ResourceKind, object: KubeObject) => Promise<KubeObject>;
  readonly list: (kind: ResourceKind) => Promise<readonly KubeObject[]>;
  /** The label of namespaces that names their tenant. */
  readonly tenantLabel: () => Promise<string>;
  readonly now: () => number;
}

/** How long an answer of the cluster is used again. */
const answerHolds = 10_000;
const answersKept = 1_000;

interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: unknown;
}

/** Asks the cluster, and remembers its answers for a moment. */
export function clusterAuthenticator(access: ClusterAccess): Authenticator {
  const users = new Memory<User | undefined>(access.now);
  const scopes = new Memory<Scope>(access.now);
  return {
    callerOf: async (token) => {
      const user = await users.get(token, () => userOf(access, token));
      if (user === undefined) return undefined;
      const key = JSON.stringify(user);
      return {
        user: user.username,
        scopeOf: (right) => scopes.get(`${right.verb} ${right.resource} ${key}`, () => scopeOf(access, user, right)),
      } satisfies Caller;
    },
  };
}

/** Answers that are kept for a moment. */
class Memory<T> {
  readonly #now: () => number;
  readonly #kept = new Map<string, { readonly value: T; readonly until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  async get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key);
    if (known !== undefined && this.#now() < known.until) return known.value;
    const value = await ask();
    if (this.#kept.size >= answersKept) this.#kept.clear();
    this.#kept.set(key, { value, until: this.#now() + answerHolds });
    return value;
  }
}

async function userOf({ create }: ClusterAccess, token: string): Promise<User | undefined> {
  const { status } = (await create(TokenReview, review(TokenReview, { token }))) as {
    readonly status?: { readonly authenticated?: boolean; readonly user?: User };
  };
  return status?.authenticated === true ? status.user : undefined;
}

function review({ group, version, kind }: ResourceKind, spec: object): KubeObject & { readonly spec: object } {
  return { apiVersion: `${group}/${version}`, kind, metadata: {}, spec };
}

async function isAllowed(
  { create }: ClusterAccess,
  user: User,
  { verb, resource, namespace }: Right & { readonly namespace?: string },
): Promise<boolean> {
  const { username, uid, groups, extra } = user;
  const resourceAttributes = { group: "metering.capstan.dev", verb, resource, namespace };
  const spec = { user: username, uid, groups, extra, resourceAttributes };
  const { status } = (await create(SubjectAccessReview, review(SubjectAccessReview, spec))) as {
    readonly status?: { readonly allowed?: boolean };
  };
  return status?.allowed === true;
}

/** All tenants, or those whose every namespace the user may see. */
async function scopeOf(access: ClusterAccess, user: User, right: Right): Promise<Scope> {
  if (await isAllowed(access, user, right)) return { kind: "all" };
  const label = await access.tenantLabel();
  const byTenant = Map.groupBy(await access.list(Namespace), ({ metadata: { name = "", labels } }) => {
    const tenant = labels?.[label] ?? "";
    return tenant === "" ? name : tenant;
  });
  const tenants: string[] = [];
  for (const [tenant, namespaces] of byTenant) {
    const answers = await Promise.all(
      namespaces.map(({ metadata: { name = "" } }) => isAllowed(access, user, { ...right, namespace: name })),
    );
    if (answers.every(Boolean)) tenants.push(tenant);
  }
  return { kind: "tenants", tenants };
}
