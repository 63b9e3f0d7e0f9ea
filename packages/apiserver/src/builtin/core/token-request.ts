/** TokenRequest: a token for a service account, with audiences, an expiration and an optional bound object. */
import type { TokenRequest } from "@capstan/kinds/authentication.k8s.io/v1";
import type { Pod, ServiceAccount } from "@capstan/kinds/v1";
import {
  apiErrors,
  fieldErrors,
  formatTime,
  parseApiVersion,
  parseTime,
  toMilliseconds,
  type FieldError,
  type KubeObject,
} from "@capstan/model";
import {
  issueToken,
  type BoundObject,
  type TokenAuthority,
  type TokenWish,
} from "../../authenticate/service-account.ts";
import type { RuleContext } from "../context.ts";
import type { Draft } from "../draft.ts";
import { isEmpty } from "../meta/checks.ts";
import type { Action, ActionRules } from "../rules.ts";

const kind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" } as const;
const shortest = 10 * 60;
const longest = 2 ** 32;

/** The subresource `token` of a service account. */
export const tokenRules: ActionRules<ServiceAccount> = {
  type: "action",
  kind,
  defaults(body) {
    const request = body as Draft<TokenRequest>;
    request.spec ??= { audiences: [] };
    request.spec.expirationSeconds ??= 3600;
  },
  check: checkIdentity,
  complete,
  run: (action) => answer(action),
};

/** Name and namespace of the body must match the path. */
function checkIdentity({ body: { metadata }, name, context }: Pick<Asked, "body" | "name" | "context">): void {
  const refuse = (field: string, value: string, what: string): never => {
    const why = `must match the service account ${what} if specified`;
    throw apiErrors.invalid(kind, name, [fieldErrors.invalid(`metadata.${field}`, value, why)]);
  };
  if (!isEmpty(metadata.name) && metadata.name !== name) refuse("name", metadata.name, "name");
  if (!isEmpty(metadata.namespace) && metadata.namespace !== context.namespace) {
    refuse("namespace", metadata.namespace, "namespace");
  }
}

type Asked = Action<ServiceAccount>;

/** Fills in metadata and default audiences from the service account. */
function complete({ object: { metadata: account }, body, context, name }: Asked): void {
  const { uid = "" } = body.metadata;
  if (uid !== "" && uid !== account.uid) {
    const why = `the UID in the token request (${uid}) does not match the UID of the service account (${account.uid})`;
    throw apiErrors.conflict({ group: kind.group, resource: kind.kind }, name, why);
  }
  const request = body as Draft<TokenRequest>;
  const { audiences = [] } = (request.spec ??= { audiences: [] });
  if ((audiences ?? []).length === 0) request.spec.audiences = [...context.access.tokens().audiences];
  const { managedFields, generateName, ...given } = body.metadata;
  const prefix = generateName === undefined ? {} : { generateName };
  const own = { name, ...prefix, namespace: account.namespace, uid: account.uid, creationTimestamp: context.now };
  Object.assign(request, { metadata: { ...own, ...given, ...own, ...(managedFields && { managedFields }) } });
  const errors = checkDuration(request.spec.expirationSeconds ?? 0);
  if (errors.length > 0) throw apiErrors.invalid(kind, "", errors);
}

function answer({ object: account, body, context }: Asked): KubeObject {
  const request = body as TokenRequest;
  const authority = context.access.tokens();
  const wish = toWish(request, account, { authority, context });
  const { token, credentialId } = issueToken(wish, authority);
  context.annotate("authentication.kubernetes.io/issued-credential-id", credentialId);
  return toAnswer(request, wish, token, context);
}

function checkDuration(seconds: number): FieldError[] {
  const path = "spec.expirationSeconds";
  if (seconds < shortest) {
    return [fieldErrors.invalid(path, seconds, "may not specify a duration less than 10 minutes")];
  }
  if (seconds <= longest) return [];
  return [fieldErrors.invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")];
}

interface Issuing {
  readonly authority: TokenAuthority;
  readonly context: RuleContext;
}

function toWish(
  { spec = { audiences: [] } }: TokenRequest,
  account: ServiceAccount,
  { authority, context }: Issuing,
): TokenWish {
  const audiences = (spec.audiences ?? []).length > 0 ? (spec.audiences ?? []) : authority.audiences;
  const wish = { account, audiences, seconds: spec.expirationSeconds ?? 0 };
  // Go encodes a missing reference as null.
  if (spec.boundObjectRef === undefined || spec.boundObjectRef === null) return wish;
  const { bound, pod } = findBound(spec.boundObjectRef, account, context);
  return { ...wish, bound, node: nodeOf(pod, context) };
}

type Reference = NonNullable<NonNullable<TokenRequest["spec"]>["boundObjectRef"]>;

const boundResources: Readonly<Record<string, "pods" | "secrets" | "nodes">> = {
  Pod: "pods",
  Secret: "secrets",
  Node: "nodes",
};

function findBound(
  reference: Reference,
  { metadata: account }: ServiceAccount,
  { lookup, namespace }: RuleContext,
): { bound: BoundObject; pod: Pod | undefined } {
  const { kind: boundKind = "", name = "", uid: wanted = "" } = reference;
  const resource = resourceOf(reference);
  if (name === "") throw apiErrors.badRequest("Name parameter required.");
  const found = lookup.get(resource, name, resource === "nodes" ? undefined : namespace);
  if (found === undefined) throw apiErrors.notFound({ group: "", resource }, name);
  const pod = resource === "pods" ? (found as Pod) : undefined;
  if (pod !== undefined && pod.spec?.serviceAccountName !== account.name) {
    throw apiErrors.badRequest(
      `cannot bind token for serviceaccount "${account.name}" to pod running with different serviceaccount name.`,
    );
  }
  const uid = found.metadata.uid ?? "";
  if (wanted !== "" && wanted !== uid) {
    const why = `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw apiErrors.conflict({ group: "", resource: boundKind }, name, why);
  }
  return { bound: { kind: boundKind as BoundObject["kind"], name, uid }, pod };
}

function resourceOf({ kind: boundKind = "", apiVersion = "" }: Reference): "pods" | "secrets" | "nodes" {
  const { group, version } = declaredVersion(apiVersion);
  const resource = group === "" && Object.hasOwn(boundResources, boundKind) ? boundResources[boundKind] : undefined;
  if (resource !== undefined) return resource;
  throw apiErrors.badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${boundKind}`);
}

/** Go takes an apiVersion that cannot be parsed for an empty one. */
function declaredVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  return apiVersion.split("/").length > 2 || apiVersion === ""
    ? { group: "", version: "" }
    : parseApiVersion(apiVersion);
}

function nodeOf(pod: Pod | undefined, { lookup }: RuleContext): TokenWish["node"] {
  const name = pod?.spec?.nodeName;
  if (isEmpty(name)) return undefined;
  const uid = lookup.get("nodes", name)?.metadata.uid;
  return uid === undefined ? { name } : { name, uid };
}

function toAnswer(request: TokenRequest, wish: TokenWish, token: string, { now }: RuleContext): KubeObject {
  const expires = formatTime(toMilliseconds(parseTime(now)) + wish.seconds * 1000);
  return { ...request, status: { token, expirationTimestamp: expires } } as KubeObject;
}
