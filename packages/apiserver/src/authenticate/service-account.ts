/** Tokens of service accounts: issued for an audience and a time, bound to objects that must still be there. */
import type { KubeObject } from "@capstan/model";
import { type JwtClaims, type JwtKey, PkiError, signJwt, toJwtKey, verifyJwt } from "@capstan/pki";
import type { Lookup } from "../builtin/context.ts";
import type { Authentication } from "./authenticator.ts";
import { authenticatedGroup, type UserInfo } from "./user.ts";

/** Everything that issuing and checking needs. */
export interface TokenAuthority {
  readonly issuer: string;
  /** The audiences of the server itself: tokens for others are not accepted here. */
  readonly audiences: readonly string[];
  readonly privateKeyPem: string;
  readonly lookup: Lookup;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly uid: () => string;
}

/** An object that a token is bound to: it dies with it. */
export interface BoundObject {
  readonly kind: "Pod" | "Secret" | "Node";
  readonly name: string;
  readonly uid: string;
}

/** What a token is asked for. */
export interface TokenWish {
  readonly account: KubeObject;
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly bound?: BoundObject | undefined;
  /** The node that the pod is on, when bound to a pod. */
  readonly node?: { readonly name: string; readonly uid: string } | undefined;
}

interface KubernetesClaims {
  readonly namespace: string;
  readonly serviceaccount: { readonly name: string; readonly uid: string };
  readonly pod?: { readonly name: string; readonly uid: string };
  readonly secret?: { readonly name: string; readonly uid: string };
  readonly node?: { readonly name: string; readonly uid?: string };
}

/** A token, and the name by which audit logs and its users' other credentials tell it apart. */
export interface IssuedToken {
  readonly token: string;
  readonly credentialId: string;
}

export function issueToken(wish: TokenWish, authority: TokenAuthority): IssuedToken {
  const seconds = Math.floor(authority.now() / 1000);
  const { namespace = "", name = "", uid = "" } = wish.account.metadata;
  const bound =
    wish.bound === undefined ? {} : { [wish.bound.kind.toLowerCase()]: { name: wish.bound.name, uid: wish.bound.uid } };
  const id = authority.uid();
  const claims: JwtClaims = {
    aud: wish.audiences,
    exp: seconds + wish.seconds,
    iat: seconds,
    iss: authority.issuer,
    jti: id,
    "kubernetes.io": { namespace, ...(wish.node ? { node: wish.node } : {}), ...bound, serviceaccount: { name, uid } },
    nbf: seconds,
    sub: serviceAccountUser(namespace, name),
  };
  return { token: signJwt(claims, authority.privateKeyPem), credentialId: `JTI=${id}` };
}

/** Checks a token for these audiences; `TokenReview` asks for other audiences than the server's own. */
export function checkToken(
  token: string,
  audiences: readonly string[],
  authority: TokenAuthority,
  key: JwtKey = toJwtKey(authority.privateKeyPem),
): Authentication {
  const claims = read(token, authority, key);
  if (claims === undefined) return { type: "none" };
  if (typeof claims === "string") return { type: "rejected", reason: claims };
  const meant = typeof claims.aud === "string" ? [claims.aud] : (claims.aud ?? []);
  const shared = audiences.filter((audience) => meant.includes(audience));
  if (shared.length === 0)
    return {
      type: "rejected",
      reason: `token audiences ${quote(meant)} is invalid for the target audiences ${quote(audiences)}`,
    };
  const stated = claims["kubernetes.io"] as KubernetesClaims;
  const problem = staleBinding(stated, authority);
  return problem === undefined
    ? { type: "user", user: toUser(stated, claims.jti), audiences: shared }
    : { type: "rejected", reason: problem };
}

/** The claims; why they cannot be trusted; or undefined if this is no token of ours at all. */
function read(token: string, { issuer, now }: TokenAuthority, key: JwtKey): JwtClaims | string | undefined {
  if (token.split(".").length !== 3) return undefined;
  try {
    const claims = verifyJwt(token, { keys: [key], now: new Date(now()) });
    return claims.iss === issuer && claims["kubernetes.io"] !== undefined ? claims : undefined;
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
    if (error.code === "TokenExpired") return "service account token has expired";
    return isOurs(token, issuer) ? "go-jose/go-jose: error in cryptographic primitive" : "invalid bearer token";
  }
}

/** Whether a token that cannot be trusted says at least that it was issued here. */
function isOurs(token: string, issuer: string): boolean {
  try {
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as {
      iss?: unknown;
    };
    return claims.iss === issuer;
  } catch {
    return false;
  }
}

/** A token is only as good as the objects it is bound to: the account and whatever else it names, with the same uid. */
function staleBinding(claims: KubernetesClaims, { lookup, now }: TokenAuthority): string | undefined {
  const { namespace, serviceaccount, secret, pod, node } = claims;
  const bound: readonly (readonly [
    string,
    { readonly name: string; readonly uid?: string } | undefined,
    KubeObject | undefined,
  ])[] = [
    ["service account", serviceaccount, lookup.get("serviceaccounts", serviceaccount.name, namespace)],
    ["secret", secret, secret && lookup.get("secrets", secret.name, namespace)],
    ["pod", pod, pod && lookup.get("pods", pod.name, namespace)],
    ["node", pod ? undefined : node, node && lookup.get("nodes", node.name)],
  ];
  for (const [what, ref, found] of bound) {
    if (ref === undefined) continue;
    if (found === undefined || isGone(found, now()))
      return `${what} ${what === "node" ? "" : `${namespace}/`}${ref.name} has been deleted`;
    if (ref.uid !== undefined && found.metadata.uid !== ref.uid)
      return `the ${what} UID (${found.metadata.uid}) does not match the claim (${ref.uid})`;
  }
  return undefined;
}

/** Deleted a minute ago or longer, as the server allows a little time for a graceful end. */
function isGone({ metadata }: KubeObject, now: number): boolean {
  return metadata.deletionTimestamp !== undefined && now > Date.parse(metadata.deletionTimestamp) + 60_000;
}

function toUser({ namespace, serviceaccount, pod, node }: KubernetesClaims, id: string | undefined): UserInfo {
  const extra: Record<string, readonly string[]> = {};
  if (id !== undefined) extra["authentication.kubernetes.io/credential-id"] = [`JTI=${id}`];
  if (node) {
    extra["authentication.kubernetes.io/node-name"] = [node.name];
    if (node.uid !== undefined) extra["authentication.kubernetes.io/node-uid"] = [node.uid];
  }
  if (pod) {
    extra["authentication.kubernetes.io/pod-name"] = [pod.name];
    extra["authentication.kubernetes.io/pod-uid"] = [pod.uid];
  }
  return {
    name: serviceAccountUser(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: [...serviceAccountGroups(namespace), authenticatedGroup],
    extra,
  };
}

export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

function quote(list: readonly string[]): string {
  return `[${list.map((one) => JSON.stringify(one)).join(" ")}]`;
}
