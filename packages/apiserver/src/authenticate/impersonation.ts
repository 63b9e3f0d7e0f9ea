/**
 * Impersonation. Constrained impersonation of nodes, service accounts and other users needs two permissions: to impersonate the user, and
 * to make this request on its behalf. The legacy way needs only the `impersonate` verb, on the user and on each of its attributes.
 */
import { quote } from "@capstan/model";
import type { AccessAttributes, ResourceAccess } from "../authorize/authorizer.ts";
import { checkDomainPath } from "../builtin/batch/job-spec.ts";
import type { Call } from "../call.ts";
import { aggregateText } from "../go-aggregate.ts";
import { serviceAccountGroups } from "./service-account.ts";
import { anonymous, authenticatedGroup, type UserInfo } from "./user.ts";

/** The impersonation that the headers of a call request. */
export type Impersonation =
  | { readonly type: "none" }
  | { readonly type: "malformed"; readonly problem: string }
  | { readonly type: "as"; readonly ways: readonly Way[] };

/** One way to be allowed: the call acts as this user if all needs are allowed. */
export interface Way {
  readonly user: UserInfo;
  /** The verb that is needed; empty for the legacy way. */
  readonly constraint: string;
  readonly needs: readonly Need[];
}

/** An access that must be allowed; with `never`, it is always denied for this reason. */
export interface Need {
  readonly access: AccessAttributes;
  readonly never?: string;
}

interface Asked {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: { readonly [key: string]: readonly string[] };
}

const extraPrefix = "impersonate-extra-";

/** Reads the headers; `request` is what the call does, in the name of the original user. */
export function impersonationOf(call: Call, request: AccessAttributes): Impersonation {
  const asked = readHeaders(call);
  if (asked.user !== "") return { type: "as", ways: waysFor(asked, request) };
  const others = asked.groups.length > 0 || asked.uid !== "" || Object.keys(asked.extra).length > 0;
  if (!others) return { type: "none" };
  return { type: "malformed", problem: `requested ${inGo(asked)} without impersonating a user name` };
}

