/** The Node authorizer: a kubelet may read and write what belongs to its node and to the pods on it. */
import { parseFieldSelector, quote } from "@capstan/model";
import type { Lookup } from "../../builtin/context.ts";
import type { AccessAttributes, Authorizer, Decision, ResourceAccess } from "../authorizer.ts";
import { ruleAllows } from "../rbac/policy-rule.ts";
import { nodeNameOf } from "./node-name.ts";
import { nodeRules } from "./node-rules.ts";
import { isRelated, type RelatedResource } from "./related.ts";

export function nodeAuthorizer(lookup: Lookup): Authorizer {
  return {
    name: "node",
    authorize: (asked) => decide(asked, lookup),
    unlistedRules: (user) =>
      nodeNameOf(user) === undefined ? undefined : "node authorizer does not support user rule resolution",
  };
}

const allow: Decision = { verdict: "Allow", reason: "" };

function deny(reason = ""): Decision {
  return { verdict: "NoOpinion", reason };
}

function decide(asked: AccessAttributes, lookup: Lookup): Decision {
  const node = nodeNameOf(asked.user);
  if (node === undefined) return deny();
  if (node === "") return deny(`unknown node for user ${quote(asked.user.name)}`);
  if (asked.type === "resource") {
    const decided = decideResource({ node, asked, lookup });
    if (decided !== undefined) return decided;
  }
  return allowIf(nodeRules.some((rule) => ruleAllows(rule, asked)));
}

function allowIf(isAllowed: boolean): Decision {
  return isAllowed ? allow : deny();
}

interface Question {
  readonly node: string;
  readonly asked: ResourceAccess;
  readonly lookup: Lookup;
}

/** `undefined` for resources on which all nodes have the same rights. */
function decideResource(question: Question): Decision | undefined {
  const { group, resource } = question.asked;
  return deciders.get(group === "" ? resource : `${resource}.${group}`)?.(question);
}

const deciders: ReadonlyMap<string, (question: Question) => Decision> = new Map([
  ["secrets", (question) => decideRead(question, "secrets")],
  ["configmaps", (question) => decideRead(question, "configmaps")],
  ["persistentvolumeclaims", decideClaim],
  ["persistentvolumes", (question) => decideGet(question, "persistentvolumes")],
  ["resourceclaims.resource.k8s.io", (question) => decideGet(question, "resourceclaims")],
  ["volumeattachments.storage.k8s.io", (question) => decideGet(question, "volumeattachments")],
  ["serviceaccounts", decideServiceAccount],
  ["leases.coordination.k8s.io", decideLease],
  ["csinodes.storage.k8s.io", decideCsiNode],
  ["resourceslices.resource.k8s.io", decideResourceSlice],
  ["nodes", decideNode],
  ["pods", decidePod],
]);

function decideRelated({ node, asked, lookup }: Question, resource: RelatedResource): Decision {
  const { namespace, name } = asked;
  if (name === "") return deny("No Object name found");
  return isRelated(node, { resource, namespace, name }, lookup) ? allow : unrelated(node);
}

function unrelated(node: string): Decision {
  return deny(`no relationship found between node '${node}' and this object`);
}

function decideGet(question: Question, resource: RelatedResource): Decision {
  const { verb, subresource } = question.asked;
  if (verb !== "get") return deny("can only get individual resources of this type");
  if (subresource !== "") return deny("cannot get subresource");
  return decideRelated(question, resource);
}

const readVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"]);

function decideRead(question: Question, resource: RelatedResource): Decision {
  const { verb, subresource, namespace } = question.asked;
  if (!readVerbs.has(verb)) return deny("can only read resources of this type");
  if (subresource !== "") return deny("cannot read subresource");
  if (namespace === "") return deny("can only read namespaced object of this type");
  return decideRelated(question, resource);
}

function decideClaim(question: Question): Decision {
  const { verb, subresource } = question.asked;
  if (subresource !== "status") return decideGet(question, "persistentvolumeclaims");
  if (verb !== "update" && verb !== "patch") return deny("can only get/update/patch this type");
  return decideRelated(question, "persistentvolumeclaims");
}

