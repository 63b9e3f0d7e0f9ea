/** Unreachable webhooks, and invalid webhook configurations. */
import { defineTopic, del, post, type Step } from "../../case.ts";
import { registration, maps, quietly, settling, here, rules, map } from "./admission-scene.ts";
import type { Part } from "./widget.ts";

const cases: { [name: string]: Step[] } = {};

const hook = (over: Part = {}) => ({
  metadata: { name: "w-{ns}" },
  webhooks: [
    {
      name: "w.example.com",
      clientConfig: { url: "https://127.0.0.1:1/x" },
      rules: rules(),
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 2,
      ...here,
      ...over,
    },
  ],
});
const wh: readonly (readonly [string, Part])[] = [
  ["fail", {}],
  ["ignore", { failurePolicy: "Ignore" }],
  ["condition skip", { matchConditions: [{ name: "x", expression: "object.metadata.name == 'zzz'" }] }],
  ["condition error", { matchConditions: [{ name: "x", expression: "object.data.nope == 'zzz'" }] }],
  [
    "condition error ignore",
    { failurePolicy: "Ignore", matchConditions: [{ name: "x", expression: "object.data.nope == 'zzz'" }] },
  ],
  ["service missing", { clientConfig: { service: { name: "nope", namespace: "{ns}" } } }],
  ["object selector", { objectSelector: { matchLabels: { a: "b" } } }],
  ["side effects", { sideEffects: "NoneOnDryRun" }],
];
for (const kind of ["validating", "mutating"])
  for (const [n, o] of wh)
    cases[`${kind} ${n}`] = [
      post(`${registration}/${kind}webhookconfigurations`, hook(o), settling),
      post(maps, map()),
      post(`${maps}?dryRun=All`, map({}, { name: "d" })),
      del(`${registration}/${kind}webhookconfigurations/w-{ns}`, undefined, quietly),
    ];
const whBad: readonly (readonly [string, Part])[] = [
  ["name", { name: "x" }],
  ["side", { sideEffects: "Some" }],
  ["versions", { admissionReviewVersions: ["v2"] }],
  ["no versions", { admissionReviewVersions: [] }],
  ["timeout", { timeoutSeconds: 31 }],
  ["url http", { clientConfig: { url: "http://x" } }],
  ["url user", { clientConfig: { url: "https://u:p@x/?a=b#c" } }],
  ["both", { clientConfig: { url: "https://x", service: { name: "a", namespace: "b" } } }],
  ["none", { clientConfig: {} }],
  ["service", { clientConfig: { service: { name: "", namespace: "", path: "x//y", port: 0 } } }],
  ["ca", { clientConfig: { url: "https://x", caBundle: "YQ==" } }],
  [
    "rules",
    {
      rules: [
        { apiGroups: ["a", "*"], apiVersions: [""], operations: ["*", "CREATE"], resources: ["*/*", "x"], scope: "X" },
      ],
    },
  ],
  ["policy", { failurePolicy: "X", matchPolicy: "Y" }],
  [
    "conditions",
    {
      matchConditions: [
        { name: "a b", expression: "1" },
        { name: "ok", expression: "params.x" },
      ],
    },
  ],
  ["selector", { namespaceSelector: { matchLabels: { "-": "" } } }],
  ["reinvocation", { reinvocationPolicy: "X" }],
];
for (const kind of ["validating", "mutating"])
  for (const [n, o] of whBad)
    cases[`bad ${kind} ${n}`] = [post(`${registration}/${kind}webhookconfigurations?dryRun=All`, hook(o))];
export const webhookConfigurations = defineTopic("webhook-configurations", cases);
