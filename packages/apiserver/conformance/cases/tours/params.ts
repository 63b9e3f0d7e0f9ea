/** Policies with existing parameters: by name, by label, of another kind, changed and removed. */
import { defineTopic, del, get, post, put, type Step } from "../../case.ts";
import {
  here,
  map,
  maps,
  mutating,
  quietly,
  registration,
  rules,
  unmutated,
  unvalidated,
  validating,
} from "../explored/admission-scene.ts";
import { define, specOf, widget, widgets, type Part } from "../explored/widget.ts";

const secrets = "/api/v1/namespaces/{ns}/secrets";
const secret = (name: string): Part => ({ metadata: { name }, data: { a: "MQ==" } });
const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
const onSecrets = { resources: ["secrets"] };

/** kube-apiserver stops watching parameters for good when the last policy with their kind is deleted: this policy stays. */
const hold: readonly Step[] = [
  post(
    `${registration}/validatingadmissionpolicies`,
    {
      metadata: { name: "keeps-looking" },
      spec: {
        paramKind,
        matchConstraints: { resourceRules: rules(), namespaceSelector: { matchLabels: { nobody: "has-this" } } },
        validations: [{ expression: "true" }],
      },
    },
    quietly,
  ),
  post(
    `${registration}/validatingadmissionpolicybindings`,
    {
      metadata: { name: "keeps-looking" },
      spec: {
        policyName: "keeps-looking",
        validationActions: ["Deny"],
        paramRef: { name: "none", parameterNotFoundAction: "Allow" },
      },
    },
    quietly,
  ),
];
const param = (name: string, allowed: string, set: string): Step =>
  post(maps, map({ allowed }, { name, labels: { set } }), quietly);
const seen = get(maps, { quiet: true, settle: 3000 });
const byParams: Part = {
  paramKind,
  validations: [
    {
      expression: "params == null || params.data.allowed == object.metadata.name",
      messageExpression: "'only ' + params.data.allowed + ', says ' + params.metadata.name",
    },
  ],
};

const references: { readonly [name: string]: Part } = {
  "by name": { name: "one", parameterNotFoundAction: "Deny" },
  "by name and namespace": { name: "one", namespace: "{ns}", parameterNotFoundAction: "Allow" },
  "in another namespace": { name: "one", namespace: "default", parameterNotFoundAction: "Deny" },
  "by label": { selector: { matchLabels: { set: "a" } }, parameterNotFoundAction: "Deny" },
  "by two labels": {
    selector: { matchExpressions: [{ key: "set", operator: "In", values: ["a", "b"] }] },
    parameterNotFoundAction: "Allow",
  },
};
const cases: { [name: string]: readonly Step[] } = {};
for (const [name, paramRef] of Object.entries(references)) {
  cases[name] = [
    ...hold,
    param("one", "x", "a"),
    param("two", "y", "b"),
    ...validating(byParams, { paramRef }, onSecrets),
    seen,
    post(secrets, secret("x")),
    post(secrets, secret("y")),
    put(`${maps}/one`, map({ allowed: "z" }, { name: "one", labels: { set: "a" } }), { quiet: true, settle: 1500 }),
    post(secrets, secret("z")),
    del(`${maps}/one`, undefined, { quiet: true, settle: 1500 }),
    post(secrets, secret("q")),
    ...unvalidated,
  ];
}
cases["of a custom kind"] = [
  define(specOf({ max: { type: "integer" } })),
  post(widgets, widget({ max: 1 }), quietly),
  ...validating(
    {
      paramKind: { apiVersion: "{ns}.dev/v1", kind: "Widget" },
      validations: [{ expression: "size(object.data) <= params.spec.max", message: "too many" }],
    },
    { paramRef: { name: "w", parameterNotFoundAction: "Deny" } },
  ),
  get(widgets, { quiet: true, settle: 3500 }),
  post(maps, map({ a: "1" }, { name: "ok" })),
  post(maps, map({ a: "1", b: "2" }, { name: "no" })),
  ...unvalidated,
];

const matchConstraints = { resourceRules: rules(onSecrets), ...here };
cases["of mutations, by name"] = [
  ...hold,
  param("one", "x", "a"),
  ...mutating(
    [
      {
        patchType: "ApplyConfiguration",
        applyConfiguration: { expression: "Object{metadata: Object.metadata{labels: {'by': params.metadata.name}}}" },
      },
    ],
    { paramKind, matchConstraints },
    { paramRef: { name: "one", parameterNotFoundAction: "Deny" } },
  ),
  seen,
  post(secrets, secret("x")),
  del(`${maps}/one`, undefined, { quiet: true, settle: 1500 }),
  post(secrets, secret("y")),
  ...unmutated,
];
cases["of mutations, by label"] = [
  ...hold,
  param("one", "x", "a"),
  param("two", "x", "a"),
  ...mutating(
    [
      {
        patchType: "JSONPatch",
        jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/data/' + params.metadata.name, value: 'MQ=='}]" },
      },
    ],
    { paramKind, matchConstraints },
    { paramRef: { selector: { matchLabels: { set: "a" } }, parameterNotFoundAction: "Allow" } },
  ),
  seen,
  post(secrets, secret("x")),
  ...unmutated,
];

export const paramTours = defineTopic("tour-params", cases);
