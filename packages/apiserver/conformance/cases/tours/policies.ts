/** Policies with parameters, messages, annotations and mutations. */
import { defineTopic, get, patch, post, put, type Step } from "../../case.ts";
import {
  here,
  map,
  maps,
  mutating,
  policy,
  quietly,
  registration,
  rules,
  unmutated,
  unvalidated,
  validating,
} from "../explored/admission-scene.ts";
import { define, specOf, widget, widgets, type Part } from "../explored/widget.ts";

const cases: { [name: string]: Step[] } = {};

/** ConfigMaps that are parameters match the policy as well, so the tested objects have a label. */
const secrets = "/api/v1/namespaces/{ns}/secrets";
const secret = (name: string, data: Part = { a: "MQ==" }): Part => ({ metadata: { name }, data });
const onSecrets = { resources: ["secrets"] };
const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
const byParams = (more: Part = {}): Part => ({
  paramKind,
  validations: [
    {
      expression: "params.data.allowed == object.metadata.name",
      messageExpression: "'only ' + params.data.allowed + ', says ' + params.metadata.name",
    },
  ],
  ...more,
});
const param = (name: string, allowed: string, labels: Part = {}): Step =>
  post(maps, map({ allowed }, { name, labels }), quietly);

/** kube-apiserver watches parameters from the moment a policy names their kind. */
const found = get(maps, { quiet: true, settle: 4000 });

const references: { readonly [name: string]: Part } = {
  "by a name that is not there, denied": { name: "none", parameterNotFoundAction: "Deny" },
  "by a name that is not there, allowed": { name: "none", parameterNotFoundAction: "Allow" },
  "by a label that nothing has, denied": { selector: { matchLabels: { set: "z" } }, parameterNotFoundAction: "Deny" },
  "by a label that nothing has, allowed": { selector: { matchLabels: { set: "z" } }, parameterNotFoundAction: "Allow" },
};
for (const [name, paramRef] of Object.entries(references)) {
  cases[`parameters ${name}`] = [
    param("one", "x", { set: "a" }),
    param("two", "y", { set: "b" }),
    ...validating(byParams(), { paramRef }, onSecrets),
    found,
    post(secrets, secret("x")),
    post(secrets, secret("y")),
    ...unvalidated,
  ];
}
cases["parameters of a kind that is not served"] = [
  ...validating(
    byParams({ paramKind: { apiVersion: "example.org/v1", kind: "Nope" } }),
    { paramRef: { name: "one", namespace: "{ns}", parameterNotFoundAction: "Deny" } },
    onSecrets,
  ),
  post(secrets, secret("x")),
  ...unvalidated,
];
cases["parameters without a reference"] = [
  ...validating(byParams(), {}, onSecrets),
  post(secrets, secret("x")),
  ...unvalidated,
];
cases["parameters that nobody asked for"] = [
  ...validating(
    { validations: [{ expression: "object.metadata.name == 'x'" }] },
    { paramRef: { name: "one", namespace: "{ns}", parameterNotFoundAction: "Deny" } },
    onSecrets,
  ),
  post(secrets, secret("x")),
  post(secrets, secret("y")),
  ...unvalidated,
];
const failing = { expression: "object.data.a == 'MQ=='" };
const messages: { readonly [name: string]: Part } = {
  "an expression that fails": {
    ...failing,
    expression: "false",
    messageExpression: "object.data.nope",
    message: "fallback",
  },
  "an expression that fails, no other": { expression: "false", messageExpression: "object.data.nope" },
  empty: { expression: "false", messageExpression: "''", message: "fallback" },
  spaces: { expression: "false", messageExpression: "'   '" },
  lines: { expression: "false", messageExpression: "'a\\nb'", message: "fallback" },
  "very long": {
    expression: "false",
    messageExpression: `'xxxxxxxxxx'.replace('x', '${"y".repeat(600)}')`,
    message: "fallback",
  },
  "of a long expression": {
    expression: "object.metadata.name == 'a very long name indeed' || object.metadata.name == 'another very long name'",
  },
  "of several lines": { expression: "object.metadata.name == 'a' ||\n  object.metadata.name == 'b'" },
  "with a reason": { expression: "false", reason: "Forbidden", messageExpression: "'because ' + object.metadata.name" },
};
for (const [name, validation] of Object.entries(messages)) {
  cases[`messages: ${name}`] = [
    post(`${registration}/validatingadmissionpolicies?dryRun=All`, policy({ validations: [validation] })),
    ...validating({ validations: [validation] }),
    post(maps, map()),
    ...unvalidated,
  ];
}

const annotated: { readonly [name: string]: string } = {
  text: "'value ' + object.metadata.name",
  nothing: "null",
  "a choice": "object.metadata.name == 'c' ? 'yes' : null",
  "an error": "object.data.nope",
  "a number": "5",
};
for (const [name, valueExpression] of Object.entries(annotated)) {
  for (const failurePolicy of ["Fail", "Ignore"]) {
    cases[`annotations: ${name}, ${failurePolicy}`] = [
      ...validating({ failurePolicy, auditAnnotations: [{ key: "k", valueExpression }] }),
      post(maps, map()),
      ...unvalidated,
    ];
  }
}

