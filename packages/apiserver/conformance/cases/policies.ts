/** CEL policies: denials, warnings and mutations. */
import { defineTopic, patch, post, type Step } from "../case.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/{ns}/configmaps";
const here = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } } };
const rules = [{ operations: ["CREATE", "UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
const onMaps = { resourceRules: rules, ...here };

interface More {
  readonly spec?: object;
  readonly binding?: object;
}

function validating(validations: readonly object[], { spec = {}, binding = {} }: More = {}): Step[] {
  return [
    post(
      `${group}/validatingadmissionpolicies`,
      { metadata: { name: "{ns}" }, spec: { matchConstraints: onMaps, validations, ...spec } },
      { quiet: true },
    ),
    post(
      `${group}/validatingadmissionpolicybindings`,
      { metadata: { name: "{ns}" }, spec: { policyName: "{ns}", validationActions: ["Deny"], ...binding } },
      { quiet: true, settle: 1500 },
    ),
  ];
}

function mutating(mutations: readonly object[], { spec = {}, binding = {} }: More = {}): Step[] {
  return [
    post(
      `${group}/mutatingadmissionpolicies`,
      {
        metadata: { name: "{ns}" },
        spec: { matchConstraints: onMaps, mutations, reinvocationPolicy: "Never", failurePolicy: "Fail", ...spec },
      },
      { quiet: true },
    ),
    post(
      `${group}/mutatingadmissionpolicybindings`,
      { metadata: { name: "{ns}" }, spec: { policyName: "{ns}", ...binding } },
      { quiet: true, settle: 1500 },
    ),
  ];
}

const map = (data: { readonly [key: string]: string }, metadata: object = {}): object => ({
  metadata: { name: "m", ...metadata },
  data,
});
const write = (data: { readonly [key: string]: string } = {}, metadata: object = {}): Step =>
  post(maps, map(data, metadata));
const apply = (expression: string): object => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });
const jsonPatch = (expression: string): object => ({ patchType: "JSONPatch", jsonPatch: { expression } });

export const policies = defineTopic("policies", {
  "validating: lets through what is true": [...validating([{ expression: "object.data.a == 'b'" }]), write({ a: "b" })],
  "validating: refuses what is false": [...validating([{ expression: "object.data.a == 'c'" }]), write({ a: "b" })],
  "validating: says what it is told to": [
    ...validating([{ expression: "false", message: "never" }]),
    write({ a: "b" }),
  ],
  "validating: makes its message": [
    ...validating([{ expression: "false", message: "never", messageExpression: "'not ' + object.data.a" }]),
    write({ a: "b" }),
  ],
  "validating: falls back when the message cannot be made": [
    ...validating([{ expression: "false", message: "never", messageExpression: "string(object.data.nope)" }]),
    write({ a: "b" }),
  ],
  "validating: gives its reason": [...validating([{ expression: "false", reason: "Forbidden" }]), write({ a: "b" })],
  "validating: tells the first of several": [
    ...validating([{ expression: "true" }, { expression: "1 == 2" }, { expression: "false" }]),
    write({ a: "b" }),
  ],
  "validating: fails closed": [...validating([{ expression: "object.data.nope == 'a'" }]), write({ a: "b" })],
  "validating: fails open if told": [
    ...validating([{ expression: "object.data.nope == 'a'" }], { spec: { failurePolicy: "Ignore" } }),
    write({ a: "b" }),
  ],
  "validating: warns": [
    ...validating([{ expression: "false", message: "careful" }], { binding: { validationActions: ["Warn", "Audit"] } }),
    write({ a: "b" }),
  ],
  "validating: sees what was": [
    ...validating([{ expression: "oldObject == null || object.data.a == oldObject.data.a", message: "immutable" }]),
    write({ a: "b" }),
    patch("merge", `${maps}/m`, { data: { a: "c" } }),
  ],
  "validating: knows the request": [
    ...validating([
      {
        expression: "false",
        messageExpression:
          "request.operation + ' ' + request.kind.kind + ' ' + request.name + ' ' + request.userInfo.username + ' ' + string(request.dryRun)",
      },
    ]),
    post(`${maps}?dryRun=All`, map({})),
  ],
  "validating: knows the namespace": [
    ...validating([
      { expression: "false", messageExpression: "namespaceObject.metadata.labels['kubernetes.io/metadata.name']" },
    ]),
    write({}),
  ],
  "validating: asks who may": [
    ...validating([
      {
        expression: "authorizer.group('').resource('secrets').namespace('default').check('delete').allowed()",
        message: "no",
      },
    ]),
    write({}),
  ],
  "validating: has variables": [
    ...validating([{ expression: "variables.b", messageExpression: "'a is ' + variables.a" }], {
      spec: {
        variables: [
          { name: "a", expression: "object.data.a" },
          { name: "b", expression: "variables.a == 'x'" },
        ],
      },
    }),
    write({ a: "b" }),
    write({}, { name: "n" }),
  ],
  "validating: is not asked where its conditions do not hold": [
    ...validating([{ expression: "false" }], {
      spec: { matchConditions: [{ name: "named", expression: "object.metadata.name == 'n'" }] },
    }),
    write({}),
    write({}, { name: "n" }),
  ],
  "validating: refuses where its conditions fail": [
    ...validating([{ expression: "true" }], {
      spec: { matchConditions: [{ name: "named", expression: "object.nope == 'n'" }] },
    }),
    write({}),
  ],
  "validating: takes parameters": [
    post(maps, { metadata: { name: "limits" }, data: { allowed: "b" } }, { quiet: true }),
    ...validating(
      [{ expression: "object.data.a == params.data.allowed", messageExpression: "string(params.data.allowed)" }],
      {
        spec: { paramKind: { apiVersion: "v1", kind: "ConfigMap" } },
        binding: { paramRef: { name: "limits", parameterNotFoundAction: "Deny" } },
      },
    ),
    write({ a: "b" }),
    write({ a: "c" }, { name: "n" }),
  ],
  "validating: refuses without parameters": [
    ...validating([{ expression: "true" }], {
      spec: { paramKind: { apiVersion: "v1", kind: "ConfigMap" } },
      binding: { paramRef: { name: "limits", parameterNotFoundAction: "Deny" } },
    }),
    write({}),
  ],
  "validating: does without parameters": [
    ...validating([{ expression: "false" }], {
      spec: { paramKind: { apiVersion: "v1", kind: "ConfigMap" } },
      binding: { paramRef: { name: "limits", parameterNotFoundAction: "Allow" } },
    }),
    write({}),
  ],
  "validating: refuses with a kind that is not served": [
    ...validating([{ expression: "true" }], {
      spec: { paramKind: { apiVersion: "nope.dev/v1", kind: "Nope" } },
      binding: { paramRef: { name: "limits", parameterNotFoundAction: "Deny" } },
    }),
    write({}),
  ],
  "validating: can leave objects out": [
    ...validating([{ expression: "false" }], {
      spec: { matchConstraints: { ...onMaps, objectSelector: { matchLabels: { strict: "yes" } } } },
    }),
    write({}),
    write({}, { name: "n", labels: { strict: "yes" } }),
  ],
  "mutating: applies": [
    ...mutating([apply("Object{metadata: Object.metadata{labels: {'a': 'b'}}, data: {'x': object.metadata.name}}")]),
    write({ y: "z" }),
  ],
  "mutating: patches": [
    ...mutating([jsonPatch("[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('a.b'), value: 'c'}]")]),
    write({ y: "z" }),
  ],
  "mutating: does nothing when a test fails": [
    ...mutating([
      jsonPatch(
        "[JSONPatch{op: 'test', path: '/data/y', value: 'a'}, JSONPatch{op: 'add', path: '/data/x', value: 'c'}]",
      ),
    ]),
    write({ y: "z" }),
  ],
  "mutating: refuses a patch that does not fit": [
    ...mutating([jsonPatch("[JSONPatch{op: 'remove', path: '/data/nope'}]")]),
    write({ y: "z" }),
  ],
  "mutating: one after the other": [
    ...mutating([
      apply("Object{data: {'x': '1'}}"),
      jsonPatch("[JSONPatch{op: 'copy', from: '/data/x', path: '/data/y'}]"),
    ]),
    write({ z: "z" }),
  ],
  "mutating: fails closed": [...mutating([apply("Object{data: {'x': object.data.nope}}")]), write({ y: "z" })],
  "mutating: fails open if told": [
    ...mutating([apply("Object{data: {'x': object.data.nope}}")], { spec: { failurePolicy: "Ignore" } }),
    write({ y: "z" }),
  ],
  "mutating: refuses what can only be replaced": [
    ...mutating([
      apply(
        "Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: 'u', name: 'n', kind: 'k', apiVersion: 'v1', blockOwnerDeletion: true}]}}",
      ),
    ]),
    write({ y: "z" }),
  ],
  "mutating: has conditions, variables and parameters": [
    post(maps, { metadata: { name: "limits" }, data: { added: "b" } }, { quiet: true }),
    ...mutating([apply("Object{data: {'x': variables.v}}")], {
      spec: {
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        variables: [{ name: "v", expression: "params.data.added + '!'" }],
        matchConditions: [{ name: "c", expression: "request.operation == 'CREATE'" }],
      },
      binding: { paramRef: { name: "limits", parameterNotFoundAction: "Deny" } },
    }),
    write({ y: "z" }),
    patch("json", `${maps}/m`, [{ op: "remove", path: "/data/x" }]),
  ],
  "mutating: goes on after a mutation that fails": [
    ...mutating(
      [
        jsonPatch("[JSONPatch{op: 'remove', path: '/data/nope'}]"),
        apply("Object{data: {'c': '1'}}"),
        jsonPatch("[JSONPatch{op: 'remove', path: '/data/neither'}]"),
      ],
      { spec: { failurePolicy: "Ignore" } },
    ),
    write({ a: "b" }),
  ],
  "mutating: tells every mutation that fails": [
    ...mutating([
      jsonPatch("[JSONPatch{op: 'remove', path: '/data/nope'}]"),
      apply("Object{data: {'c': '1'}}"),
      jsonPatch("[JSONPatch{op: 'remove', path: '/data/neither'}]"),
    ]),
    write({ a: "b" }),
  ],
});