/** The value in Go's print format. */
function inGo({ user, uid, groups, extra }: Asked): string {
  const list = (values: readonly string[]): string =>
    values.length === 0 ? "[]string(nil)" : `[]string{${values.map(quote).join(", ")}}`;
  const entries = Object.entries(extra).map(([key, values]) => `${quote(key)}:${list(values)}`);
  const map = entries.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${entries.join(", ")}}`;
  return `&user.DefaultInfo{Name:${quote(user)}, UID:${quote(uid)}, Groups:${list(groups)}, Extra:${map}}`;
}

function readHeaders({ headers }: Call): Asked {
  const all = (name: string): string[] => {
    const value = headers[name];
    // The Fetch API joins repeated headers with a comma and a space.
    return value === undefined ? [] : typeof value === "string" ? value.split(", ") : [...value];
  };
  const extraNames = Object.keys(headers).filter((name) => name.startsWith(extraPrefix));
  return {
    user: all("impersonate-user")[0] ?? "",
    uid: all("impersonate-uid")[0] ?? "",
    groups: all("impersonate-group"),
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

interface Account {
  readonly namespace: string;
  readonly name: string;
}

function accountOf(user: string): Account | undefined {
  // A name that is not a valid namespace and account name is an ordinary user.
  const match = /^system:serviceaccount:([a-z0-9](?:[-a-z0-9]*[a-z0-9])?):([a-z0-9](?:[-.a-z0-9]*[a-z0-9])?)$/.exec(
    user,
  );
  return match ? { namespace: match[1] ?? "", name: match[2] ?? "" } : undefined;
}

function nodeOf(user: string): string | undefined {
  return /^system:node:(.+)$/.exec(user)?.[1];
}

/** The ways in the order in which they are tried. */
function waysFor(asked: Asked, request: AccessAttributes): Way[] {
  const node = nodeOf(asked.user);
  const account = accountOf(asked.user);
  const onlyName = asked.uid === "" && asked.groups.length === 0 && Object.keys(asked.extra).length === 0;
  const ways: Way[] = [];
  if (onlyName && node !== undefined && isOnNode(request.user, node))
    ways.push(constrained("associated-node", asked, request));
  if (onlyName && node !== undefined) ways.push(constrained("arbitrary-node", asked, request));
  if (onlyName && account !== undefined) ways.push(constrained("serviceaccount", asked, request));
  if (node === undefined && account === undefined) ways.push(constrained("user-info", asked, request));
  return [...ways, legacy(asked, request.user)];
}

/** The token of a pod's service account names the node of the pod. */
function isOnNode({ name, extra }: UserInfo, node: string): boolean {
  const [own, ...more] = extra?.["authentication.kubernetes.io/node-name"] ?? [];
  return accountOf(name) !== undefined && own === node && more.length === 0;
}

const mastersGroup = "system:masters";

function constrained(mode: string, asked: Asked, request: AccessAttributes): Way {
  const on: Need = { access: { ...request, verb: `impersonate-on:${mode}:${request.verb}` } };
  const verb = `impersonate:${mode}`;
  const node = nodeOf(asked.user);
  const base = { ...accessBase(request.user, verb), ...authentication };
  const name = mode === "associated-node" ? "*" : node;
  const self: ResourceAccess = name === undefined ? nameAccess(asked.user, base) : { ...base, resource: "nodes", name };
  const groups = asked.groups.map((group): Need => {
    const access = { ...base, resource: "groups", name: group };
    if (group === "") return { access, never: "impersonating the empty string group is not allowed" };
    return group === mastersGroup
      ? { access, never: "impersonating the system:masters group is not allowed" }
      : { access };
  });
  const user = node === undefined ? toUser(asked) : toUser({ ...asked, groups: ["system:nodes"] });
  return {
    user,
    constraint: verb,
    needs: [on, { access: self }, ...uidNeeds(asked, base), ...groups, ...strictExtraNeeds(asked, base)],
  };
}

function legacy(asked: Asked, requestor: UserInfo): Way {
  const base = accessBase(requestor, "impersonate");
  const needs: Need[] = [
    { access: nameAccess(asked.user, base) },
    ...uidNeeds(asked, base),
    ...asked.groups.map((name) => ({ access: { ...base, resource: "groups", name } })),
    ...extraNeeds(asked, base),
  ];
  return { user: toUser(asked), constraint: "", needs };
}

const authentication = { group: "authentication.k8s.io", version: "v1" } as const;

function accessBase(user: UserInfo, verb: string): Omit<ResourceAccess, "resource" | "name"> {
  return { type: "resource", user, verb, group: "", version: "v1", subresource: "", namespace: "" };
}

type Base = ReturnType<typeof accessBase>;

function nameAccess(user: string, base: Base): ResourceAccess {
  const account = accountOf(user);
  return account ? { ...base, resource: "serviceaccounts", ...account } : { ...base, resource: "users", name: user };
}

function uidNeeds({ uid }: Asked, base: Base): Need[] {
  return uid === "" ? [] : [{ access: { ...base, ...authentication, resource: "uids", name: uid } }];
}

function extraNeeds({ extra }: Asked, base: Base): Need[] {
  return Object.entries(extra).flatMap(([subresource, values]) =>
    values.map((name) => ({ access: { ...base, ...authentication, resource: "userextras", subresource, name } })),
  );
}

/** Constrained impersonation accepts only domain-prefixed keys and non-empty values in extra. */
function strictExtraNeeds(asked: Asked, base: Base): Need[] {
  const access = { ...base, ...authentication, resource: "userextras", name: "" };
  for (const [key, values] of Object.entries(asked.extra)) {
    const never = extraProblem(key, values);
    if (never !== undefined) return [{ access, never }];
  }
  return extraNeeds(asked, base);
}

function extraProblem(key: string, values: readonly string[]): string | undefined {
  if (key === "") return "impersonating the empty string key in extra is not allowed";
  const problems = checkDomainPath(key, "extra.key").map(({ field, body }) => `${field}: ${body}`);
  if (problems.length > 0) return `impersonating an invalid key in extra is not allowed: ${aggregateText(problems)}`;
  return values.includes("") ? "impersonating the empty string value in extra is not allowed" : undefined;
}

function toUser({ user, uid, groups, extra }: Asked): UserInfo {
  const account = accountOf(user);
  const stated = groups.length === 0 && account ? serviceAccountGroups(account.namespace) : groups;
  return {
    name: user,
    ...(uid === "" ? {} : { uid }),
    groups: withEverybody(user, stated),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

/** Adds `system:authenticated`, or `system:unauthenticated` for the anonymous user, unless the groups already contain it. */
function withEverybody(user: string, groups: readonly string[]): string[] {
  const [nobody = ""] = anonymous.groups;
  const wanted = user === anonymous.name ? nobody : authenticatedGroup;
  return groups.includes(wanted) || groups.includes(nobody) ? [...groups] : [...groups, wanted];
}
