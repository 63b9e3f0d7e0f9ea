/** Validation of webhook configurations and admission policies. */
import { defineTopic, patch, post } from "../../case.ts";
import { creates, life } from "./variants.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const rule = { operations: ["CREATE"], apiGroups: ["example.com"], apiVersions: ["v1"], resources: ["foos"] };
const hook = {
  name: "a.example.com",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  clientConfig: { url: "https://example.com/x" },
  rules: [rule],
};
const validating = {
  path: `${group}/validatingwebhookconfigurations`,
  base: { metadata: { name: "{ns}-a" }, webhooks: [hook] },
};
const mutating = {
  path: `${group}/mutatingwebhookconfigurations`,
  base: { metadata: { name: "{ns}-a" }, webhooks: [hook] },
};
const policy = {
  path: `${group}/validatingadmissionpolicies`,
  base: {
    metadata: { name: "{ns}-a" },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: "object.spec.x > 0" }] },
  },
};
const mutation = { patchType: "JSONPatch", jsonPatch: { expression: '[JSONPatch{op: "add", path: "/x", value: 1}]' } };
const mutatingPolicy = {
  path: `${group}/mutatingadmissionpolicies`,
  base: {
    metadata: { name: "{ns}-a" },
    spec: { matchConstraints: { resourceRules: [rule] }, mutations: [mutation], reinvocationPolicy: "Never" },
  },
};
const binding = {
  path: `${group}/validatingadmissionpolicybindings`,
  base: { metadata: { name: "{ns}-a" }, spec: { policyName: "p", validationActions: ["Deny"] } },
};
const mutatingBinding = {
  path: `${group}/mutatingadmissionpolicybindings`,
  base: { metadata: { name: "{ns}-a" }, spec: { policyName: "p" } },
};

const ofHook = {
  "refuses nothing": { "webhooks/0": {} },
  "needs no webhooks": { webhooks: undefined },
  "refuses names": { "webhooks/0/name": "a.b" },
  "refuses bad names": { "webhooks/0/name": "A_.b.c" },
  "refuses a name twice": { webhooks: [hook, hook] },
  "refuses policies": { "webhooks/0/failurePolicy": "Foo", "webhooks/0/matchPolicy": "Foo" },
  "refuses side effects": { "webhooks/0/sideEffects": "Some" },
  "refuses a timeout": { "webhooks/0/timeoutSeconds": 31 },
  "refuses versions": { "webhooks/0/admissionReviewVersions": ["v2", "v2", "A_"] },
  "refuses no versions": { "webhooks/0/admissionReviewVersions": [] },
  "refuses selectors": {
    "webhooks/0/namespaceSelector": { matchExpressions: [{ key: "a", operator: "Foo" }] },
    "webhooks/0/objectSelector": { matchLabels: { "a b": "" } },
  },
  "takes a service": { "webhooks/0/clientConfig": { service: { name: "s", namespace: "n", path: "/x" } } },
  "refuses a service": {
    "webhooks/0/clientConfig": { service: { name: "", namespace: "", path: "x//A_", port: 70000 } },
  },
  "refuses half a service": { "webhooks/0/clientConfig": { service: { name: "s", namespace: "" } } },
  "refuses both": { "webhooks/0/clientConfig": { url: "https://x", service: { name: "s", namespace: "n" } } },
  "refuses a URL": { "webhooks/0/clientConfig/url": "http://u:p@x/y?a=b#c" },
  "refuses no host": { "webhooks/0/clientConfig/url": "https:///y" },
  "refuses an empty rule": { "webhooks/0/rules": [{}] },
  "refuses rules": {
    "webhooks/0/rules": [
      {
        operations: ["*", "Foo"],
        apiGroups: ["*", "a"],
        apiVersions: ["*", ""],
        resources: ["*/*", "a"],
        scope: "Foo",
      },
      { ...rule, resources: ["a/*", "a/b", "*/b", "c/b", "", "*", "d"] },
    ],
  },
  "takes conditions": { "webhooks/0/matchConditions": [{ name: "a", expression: "request.name == 'x'" }] },
  "refuses conditions": {
    "webhooks/0/matchConditions": [
      { name: "a b", expression: "1" },
      { name: "", expression: "" },
      { name: "c", expression: "foo ==" },
      { name: "c", expression: "params.x" },
    ],
  },
  "refuses a name of its own": { "metadata/name": "A_b" },
  "warns of a name": { "metadata/name": "a.static.k8s.io" },
};

const ofPolicy = {
  "refuses nothing": { spec: {} },
  "refuses a failure policy": { "spec/failurePolicy": "Foo" },
  "takes a kind of parameters": { "spec/paramKind": { apiVersion: "example.com/v1", kind: "Foo" } },
  "refuses a kind of parameters": { "spec/paramKind": { apiVersion: "A_/1", kind: "A_" } },
  "refuses a version of parameters": { "spec/paramKind": { apiVersion: "a/b/c" } },
  "refuses no rules": { "spec/matchConstraints": {} },
  "refuses constraints": {
    "spec/matchConstraints": {
      matchPolicy: "Foo",
      resourceRules: [{ ...rule, resourceNames: ["a/b", "c", "c"] }],
      excludeResourceRules: [{}],
    },
  },
  "refuses conditions": { "spec/matchConditions": [{ name: "a", expression: "params.x == 1" }] },
  "takes variables": {
    "spec/variables": [
      { name: "x", expression: "object.x" },
      { name: "y", expression: "variables.x + 1" },
    ],
  },
  "refuses variables": {
    "spec/variables": [
      { name: "a b", expression: "1" },
      { name: "if", expression: "" },
      { name: "z", expression: "variables.nope" },
    ],
  },
};

