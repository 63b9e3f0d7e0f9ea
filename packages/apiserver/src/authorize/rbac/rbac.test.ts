import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@capstan/model";
import type { UserInfo } from "../../authenticate/user.ts";
import type { Lookup } from "../../builtin/context.ts";
import { systemClock } from "../../clock.ts";
import type { AccessAttributes } from "../authorizer.ts";
import { rbacAuthorizer } from "./authorizer.ts";
import { bootstrapObjects } from "../../bootstrap.ts";
import { escalationProblem, fullAuthority } from "./escalation.ts";
import { describeRule, uncovered } from "./policy-rule.ts";

const policy = Object.groupBy(
  [...bootstrapObjects({ clock: systemClock, randomness: { uuid: () => "", below: () => 0 } })],
  ([resource]) => resource,
);
const lookup: Lookup = {
  get: (resource, name, namespace) =>
    policy[resource]?.find(
      ([, { metadata }]) => metadata.name === name && (namespace === undefined || metadata.namespace === namespace),
    )?.[1],
  list: (resource, namespace) =>
    (policy[resource] ?? [])
      .map(([, object]) => object)
      .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
};
const user = (name: string, ...groups: string[]): UserInfo => ({ name, groups: [...groups, "system:authenticated"] });
const ask = (who: UserInfo, verb: string, resource: string, more: Partial<AccessAttributes> = {}): AccessAttributes =>
  ({
    type: "resource",
    user: who,
    verb,
    group: "",
    version: "v1",
    resource,
    subresource: "",
    namespace: "",
    name: "",
    ...more,
  }) as AccessAttributes;

const scheduler = user("system:kube-scheduler");

test("a bound rule allows, and the reason names the binding", async () => {
  assert.deepEqual(
    await rbacAuthorizer(lookup).authorize(ask(scheduler, "create", "pods", { subresource: "binding" })),
    {
      verdict: "Allow",
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:kube-scheduler" of ClusterRole "system:kube-scheduler" to User "system:kube-scheduler"',
    },
  );
});

test("without a rule there is no opinion", async () => {
  assert.deepEqual(await rbacAuthorizer(lookup).authorize(ask(user("eve"), "list", "secrets")), {
    verdict: "NoOpinion",
    reason: "",
  });
});

test("role bindings count in their namespace only", async () => {
  const asked = (namespace: string): AccessAttributes =>
    ask(scheduler, "get", "configmaps", { namespace, name: "extension-apiserver-authentication" });
  const authorizer = rbacAuthorizer(lookup);
  assert.equal((await authorizer.authorize(asked("kube-system"))).verdict, "Allow");
  assert.equal((await authorizer.authorize(asked("default"))).verdict, "NoOpinion");
});

test("paths match exactly or by prefix", async () => {
  const authorizer = rbacAuthorizer(lookup);
  const path = (wanted: string): AccessAttributes => ({ type: "path", user: user("eve"), verb: "get", path: wanted });
  assert.equal((await authorizer.authorize(path("/apis/apps"))).verdict, "Allow");
  assert.equal((await authorizer.authorize(path("/metrics"))).verdict, "NoOpinion");
});

test("a binding to a missing role is reported", async () => {
  const binding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "b" },
    subjects: [{ kind: "User", name: "eve" }],
    roleRef: { kind: "ClusterRole", name: "gone" },
  } as KubeObject;
  const broken: Lookup = {
    get: () => undefined,
    list: (resource) => (resource.startsWith("clusterrolebindings") ? [binding] : []),
  };
  assert.deepEqual(await rbacAuthorizer(broken).authorize(ask(user("eve"), "get", "pods")), {
    verdict: "NoOpinion",
    reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
  });
});

test("a user cannot grant permissions that it does not hold", () => {
  const rules = [{ verbs: ["get", "list"], apiGroups: [""], resources: ["secrets"] }];
  assert.equal(
    escalationProblem(user("eve"), "", rules, lookup),
    'user "eve" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
  );
  assert.equal(escalationProblem(user("root", "system:masters"), "", fullAuthority, lookup), undefined);
});

test("rules cover rules by verb, group, resource, name and path", () => {
  const all = [{ verbs: ["get"], apiGroups: [""], resources: ["pods", "*/scale"], resourceNames: ["a", "b"] }];
  assert.deepEqual(
    uncovered(all, [
      { verbs: ["get"], apiGroups: [""], resources: ["pods", "deployments/scale"], resourceNames: ["a"] },
    ]),
    [],
  );
  assert.equal(uncovered(all, [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }]).length, 1);
  assert.equal(
    uncovered(all, [{ verbs: ["*"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] }]).length,
    1,
  );
  assert.deepEqual(
    uncovered([{ verbs: ["get"], nonResourceURLs: ["/a/*"] }], [{ verbs: ["get"], nonResourceURLs: ["/a/b"] }]),
    [],
  );
  assert.equal(describeRule({ verbs: ["get"], nonResourceURLs: ["/x"] }), '{NonResourceURLs:["/x"], Verbs:["get"]}');
});