function decideServiceAccount(question: Question): Decision {
  const { verb, subresource, name, namespace } = question.asked;
  if (verb === "get" && subresource === "") return decideRead(question, "serviceaccounts");
  if (verb !== "create" || name === "") return deny("can only create tokens for individual service accounts");
  if (subresource !== "token") return deny("can only create token subresource of serviceaccount");
  const { node, lookup } = question;
  return isRelated(node, { resource: "serviceaccounts", namespace, name }, lookup) ? allow : unrelated(node);
}

const ownVerbs: ReadonlySet<string> = new Set(["get", "create", "update", "patch", "delete"]);

/** On create, the name is not known yet; the admission step NodeRestriction checks it. */
function decideLease({ node, asked: { verb, namespace, name } }: Question): Decision {
  if (!ownVerbs.has(verb)) return deny("can only get, create, update, patch, or delete a node lease");
  if (namespace !== "kube-node-lease") return deny('can only access leases in the "kube-node-lease" system namespace');
  if (verb !== "create" && name !== node) {
    return deny("can only access node lease with the same name as the requesting node");
  }
  return allow;
}

function decideCsiNode({ node, asked: { verb, subresource, name } }: Question): Decision {
  if (!ownVerbs.has(verb)) return deny("can only get, create, update, patch, or delete a CSINode");
  if (subresource !== "") return deny("cannot authorize CSINode subresources");
  if (verb !== "create" && name !== node) {
    return deny("can only access CSINode with the same name as the requesting node");
  }
  return allow;
}

function decideResourceSlice(question: Question): Decision {
  const { node, asked } = question;
  if (asked.subresource !== "") return deny("cannot authorize ResourceSlice subresources");
  switch (asked.verb) {
    case "create":
      return allow;
    case "get":
    case "update":
    case "patch":
    case "delete":
      return decideRelated(question, "resourceslices");
    case "watch":
    case "list":
    case "deletecollection":
      if (selects(asked, node)) return allow;
      return deny("can only list/watch/deletecollection resourceslices with nodeName field selector");
    default: {
      const verbs = "get, watch, list, create, update, patch, delete, deletecollection";
      return deny(`only the following verbs are allowed for a ResourceSlice: ${verbs}`);
    }
  }
}

/** A kubelet reads its own Node before that exists, so the name alone decides. */
function decideNode({ node, asked: { verb, subresource, name } }: Question): Decision {
  if (subresource === "status") return allowIf(verb === "update" || verb === "patch");
  if (subresource !== "") return deny();
  if (verb === "create" || verb === "update" || verb === "patch") return allow;
  if (!readVerbs.has(verb)) return deny();
  if (name === node) return allow;
  if (name === "") return deny(`node '${node}' cannot read all nodes, only its own Node object`);
  return deny(`node '${node}' cannot read '${name}', only its own Node object`);
}

/** The admission step NodeRestriction limits writes to the pods of the node. */
function decidePod(question: Question): Decision {
  const { node, asked } = question;
  const { verb, subresource, name } = asked;
  if (subresource === "status") return allowIf(verb === "update" || verb === "patch");
  if (subresource === "eviction") return allowIf(verb === "create");
  if (subresource !== "") return deny();
  if (verb === "create" || verb === "delete") return allow;
  if (verb === "get") return decideRelated(question, "pods");
  if (verb !== "list" && verb !== "watch") return deny();
  if (selects(asked, node)) return allow;
  if (name !== "") return decideRelated(question, "pods");
  return deny("can only list/watch pods with spec.nodeName field selector");
}

/** Whether the field selector requires the node. */
function selects({ fieldSelector = "" }: ResourceAccess, node: string): boolean {
  try {
    return parseFieldSelector(fieldSelector).some(
      ({ field, operator, value }) => field === "spec.nodeName" && operator === "=" && value === node,
    );
  } catch {
    return false;
  }
}
