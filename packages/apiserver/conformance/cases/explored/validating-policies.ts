/** Validating policies: variables of expressions, messages of failures, and invalid policies. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";
import { registration, maps, settling, policy, binding, validating, unvalidated, map } from "./admission-scene.ts";
import type { Part } from "./widget.ts";

const cases: { [name: string]: Step[] } = {};

const exprs: readonly (readonly [string, Part])[] = [
  ["data", { validations: [{ expression: "object.data.a == '2'" }] }],
  ["message", { validations: [{ expression: "object.data.a == '2'", message: "must be two" }] }],
  [
    "messageExpression",
    { validations: [{ expression: "object.data.a == '2'", messageExpression: "'a is ' + object.data.a" }] },
  ],
  ["reason", { validations: [{ expression: "false", reason: "Forbidden", message: "no" }] }],
  ["reason invalid", { validations: [{ expression: "false", reason: "Invalid" }] }],
  ["reason unauthorized", { validations: [{ expression: "false", reason: "Unauthorized" }] }],
  ["reason large", { validations: [{ expression: "false", reason: "RequestEntityTooLarge" }] }],
  [
    "two",
    {
      validations: [
        { expression: "false", message: "one" },
        { expression: "false", message: "two" },
      ],
    },
  ],
  ["error", { validations: [{ expression: "object.data.nope == '2'" }] }],
  ["error ignored", { failurePolicy: "Ignore", validations: [{ expression: "object.data.nope == '2'" }] }],
  [
    "variables",
    {
      variables: [
        { name: "x", expression: "object.data.a + 'z'" },
        { name: "y", expression: "variables.x == '1z'" },
      ],
      validations: [{ expression: "!variables.y", messageExpression: "variables.x" }],
    },
  ],
  [
    "conditions false",
    { matchConditions: [{ name: "never", expression: "false" }], validations: [{ expression: "false" }] },
  ],
  [
    "conditions error",
    {
      matchConditions: [{ name: "err", expression: "object.data.nope == 'x'" }],
      validations: [{ expression: "true" }],
    },
  ],
  [
    "request",
    {
      validations: [
        {
          expression: "request.operation == 'DELETE'",
          messageExpression:
            "request.operation + ' ' + request.kind.kind + ' ' + request.name + ' ' + request.namespace + ' ' + request.resource.resource + ' ' + string(request.dryRun) + ' ' + request.userInfo.groups.join(',')",
        },
      ],
    },
  ],
  [
    "namespaceObject",
    {
      validations: [
        {
          expression: "namespaceObject.metadata.name == 'x'",
          messageExpression: "namespaceObject.metadata.labels['kubernetes.io/metadata.name']",
        },
      ],
    },
  ],
  [
    "authorizer",
    {
      validations: [
        {
          expression: "!authorizer.group('').resource('pods').namespace('default').check('get').allowed()",
          messageExpression: "authorizer.requestResource.check('create').reason()",
        },
      ],
    },
  ],
  [
    "oldObject",
    { validations: [{ expression: "oldObject == null || object.data.a == oldObject.data.a", message: "immutable" }] },
  ],
  ["labels optional", { validations: [{ expression: "object.metadata.?labels['x'].orValue('') == 'y'" }] }],
  [
    "params missing",
    {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [{ expression: "object.data.a == params.data.a" }],
    },
  ],
  ["type unknown field", { validations: [{ expression: "object.spec.replicas > 1" }] }],
  ["string fn", { validations: [{ expression: "string(object.data.a).startsWith('2')" }] }],
  [
    "audit annotations",
    {
      auditAnnotations: [{ key: "k", valueExpression: "'v ' + object.data.a" }],
      validations: [{ expression: "false" }],
    },
  ],
];
for (const [n, spec] of exprs)
  cases[n] = [
    ...validating(spec),
    post(maps, map()),
    post(maps, map({ a: "2" }, { name: "c2" })),
    put(`${maps}/c2`, map({ a: "3" }, { name: "c2" })),
    patch("apply", `${maps}/c3?fieldManager=f`, map({ a: "1" }, { name: "c3" })),
    ...unvalidated,
  ];
cases["warn"] = [
  ...validating(
    { validations: [{ expression: "object.data.a == '2'", message: "w1" }] },
    { validationActions: ["Warn", "Audit"] },
  ),
  post(maps, map()),
  ...unvalidated,
];
cases["delete"] = [
  ...validating(
    { validations: [{ expression: "oldObject.data.a == '2'", message: "keep" }] },
    {},
    { operations: ["DELETE"] },
  ),
  post(maps, map()),
  del(`${maps}/c`),
  del(maps),
  ...unvalidated,
];
cases["deployments"] = [
  ...validating(
    {
      validations: [
        { expression: "object.spec.replicas <= 2", messageExpression: "'too many: ' + string(object.spec.replicas)" },
      ],
    },
    {},
    { apiGroups: ["apps"], resources: ["deployments", "deployments/scale"] },
  ),
  post("/apis/apps/v1/namespaces/{ns}/deployments", {
    metadata: { name: "d" },
    spec: {
      replicas: 3,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  }),
  post("/apis/apps/v1/namespaces/{ns}/deployments", {
    metadata: { name: "d" },
    spec: {
      replicas: 1,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  }),
  patch("merge", "/apis/apps/v1/namespaces/{ns}/deployments/d/scale", { spec: { replicas: 5 } }),
  ...unvalidated,
];
cases["status"] = [
  post(
    `${registration}/validatingadmissionpolicies`,
    policy({ validations: [{ expression: "object.spec.nope > 1" }, { expression: "object.data.a == 1" }] }),
    settling,
  ),
  get(`${registration}/validatingadmissionpolicies/p-{ns}`),
  ...unvalidated,
];
const bad: readonly (readonly [string, Part])[] = [
  ["no validations", {}],
  ["syntax", { validations: [{ expression: "object." }] }],
  ["not bool", { validations: [{ expression: "1" }] }],
  ["undeclared", { validations: [{ expression: "foo" }] }],
  ["msg type", { validations: [{ expression: "true", messageExpression: "1" }] }],
  ["msg multi", { validations: [{ expression: "true", message: "a\nb" }] }],
  ["reason", { validations: [{ expression: "true", reason: "Nope" }] }],
  ["policy", { failurePolicy: "X", validations: [{ expression: "true" }] }],
  [
    "dup conditions",
    {
      matchConditions: [
        { name: "a", expression: "true" },
        { name: "a", expression: "true" },
      ],
      validations: [{ expression: "true" }],
    },
  ],
  ["bad condition", { matchConditions: [{ name: "", expression: "" }], validations: [{ expression: "true" }] }],
  ["params undeclared", { validations: [{ expression: "params.x" }] }],
  [
    "var dup",
    {
      variables: [
        { name: "a", expression: "1" },
        { name: "a", expression: "2" },
      ],
      validations: [{ expression: "true" }],
    },
  ],
  [
    "var order",
    {
      variables: [
        { name: "a", expression: "variables.b" },
        { name: "b", expression: "2" },
      ],
      validations: [{ expression: "true" }],
    },
  ],
  ["var name", { variables: [{ name: "1", expression: "1" }], validations: [{ expression: "true" }] }],
  ["audit key", { auditAnnotations: [{ key: "Bad Key", valueExpression: "1" }] }],
  [
    "audit dup",
    {
      auditAnnotations: [
        { key: "a", valueExpression: "'x'" },
        { key: "a", valueExpression: "'x'" },
      ],
    },
  ],
  ["paramKind", { paramKind: { apiVersion: "x/y/z", kind: "" }, validations: [{ expression: "true" }] }],
  [
    "rules",
    {
      matchConstraints: { resourceRules: [{ apiGroups: [], apiVersions: [], operations: ["X"], resources: [] }] },
      validations: [{ expression: "true" }],
    },
  ],
  ["no match", { matchConstraints: undefined, validations: [{ expression: "true" }] }],
  [
    "cost",
    {
      validations: [
        { expression: "object.data.all(a, object.data.all(b, object.data.all(d, a != b || b != d || true)))" },
      ],
    },
  ],
  ["long", { validations: [{ expression: "'" + "x".repeat(300) + "' == 'y'" }] }],
];
for (const [n, spec] of bad)
  cases[`bad ${n}`] = [post(`${registration}/validatingadmissionpolicies?dryRun=All`, policy(spec))];
const badB: readonly (readonly [string, Part])[] = [
  ["no actions", { validationActions: [] }],
  ["deny warn", { validationActions: ["Deny", "Warn"] }],
  ["dup", { validationActions: ["Audit", "Audit"] }],
  ["nope", { validationActions: ["X"] }],
  ["no policy", { policyName: "" }],
  ["param both", { paramRef: { name: "a", selector: {} } }],
  ["param none", { paramRef: {} }],
  ["param action", { paramRef: { name: "a", parameterNotFoundAction: "X" } }],
  ["selector", { matchResources: { namespaceSelector: { matchExpressions: [{ key: "a", operator: "X" }] } } }],
];
for (const [n, spec] of badB)
  cases[`binding bad ${n}`] = [post(`${registration}/validatingadmissionpolicybindings?dryRun=All`, binding(spec))];
export const validatingPolicies = defineTopic("validating-policies", cases);
