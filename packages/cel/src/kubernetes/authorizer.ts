/** The authorizer that policies may call: `authorizer.group('apps').resource('deployments').check('create').allowed()`. */

import type { Implementation } from "../check/declarations.ts";
import { member } from "../check/declarations.ts";
import type { Library } from "../library/library.ts";
import { BOOL, objectType, STRING, type Type } from "../type.ts";
import type { CelValue, CelError } from "../values/value.ts";
import { CelObject, fail, noSuchOverload } from "../values/value.ts";
import { dnsLabel, dnsSubdomain } from "./names.ts";

/** The type of the variable `authorizer`. */
export const AUTHORIZER: Type = objectType("kubernetes.authorization.Authorizer");
export const PATH_CHECK: Type = objectType("kubernetes.authorization.PathCheck");
export const GROUP_CHECK: Type = objectType("kubernetes.authorization.GroupCheck");
/** The type of `authorizer.requestResource`. */
export const RESOURCE_CHECK: Type = objectType("kubernetes.authorization.ResourceCheck");
export const DECISION: Type = objectType("kubernetes.authorization.Decision");

/** A resource, whether or not it exists. */
export interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

/** The check: whether this user may do this to a resource or a path. */
export interface AuthorizationQuestion {
  /** The user of the request, or the service account that the expression names. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly verb: string;
  readonly path?: string;
  readonly resource?: ResourceAttributes;
}

/** The decision. */
export interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  /** Why the question could not be decided. */
  readonly error?: string;
}

/** Decides; passed in by the caller of the evaluation. */
export type Authorize = (question: AuthorizationQuestion) => AuthorizationAnswer;

/** Values that only functions can use; they cannot be compared. */
abstract class ReceiverOnly extends CelObject {
  override equals(): CelError {
    return noSuchOverload();
  }
}

type Identity = Pick<AuthorizationQuestion, "serviceAccount">;

/** The value of the variable `authorizer`. */
export class CelAuthorizer extends ReceiverOnly {
  override readonly type: Type = AUTHORIZER;
  readonly authorize: Authorize;
  readonly identity: Identity;
  constructor(authorize: Authorize, identity: Identity = {}) {
    super();
    this.authorize = authorize;
    this.identity = identity;
  }
}

class PathCheck extends ReceiverOnly {
  override readonly type: Type = PATH_CHECK;
  readonly authorizer: CelAuthorizer;
  readonly path: string;
  constructor(authorizer: CelAuthorizer, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck extends ReceiverOnly {
  override readonly type: Type = GROUP_CHECK;
  readonly authorizer: CelAuthorizer;
  readonly group: string;
  constructor(authorizer: CelAuthorizer, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

/** The value of `authorizer.requestResource`, and of what the builder functions make. */
export class CelResourceCheck extends ReceiverOnly {
  override readonly type: Type = RESOURCE_CHECK;
  readonly authorizer: CelAuthorizer;
  readonly attributes: ResourceAttributes;
  constructor(authorizer: CelAuthorizer, attributes: ResourceAttributes) {
    super();
    this.authorizer = authorizer;
    this.attributes = attributes;
  }
}

class Decision extends ReceiverOnly {
  override readonly type: Type = DECISION;
  readonly answer: AuthorizationAnswer;
  constructor(answer: AuthorizationAnswer) {
    super();
    this.answer = answer;
  }
}

const path: Implementation = (authorizer, text) =>
  (text as string).trim() === ""
    ? fail("path must not be empty")
    : new PathCheck(authorizer as CelAuthorizer, text as string);

const serviceAccount: Implementation = (authorizer, namespace, name) => {
  if (dnsSubdomain(name as string).length > 0) return fail("Invalid service account name");
  if (dnsLabel(namespace as string).length > 0) return fail("Invalid service account namespace");
  const identity = { serviceAccount: { namespace: namespace as string, name: name as string } };
  return new CelAuthorizer((authorizer as CelAuthorizer).authorize, identity);
};

const resource: Implementation = (check, text) => {
  if ((text as string).trim() === "") return fail("resource must not be empty");
  const { authorizer, group } = check as GroupCheck;
  const rest = { subresource: "", namespace: "", name: "", fieldSelector: "", labelSelector: "" };
  return new CelResourceCheck(authorizer, { group, resource: text as string, ...rest });
};

function withAttribute(attribute: keyof ResourceAttributes): Implementation {
  return (check, text) => {
    const { authorizer, attributes } = check as CelResourceCheck;
    return new CelResourceCheck(authorizer, { ...attributes, [attribute]: text as string });
  };
}

const checkPath: Implementation = (check, verb) => {
  const { authorizer, path: checked } = check as PathCheck;
  return new Decision(authorizer.authorize({ ...authorizer.identity, verb: verb as string, path: checked }));
};

const checkResource: Implementation = (check, verb) => {
  const { authorizer, attributes } = check as CelResourceCheck;
  return new Decision(authorizer.authorize({ ...authorizer.identity, verb: verb as string, resource: attributes }));
};

function answerOf(decision: CelValue | undefined): AuthorizationAnswer {
  return (decision as Decision).answer;
}

function builder(name: string, id: string, implementation: Implementation): NonNullable<Library["functions"]>[number] {
  return { name, overloads: [member(id, [RESOURCE_CHECK, STRING], RESOURCE_CHECK, implementation)] };
}

export const AUTHORIZER_LIBRARY: Library = {
  name: "kubernetes.authz",
  functions: [
    { name: "path", overloads: [member("authorizer_path", [AUTHORIZER, STRING], PATH_CHECK, path)] },
    {
      name: "group",
      overloads: [
        member(
          "authorizer_group",
          [AUTHORIZER, STRING],
          GROUP_CHECK,
          (a, text) => new GroupCheck(a as CelAuthorizer, text as string),
        ),
      ],
    },
    {
      name: "serviceAccount",
      overloads: [member("authorizer_serviceaccount", [AUTHORIZER, STRING, STRING], AUTHORIZER, serviceAccount)],
    },
    { name: "resource", overloads: [member("groupcheck_resource", [GROUP_CHECK, STRING], RESOURCE_CHECK, resource)] },
    builder("subresource", "resourcecheck_subresource", withAttribute("subresource")),
    builder("namespace", "resourcecheck_namespace", withAttribute("namespace")),
    builder("name", "resourcecheck_name", withAttribute("name")),
    {
      name: "check",
      overloads: [
        member("pathcheck_check", [PATH_CHECK, STRING], DECISION, checkPath),
        member("resourcecheck_check", [RESOURCE_CHECK, STRING], DECISION, checkResource),
      ],
    },
    {
      name: "errored",
      overloads: [member("decision_errored", [DECISION], BOOL, (d) => answerOf(d).error !== undefined)],
    },
    { name: "error", overloads: [member("decision_error", [DECISION], STRING, (d) => answerOf(d).error ?? "")] },
    { name: "allowed", overloads: [member("decision_allowed", [DECISION], BOOL, (d) => answerOf(d).allowed)] },
    { name: "reason", overloads: [member("decision_reason", [DECISION], STRING, (d) => answerOf(d).reason)] },
  ],
};

/** Field and label selectors in checks. */
export const AUTHORIZER_SELECTORS: Library = {
  name: "kubernetes.authzSelectors",
  functions: [
    builder("fieldSelector", "authorizer_fieldselector", withAttribute("fieldSelector")),
    builder("labelSelector", "authorizer_labelselector", withAttribute("labelSelector")),
  ],
};