for (const validationActions of [["Deny"], ["Warn"], ["Audit"], ["Deny", "Audit"], ["Warn", "Audit"]]) {
  cases[`actions: ${validationActions.join(" and ")}`] = [
    ...validating(
      {
        validations: [
          { expression: "false", message: "one" },
          { expression: "object.data.nope == 'x'" },
          { expression: "false", message: "three", reason: "Unauthorized" },
        ],
      },
      { validationActions },
    ),
    post(maps, map()),
    post(`${maps}?dryRun=All`, map({}, { name: "d" })),
    ...unvalidated,
  ];
}

const sees: { readonly [name: string]: string } = {
  operation: "request.operation",
  resource: "request.resource.group + '/' + request.resource.version + '/' + request.resource.resource",
  "sub resource": "'<' + request.?subResource.orValue('none') + '>'",
  kind: "request.kind.group + '/' + request.kind.version + '/' + request.kind.kind",
  "request kind": "request.requestKind.kind + request.requestResource.resource",
  name: "request.name + ' ' + request.namespace",
  options: "request.options.kind + string(has(request.options.fieldManager) ? request.options.fieldManager : '-')",
  "dry run": "string(request.dryRun)",
  uid: "string(size(request.uid) > 0)",
  object: "string(object.metadata.generation) + object.kind + object.apiVersion",
  "old object": "oldObject == null ? 'new' : oldObject.data.a",
  types: "string(type(object)) + ' ' + string(type(object.metadata))",
  labels: "string('x' in object.metadata.labels)",
};
for (const [name, messageExpression] of Object.entries(sees)) {
  cases[`sees: ${name}`] = [
    ...validating({ validations: [{ expression: "false", messageExpression, message: "could not be told" }] }),
    post(maps, map()),
    post(`${maps}?dryRun=All&fieldManager=me`, map({}, { name: "d" })),
    ...unvalidated,
  ];
}

/** Expressions that exceed the cost limit. */
const keys = (count: number): Part =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, "value"]));
const slow: { readonly [name: string]: Part } = {
  "one expression": { validations: [{ expression: "object.data.all(a, object.data.all(b, a != b || a == b))" }] },
  "a message": {
    validations: [
      { expression: "false", messageExpression: "string(object.data.all(a, object.data.all(b, a != b || a == b)))" },
    ],
  },
  "a condition": {
    matchConditions: [{ name: "slow", expression: "object.data.all(a, object.data.all(b, a != b || a == b))" }],
    validations: [{ expression: "true" }],
  },
  "a variable": {
    variables: [{ name: "slow", expression: "object.data.all(a, object.data.all(b, a != b || a == b))" }],
    validations: [{ expression: "variables.slow" }],
  },
};
for (const [name, spec] of Object.entries(slow)) {
  for (const failurePolicy of ["Fail", "Ignore"]) {
    cases[`too slow: ${name}, ${failurePolicy}`] = [
      ...validating({ ...spec, failurePolicy }),
      post(`${maps}?dryRun=All`, map(keys(20)), { only: ["message", "reason", "code", "details"] }),
      post(`${maps}?dryRun=All`, map(keys(900)), { only: ["message", "reason", "code", "details"] }),
      ...unvalidated,
    ];
  }
}

const apply = (expression: string): Part => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });
const json = (expression: string): Part => ({ patchType: "JSONPatch", jsonPatch: { expression } });
const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const deployment = {
  metadata: { name: "d", labels: { l: "m" } },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: {
      metadata: { labels: { a: "b" } },
      spec: { containers: [{ name: "c", image: "i", env: [{ name: "A", value: "1" }] }] },
    },
  },
};
const onDeployments = {
  matchConstraints: { resourceRules: rules({ apiGroups: ["apps"], resources: ["deployments"] }), ...here },
};
const containers = (text: string): string =>
  `Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{${text}}}}}`;