export const admission = defineTopic("kinds-admission", {
  ...life("ValidatingWebhookConfiguration", validating),
  ...creates("ValidatingWebhookConfiguration", validating, ofHook),
  ...life("MutatingWebhookConfiguration", mutating),
  ...creates("MutatingWebhookConfiguration", mutating, {
    ...ofHook,
    "refuses an invocation": { "webhooks/0/reinvocationPolicy": "Foo" },
  }),
  "webhook configurations: change": [
    post(validating.path, validating.base, { quiet: true }),
    patch("merge", `${validating.path}/{ns}-a`, { webhooks: [{ ...hook, timeoutSeconds: 5 }] }),
    patch("merge", `${validating.path}/{ns}-a`, { webhooks: [{ ...hook, sideEffects: "Some" }] }),
    patch("merge", `${validating.path}/{ns}-a`, { metadata: { labels: { a: "b" } } }),
    patch("merge", `${validating.path}/{ns}-a`, { metadata: { labels: { "a b": "b" } } }),
    { method: "DELETE", path: `${validating.path}/{ns}-a`, quiet: true },
  ],
  ...life("ValidatingAdmissionPolicy", policy),
  ...creates("ValidatingAdmissionPolicy", policy, {
    ...ofPolicy,
    "takes a validation": {
      "spec/validations": [{ expression: "true", message: "m", messageExpression: "'a'", reason: "Forbidden" }],
    },
    "refuses validations": {
      "spec/validations": [
        { expression: " " },
        { expression: "1" },
        { expression: "true", message: " ", messageExpression: " ", reason: "Foo" },
        { expression: "true", message: "a\nb", messageExpression: "1" },
        { expression: "foo" },
      ],
    },
    "takes annotations": {
      "spec/auditAnnotations": [
        { key: "k", valueExpression: "'x'" },
        { key: "l", valueExpression: "null" },
      ],
    },
    "refuses annotations": {
      "spec/auditAnnotations": [
        { key: "a b", valueExpression: "1" },
        { key: "k", valueExpression: "" },
        { key: "k", valueExpression: "'x'" },
      ],
    },
  }),
  "ValidatingAdmissionPolicy: changes": [
    post(policy.path, policy.base, { quiet: true }),
    patch("merge", `${policy.path}/{ns}-a`, { spec: { failurePolicy: "Ignore" } }),
    patch("merge", `${policy.path}/{ns}-a`, { spec: { validations: [] } }),
    { method: "DELETE", path: `${policy.path}/{ns}-a`, quiet: true },
  ],
  ...life("MutatingAdmissionPolicy", mutatingPolicy),
  ...creates("MutatingAdmissionPolicy", mutatingPolicy, {
    ...ofPolicy,
    "takes configurations": {
      "spec/mutations": [
        { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{spec: Object.spec{x: 1}}" } },
      ],
    },
    "refuses mutations": {
      "spec/mutations": [
        {},
        { patchType: "Foo" },
        { patchType: "JSONPatch" },
        { patchType: "ApplyConfiguration", jsonPatch: { expression: "x" } },
        { patchType: "JSONPatch", jsonPatch: { expression: "1" } },
        { patchType: "JSONPatch", jsonPatch: {}, applyConfiguration: { expression: "x" } },
      ],
    },
    "refuses no invocation": { "spec/reinvocationPolicy": undefined },
    "refuses an invocation": { "spec/reinvocationPolicy": "Foo" },
    "refuses to change what goes": { "spec/matchConstraints/resourceRules": [{ ...rule, operations: ["DELETE"] }] },
  }),
  ...life("ValidatingAdmissionPolicyBinding", binding),
  ...creates("ValidatingAdmissionPolicyBinding", binding, {
    "refuses nothing": { spec: {} },
    "refuses a policy": { "spec/policyName": "A_" },
    "refuses actions": { "spec/validationActions": ["Deny", "Warn", "Foo", "Deny"] },
    "takes parameters": { "spec/paramRef": { name: "n", namespace: "x", parameterNotFoundAction: "Deny" } },
    "takes selected parameters": {
      "spec/paramRef": { selector: { matchLabels: { a: "b" } }, parameterNotFoundAction: "Allow" },
    },
    "refuses parameters": { "spec/paramRef": { name: "a/b", selector: { matchLabels: { "a b": "" } } } },
    "refuses no parameters": { "spec/paramRef": { parameterNotFoundAction: "Foo" } },
    "fills in what it matches": { "spec/matchResources": { resourceRules: [rule] } },
    "refuses what it matches": { "spec/matchResources": { matchPolicy: "Foo", resourceRules: [{}] } },
  }),
  ...life("MutatingAdmissionPolicyBinding", mutatingBinding),
  ...creates("MutatingAdmissionPolicyBinding", mutatingBinding, {
    "refuses nothing": { spec: {} },
    "refuses parameters": { "spec/paramRef": {} },
  }),
});
