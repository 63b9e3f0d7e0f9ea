/** The variables of admission expressions: object, request, namespace and authorizer. */
import {
  AUTHORIZER,
  CelAuthorizer,
  CelResourceCheck,
  createEnv,
  declList,
  declMap,
  declObject,
  declScalar,
  declTypeProvider,
  DYN,
  fromJson,
  kubernetesOptions,
  RESOURCE_CHECK,
  type Authorize,
  type CelResult,
  type DeclObject,
  type DeclType,
  type Env,
  type Json,
} from "@capstan/cel";
import type { KubeObject } from "@capstan/model";
import type { UserInfo } from "../../authenticate/user.ts";
import type { Authorizer } from "../../authorize/authorizer.ts";
import type { AdmissionRequest, ServedKind } from "../admission.ts";

const text = declScalar("string");

function objectOf(
  name: string,
  fields: { readonly [field: string]: DeclType },
  required: readonly string[],
): DeclObject {
  const wanted = new Set(required);
  const entries = Object.entries(fields).map(
    ([property, type]) => [property, { property, type, required: wanted.has(property) }] as const,
  );
  return declObject(name, new Map(entries));
}

const kindType = objectOf("kubernetes.GroupVersionKind", { group: text, version: text, kind: text }, [
  "group",
  "version",
  "kind",
]);
const resourceType = objectOf("kubernetes.GroupVersionResource", { group: text, version: text, resource: text }, [
  "group",
  "version",
  "resource",
]);
const userType = objectOf(
  "kubernetes.UserInfo",
  { username: text, uid: text, groups: declList(text), extra: declMap(declList(text)) },
  [],
);
const requestType = objectOf(
  "kubernetes.AdmissionRequest",
  {
    kind: kindType,
    resource: resourceType,
    subResource: text,
    requestKind: kindType,
    requestResource: resourceType,
    requestSubResource: text,
    name: text,
    namespace: text,
    operation: text,
    userInfo: userType,
    dryRun: declScalar("bool"),
    options: declScalar("dyn"),
  },
  ["kind", "resource", "requestKind", "requestResource", "name", "operation", "userInfo"],
);

const time = declScalar("date-time");
const conditionFields = { status: text, type: text, lastTransitionTime: time, message: text, reason: text };
const metadataFields = {
  name: text,
  generateName: text,
  namespace: text,
  labels: declMap(text),
  annotations: declMap(text),
  UID: text,
  creationTimestamp: time,
  deletionGracePeriodSeconds: declScalar("int"),
  deletionTimestamp: time,
  generation: declScalar("int"),
  resourceVersion: text,
  finalizers: declList(text),
};

function allRequired(name: string, fields: { readonly [field: string]: DeclType }): DeclObject {
  return objectOf(name, fields, Object.keys(fields));
}

const namespaceType = allRequired("kubernetes.Namespace", {
  metadata: allRequired("kubernetes.NamespaceMetadata", metadataFields),
  spec: allRequired("kubernetes.NamespaceSpec", { finalizers: declList(text) }),
  status: allRequired("kubernetes.NamespaceStatus", {
    conditions: declList(allRequired("kubernetes.NamespaceCondition", conditionFields)),
    phase: text,
  }),
});

let made: Env | undefined;
let madeForMessages: Env | undefined;

/** The environment of message expressions, which has no authorizer. Creating it is expensive, so it is cached. */
export function messageEnv(): Env {
  return (madeForMessages ??= createEnv({
    ...kubernetesOptions(),
    variables: {
      object: DYN,
      oldObject: DYN,
      namespaceObject: namespaceType.type,
      request: requestType.type,
    },
    types: [declTypeProvider(requestType, namespaceType)],
  }));
}

/** The environment of match conditions; policies extend it by their parameters and variables. */
export function admissionEnv(): Env {
  return (made ??= messageEnv().extend({
    variables: { authorizer: AUTHORIZER, "authorizer.requestResource": RESOURCE_CHECK },
  }));
}

/** The inputs of the variables. */
export interface Scene {
  readonly request: AdmissionRequest;
  /** The version in which expressions see the object. */
  readonly form: ServedKind;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly authorizer: Authorizer;
  readonly namespaceObject?: KubeObject | undefined;
}

/** The values of the variables. */
export function admissionVariables(scene: Scene): Map<string, CelResult> {
  const { request, object, oldObject, namespaceObject } = scene;
  const authorizer = new CelAuthorizer(authorizeAs(request.user, scene.authorizer));
  const { resource, subresource, namespace, name } = request;
  const attributes = { group: resource.group, resource: resource.resource, subresource, namespace, name };
  return new Map<string, CelResult>([
    ["object", fromJson(toJson(object))],
    ["oldObject", fromJson(toJson(oldObject))],
    ["request", fromJson(describeRequest(scene), requestType)],
    ["namespaceObject", namespaceObject === undefined ? null : fromJson(toJson(namespaceObject), namespaceType)],
    ["authorizer", authorizer],
    [
      "authorizer.requestResource",
      new CelResourceCheck(authorizer, { ...attributes, fieldSelector: "", labelSelector: "" }),
    ],
  ]);
}

function toJson(object: KubeObject | undefined): Json | undefined {
  return object as unknown as Json | undefined;
}

function describeRequest({ request, form }: Scene): Json {
  const { kind, resource, subresource, name, namespace, operation, user, dryRun, options } = request;
  const sub = subresource === "" ? {} : { subResource: subresource, requestSubResource: subresource };
  return {
    kind: { ...form.kind },
    resource: { group: form.group, version: form.version, resource: form.resource },
    requestKind: { ...kind },
    requestResource: { ...resource },
    ...sub,
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: describeUser(user),
    dryRun,
    options: options as unknown as Json,
  };
}

/** A user in the form of reviews and expressions. */
export function describeUser({ name, uid, groups, extra }: UserInfo): { [field: string]: Json } {
  return {
    username: name,
    ...(uid === undefined || uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function authorizeAs(user: UserInfo, authorizer: Authorizer): Authorize {
  return ({ serviceAccount, verb, path, resource }) => {
    const asker = serviceAccount === undefined ? user : accountUser(serviceAccount);
    const decision = authorizer.authorize(
      resource === undefined
        ? { type: "path", user: asker, verb, path: path ?? "" }
        : { type: "resource", user: asker, verb, version: "*", ...withoutEmptySelectors(resource) },
    );
    if (decision instanceof Promise) return { allowed: false, reason: "", error: "the authorizer has to wait" };
    return { allowed: decision.verdict === "Allow", reason: decision.reason };
  };
}

function accountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}

interface Selecting {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

function withoutEmptySelectors({ fieldSelector, labelSelector, ...rest }: Selecting) {
  return {
    ...rest,
    ...(fieldSelector === "" ? {} : { fieldSelector }),
    ...(labelSelector === "" ? {} : { labelSelector }),
  };
}