const changes: { readonly [name: string]: readonly Part[] } = {
  "a sidecar": [apply(containers("containers: [Object.spec.template.spec.containers{name: 'side', image: 's'}]"))],
  "an image": [apply(containers("containers: [Object.spec.template.spec.containers{name: 'c', image: 'other'}]"))],
  "a variable of the environment": [
    apply(
      containers(
        "containers: [Object.spec.template.spec.containers{name: 'c', env: [Object.spec.template.spec.containers.env{name: 'B', value: '2'}]}]",
      ),
    ),
  ],
  "a list without its key": [apply(containers("containers: [Object.spec.template.spec.containers{image: 'other'}]"))],
  "an atomic list": [apply("Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'x': 'y'}}}}")],
  "a number": [apply("Object{spec: Object.spec{replicas: 3}}")],
  "a text for a number": [json("[JSONPatch{op: 'add', path: '/spec/replicas', value: 'three'}]")],
  "a bad value": [apply("Object{spec: Object.spec{replicas: -1}}")],
  "an optional that is empty": [apply("Object{spec: Object.spec{?replicas: optional.none()}}")],
  "an optional": [apply("Object{spec: Object.spec{?replicas: optional.of(7)}}")],
  "metadata by condition": [
    apply("object.spec.replicas == 1 ? Object{metadata: Object.metadata{labels: {'one': 'yes'}}} : Object{}"),
  ],
  "json at the end of a list": [
    json(
      "[JSONPatch{op: 'add', path: '/spec/template/spec/containers/-', value: Object.spec.template.spec.containers{name: 'e', image: 'f'}}]",
    ),
  ],
  "json in a list": [
    json(
      "[JSONPatch{op: 'replace', path: '/spec/template/spec/containers/0/image', value: object.spec.template.spec.containers[0].image + ':2'}]",
    ),
  ],
  "json out of a list": [
    json("[JSONPatch{op: 'replace', path: '/spec/template/spec/containers/9/image', value: 'x'}]"),
  ],
  "json copies": [
    json(
      "[JSONPatch{op: 'copy', from: '/metadata/labels/l', path: '/metadata/labels/copy'}, JSONPatch{op: 'move', from: '/metadata/labels/l', path: '/metadata/labels/moved'}]",
    ),
  ],
  "json by condition": [
    json("object.spec.replicas == 1 ? [JSONPatch{op: 'add', path: '/metadata/labels/one', value: 'yes'}] : []"),
  ],
  "json of nothing": [json("[]")],
  "json without a path": [json("[JSONPatch{op: 'add', value: 'x'}]")],
  "json of an unknown operation": [json("[JSONPatch{op: 'jump', path: '/a'}]")],
  "json without an operation": [json("[JSONPatch{path: '/a'}]")],
  "json of a map": [json("[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'a': 'b'}}]")],
  "json of null": [json("[JSONPatch{op: 'add', path: '/metadata/labels/n', value: null}]")],
  "json of another kind": [json("[JSONPatch{op: 'replace', path: '/kind', value: 'Pod'}]")],
  "json of another name": [json("[JSONPatch{op: 'replace', path: '/metadata/name', value: 'other'}]")],
  "json of an unknown field": [json("[JSONPatch{op: 'add', path: '/spec/nope', value: 1}]")],
  "an error": [apply("Object{spec: Object.spec{replicas: object.spec.nope}}")],
  "one after the other": [
    apply("Object{spec: Object.spec{replicas: object.spec.replicas + 1}}"),
    json("[JSONPatch{op: 'replace', path: '/spec/replicas', value: object.spec.replicas + 1}]"),
  ],
};
for (const [name, mutations] of Object.entries(changes)) {
  cases[`mutates: ${name}`] = [
    post(`${registration}/mutatingadmissionpolicies?dryRun=All`, {
      metadata: { name: "p-{ns}" },
      spec: { ...onDeployments, reinvocationPolicy: "Never", mutations },
    }),
    ...mutating(mutations, onDeployments),
    post(deployments, deployment, { only: ["metadata", "spec", "message", "reason", "details", "code"] }),
    patch(
      "merge",
      `${deployments}/d`,
      { metadata: { labels: { l: "n" } } },
      { only: ["metadata", "spec", "message", "reason", "details", "code"] },
    ),
    ...unmutated,
  ];
}
for (const parameterNotFoundAction of ["Deny", "Allow"]) {
  cases[`mutates without parameters: ${parameterNotFoundAction}`] = [
    ...mutating(
      [apply("Object{metadata: Object.metadata{labels: {'x': params.data.allowed}}}")],
      { paramKind, matchConstraints: { resourceRules: rules(onSecrets), ...here } },
      {
        paramRef: { name: "none", namespace: "{ns}", parameterNotFoundAction },
      },
    ),
    post(secrets, secret("x")),
    ...unmutated,
  ];
}
cases["mutates again"] = [
  ...mutating([apply("Object{data: {'count': object.data.?count.orValue('') + '1'}}")], {
    reinvocationPolicy: "IfNeeded",
  }),
  post(maps, map()),
  put(`${maps}/c`, map({ a: "2" })),
  get(`${maps}/c`),
  ...unmutated,
];
cases["mutates custom objects"] = [
  define(specOf({ x: { type: "integer" }, list: { type: "array", items: { type: "string" } } })),
  ...mutating([apply("Object{spec: Object.spec{x: 5, list: ['a']}}")], {
    matchConstraints: {
      resourceRules: [{ apiGroups: ["{ns}.dev"], apiVersions: ["*"], operations: ["*"], resources: ["*"] }],
      ...here,
    },
  }),
  found,
  found,
  post(widgets, widget({ list: ["b"] })),
  patch("merge", `${widgets}/w`, { spec: { x: 1 } }),
  ...unmutated,
];

export const policyTours = defineTopic("tour-policies", cases);
