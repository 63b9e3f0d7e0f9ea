/** The status of validating policies: kube-apiserver itself does not check types, its controllers elsewhere do. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";

const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const own = `${policies}/{ns}`;
const settled = { settle: 1500 };
const rule = (resources: readonly string[], more: object = {}): object => ({
  apiGroups: ["apps"],
  apiVersions: ["v1"],
  operations: ["*"],
  resources,
  ...more,
});
const policy = (expression: string, more: object = {}): object => ({
  metadata: { name: "{ns}" },
  spec: {
    matchConstraints: {
      resourceRules: [rule(["deployments"])],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } },
    },
    validations: [{ expression }],
    ...more,
  },
});
const lived = (...objects: readonly object[]): readonly Step[] => [
  ...objects.map((object, index) => (index === 0 ? post(policies, object, settled) : put(own, object, settled))),
  get(own),
  del(own, undefined, { quiet: true }),
];

export const typeChecks = defineTopic("variants-type-checks", {
  "an expression that fits": lived(policy("object.spec.replicas > 1")),
  "an unknown field": lived(policy("object.spec.nothing > 1")),
  "a wrong type": lived(policy("object.spec.replicas > '1'")),
  "a message expression and variables": lived(
    policy("variables.x > 1", {
      variables: [{ name: "x", expression: "object.spec.nothing" }],
      validations: [{ expression: "variables.x > 1", messageExpression: "object.spec.other" }],
    }),
  ),
  "match conditions and audit annotations": lived(
    policy("true", {
      matchConditions: [{ name: "m", expression: "object.nothing == 1" }],
      auditAnnotations: [{ key: "k", valueExpression: "object.nothing" }],
    }),
  ),
  "a change of the spec": lived(policy("object.spec.nothing > 1"), policy("object.spec.replicas > 2")),
  "a status by a client": [
    post(policies, policy("object.spec.nothing > 1"), { quiet: true }),
    patch("merge", `${own}/status`, {
      status: { observedGeneration: 1, typeChecking: { expressionWarnings: [{ fieldRef: "f", warning: "w" }] } },
    }),
    patch("merge", `${own}/status`, { status: { conditions: [{ type: "A", status: "True" }] } }),
    patch("merge", `${own}/status`, { status: { typeChecking: { expressionWarnings: [{ fieldRef: "" }] } } }),
    patch("merge", own, { spec: { failurePolicy: "Ignore" } }, settled),
    get(own),
    del(own, undefined, { quiet: true }),
  ],
});
