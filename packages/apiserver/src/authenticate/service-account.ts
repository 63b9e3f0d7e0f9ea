/** Service account tokens: issued for an audience and a time, bound to objects that must still exist. */
import type { KubeObject } from "@capstan/model";
import { type JwtClaims, type JwtKey, PkiError, signJwt, toJwtKey, verifyJwt } from "@capstan/pki";
import type { Lookup } from "../builtin/context.ts";
import type { Authentication } from "./authenticator.ts";
import { authenticatedGroup, type UserInfo } from "./user.ts";

export interface TokenAuthority {
  readonly issuer: string;
  /** The audiences of the server itself: tokens for other audiences are rejected. */
  readonly audiences: readonly string[];
  readonly privateKeyPem: string;
  readonly lookup: Lookup;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly uid: () => string;
}

/** An object that a token is bound to. The token is valid while the object exists. */
export interface BoundObject {
  readonly kind: "Pod" | "Secret" | "Node";
  readonly name: string;
  readonly uid: string;
}

/** The parameters of a token. */
export interface TokenWish {
  readonly account: KubeObject;
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly bound?: BoundObject | undefined;
  /** The node of the pod, if the token is bound to a pod. */
  readonly node?: { readonly name: string; readonly uid?: string | undefined } | undefined;
}

interface KubernetesClaims {
  readonly namespace: string;
  readonly serviceaccount: { readonly name: string; readonly uid: string };
  readonly pod?: { readonly name: string; readonly uid: string };
  readonly secret?: { readonly name: string; readonly uid: string };
  readonly node?: { readonly name: string; readonly uid?: string };
}

/** A token, and its credential id for audit logs. */
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

/** Checks a token for these audiences. A TokenReview may ask for other audiences than the server's own. */
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
  const problem = wrongTime(claims, authority.now() / 1000) ?? staleBinding(stated, authority);
  return problem === undefined
    ? { type: "user", user: toUser(stated, claims.jti), audiences: shared }
    : { type: "rejected", reason: problem };
}

/** Tokens with a verified signature: the verification takes longer than most requests. Times and bindings are checked in each request. */
const verified = new WeakMap<JwtKey, Map<string, JwtClaims>>();
const mostVerified = 1_000;

/** The claims, the reason why they are rejected, or undefined if this server did not issue the token. */
function read(text: string, authority: TokenAuthority, key: JwtKey): JwtClaims | string | undefined {
  // Spaces do not count: kept with them, the forms of one token would fill the memory.
  const token = text.replaceAll(/\s/g, "");
  const known = verified.get(key) ?? new Map<string, JwtClaims>();
  const claims = known.get(token) ?? verify(token, authority, key);
  if (typeof claims !== "object") return claims;
  verified.set(key, known);
  known.delete(token);
  known.set(token, claims);
  const [oldest] = known.keys();
  if (known.size > mostVerified && oldest !== undefined) known.delete(oldest);
  return claims;
}

function verify(text: string, { issuer }: TokenAuthority, key: JwtKey): JwtClaims | string | undefined {
  if (!isOurs(text, issuer)) return undefined;
  try {
    const claims = verifyJwt(text, { keys: [key] });
    return claims.iss === issuer && claims["kubernetes.io"] !== undefined ? claims : undefined;
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
    if (error.code === "UnknownKey") return "invalid signature, no keys found";
    return error.code === "BadSignature" ? "go-jose/go-jose: error in cryptographic primitive" : undefined;
  }
}

/** The issuer of legacy tokens in secrets. */
const legacyIssuer = "kubernetes/serviceaccount";

/** Whether the unverified claims name this issuer. */
function isOurs(token: string, issuer: string): boolean {
  const parts = token.split(".");
  if (parts.length !== 3) return false;
  try {
    const { iss } = JSON.parse(Buffer.from(parts[1] ?? "", "base64url").toString("utf8")) as { iss?: unknown };
    return iss === issuer || iss === legacyIssuer;
  } catch {
    return false;
  }
}

/** Allowed clock skew in seconds, and the time that deleted objects get to terminate. */
const leeway = 60;

/** Why the token is expired or not yet valid. */
function wrongTime({ exp, nbf, iat }: JwtClaims, seconds: number): string | undefined {
  if (nbf !== undefined && seconds + leeway < nbf) return "service account token is not valid yet";
  if (exp !== undefined && seconds - leeway > exp) return "service account token has expired";
  if (iat !== undefined && seconds + leeway < iat) return "service account token is issued in the future";
  return undefined;
}

const invalidated = "service account token has been invalidated";

/** A token is valid only while its account and its bound objects exist with the same uid. */
function staleBinding(claims: KubernetesClaims, authority: TokenAuthority): string | undefined {
  const { namespace, secret, pod, node } = claims;
  const { lookup } = authority;
  return (
    staleAccount(claims, authority) ??
    (secret && staleObject("secret", secret, lookup.get("secrets", secret.name, namespace), authority)) ??
    (pod && staleObject("pod", pod, lookup.get("pods", pod.name, namespace), authority)) ??
    // For a token bound to a pod, the node claim is only informational.
    (node && !pod ? staleObject("node", node, lookup.get("nodes", node.name), authority) : undefined)
  );
}

function staleAccount({ namespace, serviceaccount }: KubernetesClaims, authority: TokenAuthority): string | undefined {
  const { name, uid } = serviceaccount;
  const found = authority.lookup.get("serviceaccounts", name, namespace);
  if (found === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
  if (found.metadata.uid !== uid) return `service account UID (${found.metadata.uid}) does not match claim (${uid})`;
  return isGone(found, authority.now()) ? `service account ${namespace}/${name} has been deleted` : undefined;
}

function staleObject(
  what: "secret" | "pod" | "node",
  { uid = "" }: { readonly uid?: string },
  found: KubeObject | undefined,
  { now }: TokenAuthority,
): string | undefined {
  if (found === undefined) return invalidated;
  const actual = found.metadata.uid ?? "";
  if (actual !== uid) return `${what} UID (${actual}) does not match service account ${what} ref claim (${uid})`;
  return isGone(found, now()) ? invalidated : undefined;
}

/** Whether the object was deleted a minute ago or longer: a graceful end gets some time. */
function isGone({ metadata }: KubeObject, now: number): boolean {
  return metadata.deletionTimestamp !== undefined && now > Date.parse(metadata.deletionTimestamp) + leeway * 1000;
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
