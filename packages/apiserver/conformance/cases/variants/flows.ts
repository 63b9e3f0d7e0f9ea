/** Flow schemas and priority levels: their status, defaults, updates, and the objects of a new server. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";

const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
const [schemas, levels] = [`${group}/flowschemas`, `${group}/prioritylevelconfigurations`];
const quiet = { quiet: true };
/** Levels and schemas are in no namespace. */
const level = (name: string, spec: object): object => ({ metadata: { name: `{ns}-${name}` }, spec });
const limited = (limits: object = {}): object => ({ type: "Limited", limited: limits });
const schema = (name: string, spec: object = {}): object => ({
  metadata: { name: `{ns}-${name}` },
  spec: { priorityLevelConfiguration: { name: "{ns}-level" }, ...spec },
});
const subject = { kind: "User", user: { name: "alice" } };
const rule = (more: object): object => ({ subjects: [subject], ...more });
const clean: readonly Step[] = [
  del(`${schemas}/{ns}-a`, undefined, quiet),
  del(`${schemas}/{ns}-b`, undefined, quiet),
  del(`${levels}/{ns}-level`, undefined, quiet),
];
const settled = { settle: 1500 };

const levelSpecs: readonly object[] = [
  limited(),
  limited({ nominalConcurrencyShares: 0 }),
  limited({ nominalConcurrencyShares: -1 }),
  limited({ lendablePercent: 0, borrowingLimitPercent: 0 }),
  limited({ lendablePercent: 101 }),
  limited({ borrowingLimitPercent: -1 }),
  limited({ limitResponse: { type: "Reject" } }),
  limited({ limitResponse: { type: "Queue" } }),
  limited({ limitResponse: { type: "Queue", queuing: {} } }),
  limited({ limitResponse: { type: "Queue", queuing: { queues: 0, handSize: 9, queueLengthLimit: 0 } } }),
  limited({ limitResponse: { type: "Queue", queuing: { queues: 4, handSize: 8 } } }),
  limited({ limitResponse: { type: "Queue", queuing: { queues: 100_000_000, handSize: 20 } } }),
  limited({ limitResponse: { type: "Reject", queuing: { queues: 1 } } }),
  limited({ limitResponse: { type: "Other" } }),
  limited({ limitResponse: {} }),
  { type: "Exempt" },
  { type: "Exempt", exempt: {} },
  { type: "Exempt", exempt: { nominalConcurrencyShares: 5, lendablePercent: 50 } },
  { type: "Exempt", limited: {} },
  { type: "Limited", exempt: {} },
  { type: "Other" },
  {},
];
const schemaSpecs: readonly object[] = [
  {},
  { matchingPrecedence: 1 },
  { matchingPrecedence: 10_001 },
  { matchingPrecedence: -1 },
  { distinguisherMethod: { type: "ByUser" } },
  { distinguisherMethod: { type: "Other" } },
  { distinguisherMethod: {} },
  { priorityLevelConfiguration: { name: "" } },
  { priorityLevelConfiguration: { name: "A_B" } },
  { priorityLevelConfiguration: { name: "exempt" } },
  { rules: [] },
  { rules: [{ subjects: [] }] },
  { rules: [rule({})] },
  { rules: [rule({ nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }] })] },
  {
    rules: [
      rule({ nonResourceRules: [{ verbs: ["*", "get"], nonResourceURLs: ["/a", "b", "/c*", "/d/*", "*", ""] }] }),
    ],
  },
  { rules: [rule({ resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }] })] },
  { rules: [rule({ resourceRules: [{ verbs: ["other"], apiGroups: [], resources: [], namespaces: [] }] })] },
  {
    rules: [
      rule({
        resourceRules: [
          { verbs: ["get"], apiGroups: ["a", "*"], resources: ["b", "*"], namespaces: ["c", "*"], clusterScope: true },
        ],
      }),
    ],
  },
  {
    rules: [
      rule({ resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["A_B", ""] }] }),
    ],
  },
  { rules: [rule({ resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] })] },
  ...[
    { kind: "User" },
    { kind: "User", user: { name: "" } },
    { kind: "Group", group: { name: "*" } },
    { kind: "Group", user: { name: "a" } },
    { kind: "ServiceAccount", serviceAccount: { namespace: "A", name: "*" } },
    { kind: "ServiceAccount", serviceAccount: { namespace: "a", name: "B_" } },
    { kind: "ServiceAccount", serviceAccount: { namespace: "", name: "" } },
    { kind: "Other" },
    {},
    { kind: "User", user: { name: "a" }, group: { name: "b" } },
  ].map((one) => ({ rules: [{ subjects: [one], nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/a"] }] }] })),
];

export const flows = defineTopic("variants-flows", {
  "schemas of a new server": [get(schemas, { only: ["kind", "items"] })],
  "levels of a new server": [get(levels, { only: ["kind", "items"] })],
  "a schema dangles until its level exists": [
    post(schemas, schema("a"), settled),
    get(`${schemas}/{ns}-a`),
    post(levels, level("level", limited()), settled),
    get(`${levels}/{ns}-level`),
    get(`${schemas}/{ns}-a`),
    put(`${levels}/{ns}-level`, level("level", limited({ nominalConcurrencyShares: 7 })), settled),
    get(`${levels}/{ns}-level`),
    del(`${levels}/{ns}-level`, undefined, settled),
    get(`${schemas}/{ns}-a`),
    patch("merge", `${schemas}/{ns}-a`, { spec: { priorityLevelConfiguration: { name: "exempt" } } }, settled),
    get(`${schemas}/{ns}-a`),
    patch("merge", `${schemas}/{ns}-a`, { spec: { matchingPrecedence: 2 } }, settled),
    get(`${schemas}/{ns}-a`),
    ...clean,
  ],
  "status by its subresource": [
    post(schemas, schema("a"), { ...quiet, ...settled }),
    patch(
      "merge",
      `${schemas}/{ns}-a/status`,
      { status: { conditions: [{ type: "Own", status: "True", reason: "R", message: "m" }] } },
      settled,
    ),
    get(`${schemas}/{ns}-a`),
    patch(
      "merge",
      `${schemas}/{ns}-a/status`,
      { status: { conditions: [{ type: "Dangling", status: "False" }] } },
      settled,
    ),
    get(`${schemas}/{ns}-a`),
    patch("merge", `${schemas}/{ns}-a/status`, { status: { conditions: [{ type: "Own" }, { type: "Own" }] } }),
    patch("merge", `${schemas}/{ns}-a/status`, { spec: { matchingPrecedence: 5 } }),
    post(levels, level("level", limited()), quiet),
    patch("merge", `${levels}/{ns}-level/status`, { status: { conditions: [{ type: "Own", status: "Maybe" }] } }),
    patch("merge", `${levels}/{ns}-level/status`, { status: { conditions: [{ type: "", status: "" }] } }),
    ...clean,
  ],
  "mandatory objects": ["exempt", "catch-all"].flatMap((name) => [
    put(`${levels}/${name}?dryRun=All`, { metadata: { name }, spec: limited({ nominalConcurrencyShares: 9 }) }),
    put(`${levels}/${name}?dryRun=All`, { metadata: { name }, spec: { type: "Exempt" } }),
    put(`${schemas}/${name}?dryRun=All`, {
      metadata: { name },
      spec: { matchingPrecedence: 3, priorityLevelConfiguration: { name: "exempt" } },
    }),
    post(`${levels}?dryRun=All`, { metadata: { name }, spec: {} }),
    post(`${schemas}?dryRun=All`, { metadata: { name }, spec: {} }),
  ]),
  ...Object.fromEntries(
    levelSpecs.map((spec) => [`level ${JSON.stringify(spec)}`, [post(`${levels}?dryRun=All`, level("level", spec))]]),
  ),
  ...Object.fromEntries(
    schemaSpecs.map((spec) => [`schema ${JSON.stringify(spec)}`, [post(`${schemas}?dryRun=All`, schema("b", spec))]]),
  ),
});
