/** Acting as somebody else: every name that is taken on must be allowed by itself. */
import type { Call } from "../call.ts";
import type { ResourceAccess } from "../authorize/authorizer.ts";
import { serviceAccountGroups, serviceAccountUser } from "./service-account.ts";
import { anonymous, authenticatedGroup, type UserInfo } from "./user.ts";

/** What a call asks for: to be this user, given that each of these is allowed. */
export type Impersonation =
  | { readonly type: "none" }
  | { readonly type: "malformed"; readonly problem: string }
  | { readonly type: "as"; readonly user: UserInfo; readonly needs: readonly ResourceAccess[] };

interface Asked {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: { readonly [key: string]: readonly string[] };
}

const extraPrefix = "impersonate-extra-";

export function impersonationOf(call: Call, requestor: UserInfo): Impersonation {
  const asked = readHeaders(call);
  const others = asked.groups.length > 0 || asked.uid !== "" || Object.keys(asked.extra).length > 0;
  if (asked.user === "") {
    if (!others) return { type: "none" };
    return { type: "malformed", problem: "requested groups, UID or extra without impersonating a user" };
  }
  return { type: "as", user: toUser(asked), needs: toNeeds(asked, requestor) };
}

function readHeaders({ headers }: Call): Asked {
  const all = (name: string): string[] => {
    const value = headers[name];
    return value === undefined ? [] : typeof value === "string" ? value.split(/,\s*/) : [...value];
  };
  const extraNames = Object.keys(headers).filter((name) => name.startsWith(extraPrefix));
  return {
    user: all("impersonate-user")[0] ?? "",
    uid: all("impersonate-uid")[0] ?? "",
    groups: all("impersonate-group").filter((group) => group !== ""),
    extra: Object.fromEntries(extraNames.map((name) => [unescape(name.slice(extraPrefix.length)), all(name)])),
  };
}

function unescape(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const match = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user);
  return match ? { namespace: match[1] ?? "", name: match[2] ?? "" } : undefined;
}

function toUser({ user, uid, groups, extra }: Asked): UserInfo {
  const account = accountOf(user);
  const stated = groups.length === 0 && account ? serviceAccountGroups(account.namespace) : groups;
  return {
    name: account ? serviceAccountUser(account.namespace, account.name) : user,
    ...(uid === "" ? {} : { uid }),
    groups: withEverybody(user, stated),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

/** Somebody is authenticated and nobody is not, unless the groups already say so. */
function withEverybody(user: string, groups: readonly string[]): string[] {
  const [nobody = ""] = anonymous.groups;
  const wanted = user === anonymous.name ? nobody : authenticatedGroup;
  return groups.includes(wanted) || groups.includes(nobody) ? [...groups] : [...groups, wanted];
}

function toNeeds({ user, uid, groups, extra }: Asked, requestor: UserInfo): ResourceAccess[] {
  const base = {
    type: "resource",
    user: requestor,
    verb: "impersonate",
    group: "",
    version: "v1",
    subresource: "",
    namespace: "",
  } as const;
  const authentication = { ...base, group: "authentication.k8s.io" };
  const account = accountOf(user);
  return [
    account
      ? { ...base, resource: "serviceaccounts", ...account }
      : { ...base, version: "", resource: "users", name: user },
    ...groups.map((name) => ({ ...base, version: "", resource: "groups", name })),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((name) => ({ ...authentication, resource: "userextras", subresource: key, name })),
    ),
    ...(uid === "" ? [] : [{ ...authentication, resource: "uids", name: uid }]),
  ];
}
