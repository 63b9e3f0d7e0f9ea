/** PUT of objects that do not exist: for every kind that PUT creates and some that it does not, with each odd part of the body. */
import { defineTopic, get, post, put, type Step } from "../../case.ts";
import { define, specOf, widget, widgets, type Part } from "../explored/widget.ts";

const core = "/api/v1/namespaces/{ns}";
const group = (name: string, resource: string): string => `/apis/${name}/namespaces/{ns}/${resource}`;

interface Kind {
  readonly path: string;
  readonly rest: Part;
}

const kinds: { readonly [name: string]: Kind } = {
  configmaps: { path: `${core}/configmaps`, rest: { data: { a: "b" } } },
  secrets: { path: `${core}/secrets`, rest: {} },
  endpoints: { path: `${core}/endpoints`, rest: {} },
  events: { path: `${core}/events`, rest: { involvedObject: { namespace: "{ns}" } } },
  limitranges: { path: `${core}/limitranges`, rest: { spec: { limits: [] } } },
  services: { path: `${core}/services`, rest: { spec: { ports: [{ port: 1 }] } } },
  serviceaccounts: { path: `${core}/serviceaccounts`, rest: {} },
  pods: { path: `${core}/pods`, rest: { spec: { containers: [{ name: "a", image: "a" }] } } },
  podtemplates: {
    path: `${core}/podtemplates`,
    rest: { template: { spec: { containers: [{ name: "a", image: "a" }] } } },
  },
  resourcequotas: { path: `${core}/resourcequotas`, rest: { spec: { hard: { pods: "1" } } } },
  nodes: { path: "/api/v1/nodes", rest: {} },
  namespaces: { path: "/api/v1/namespaces", rest: {} },
  persistentvolumeclaims: {
    path: `${core}/persistentvolumeclaims`,
    rest: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } } },
  },
  leases: { path: group("coordination.k8s.io/v1", "leases"), rest: { spec: { holderIdentity: "a" } } },
  roles: { path: group("rbac.authorization.k8s.io/v1", "roles"), rest: { rules: [] } },
  rolebindings: {
    path: group("rbac.authorization.k8s.io/v1", "rolebindings"),
    rest: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" } },
  },
  clusterroles: { path: "/apis/rbac.authorization.k8s.io/v1/clusterroles", rest: { rules: [] } },
  poddisruptionbudgets: { path: group("policy/v1", "poddisruptionbudgets"), rest: { spec: { minAvailable: 1 } } },
  endpointslices: {
    path: group("discovery.k8s.io/v1", "endpointslices"),
    rest: { addressType: "IPv4", endpoints: [], ports: [] },
  },
  networkpolicies: { path: group("networking.k8s.io/v1", "networkpolicies"), rest: { spec: { podSelector: {} } } },
  priorityclasses: { path: "/apis/scheduling.k8s.io/v1/priorityclasses", rest: { value: 1 } },
  runtimeclasses: { path: "/apis/node.k8s.io/v1/runtimeclasses", rest: { handler: "a" } },
  storageclasses: { path: "/apis/storage.k8s.io/v1/storageclasses", rest: { provisioner: "a" } },
  csidrivers: { path: "/apis/storage.k8s.io/v1/csidrivers", rest: { spec: {} } },
  controllerrevisions: { path: group("apps/v1", "controllerrevisions"), rest: { revision: 1 } },
  deployments: {
    path: group("apps/v1", "deployments"),
    rest: {
      spec: {
        selector: { matchLabels: { a: "a" } },
        template: { metadata: { labels: { a: "a" } }, spec: { containers: [{ name: "a", image: "a" }] } },
      },
    },
  },
  horizontalpodautoscalers: {
    path: group("autoscaling/v2", "horizontalpodautoscalers"),
    rest: { spec: { maxReplicas: 1, scaleTargetRef: { kind: "a", name: "a" } } },
  },
  validatingwebhookconfigurations: {
    path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    rest: {},
  },
  flowschemas: {
    path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    rest: { spec: { priorityLevelConfiguration: { name: "exempt" } } },
  },
  apiservices: {
    path: "/apis/apiregistration.k8s.io/v1/apiservices",
    rest: { spec: { group: "a", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 } },
  },
};

const name = "{ns}-x";
const metadatas: readonly Part[] = [
  {},
  { name },
  { name: "other" },
  { name, namespace: "elsewhere" },
  { name, uid: "u" },
  { name, resourceVersion: "" },
  { name, resourceVersion: "0" },
  { name, resourceVersion: "5" },
  { name, resourceVersion: "x" },
  { name, uid: "u", resourceVersion: "5" },
  { name, generateName: "generated-" },
  { name, generation: 7, creationTimestamp: "2020-01-01T00:00:00Z", selfLink: "/x" },
  { name, deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 3 },
  { name, labels: { "a b": "c" } },
  { name, managedFields: [{ manager: "m", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" }] },
  { name, finalizers: ["nope"] },
];

/** Every form of a PUT, as dry runs but for the last one. */
function forms({ path, rest }: Kind): Step[] {
  const whole = { metadata: { name }, ...rest };
  return [
    ...metadatas.map((metadata) => put(`${path}/${name}?dryRun=All`, { metadata, ...rest })),
    put(`${path}/${name}?fieldValidation=Strict`, { ...whole, nope: 1 }),
    put(`${path}/${name}?dryRun=All`, { ...whole, kind: "Nope" }),
    put(`${path}/${name}/status`, whole),
    put(path, whole),
    put(`${path}/Bad_Name?dryRun=All`, { metadata: { name: "Bad_Name" }, ...rest }),
    put(`${path}/${name}?dryRun=All`, whole, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }),
    put(`${path}/${name}`, whole, { as: "alice" }),
    put(`${path}/${name}`, whole),
    put(`${path}/${name}`, whole),
    put(`${path}/${name}`, { metadata: { name, uid: "u" }, ...rest }),
    put(`${path}/${name}`, { metadata: { name, resourceVersion: "1" }, ...rest }),
  ];
}

const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}";
const grant = (verbs: readonly string[], resourceNames: readonly string[] = []): Step[] => [
  post(
    `${rbac}/roles`,
    {
      metadata: { name: "r" },
      rules: [{ apiGroups: ["", "coordination.k8s.io"], resources: ["limitranges", "leases"], verbs, resourceNames }],
    },
    { quiet: true },
  ),
  post(
    `${rbac}/rolebindings`,
    {
      metadata: { name: "b" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "alice" }],
    },
    { quiet: true, settle: 700 },
  ),
];
const lease = (where: string, more: Partial<Step> = {}): Step =>
  put(`/apis/coordination.k8s.io/v1/namespaces/${where}/leases/a`, { metadata: { name: "a" } }, more);

export const puts = defineTopic("variants-puts", {
  ...Object.fromEntries(Object.entries(kinds).map(([kind, one]) => [kind, forms(one)])),
  "custom objects": [
    define(specOf({ x: { type: "integer" } })),
    ...forms({ path: widgets, rest: { apiVersion: "{ns}.dev/v1", kind: "Widget", spec: { x: 1 } } }),
    put(`${widgets}/w`, widget({ x: "a" })),
    get(`${widgets}/w`),
  ],
  "a right to update only": [
    ...grant(["update"]),
    lease("{ns}", { as: "alice" }),
    lease("{ns}"),
    lease("{ns}", { as: "alice" }),
  ],
  "a right to create only": [...grant(["create"]), lease("{ns}", { as: "alice" })],
  "rights to update and create": [...grant(["update", "create"]), lease("{ns}", { as: "alice" })],
  "rights for a name": [...grant(["update", "create"], ["a"]), lease("{ns}", { as: "alice" })],
  "a namespace that is not there": [lease("{ns}-none"), lease("{ns}-none", { as: "alice" })],
  "odd options": [
    put("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a?dryRun=Some", { metadata: { name: "a" } }),
    put("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a?fieldManager=%0A", { metadata: { name: "a" } }),
    put(`/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a?fieldManager=${"a".repeat(129)}`, {
      metadata: { name: "a" },
    }),
    put("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a?fieldValidation=Nope", { metadata: { name: "a" } }),
    put("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a", "null"),
    put("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a", "[]"),
    put("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a", ""),
  ],
});
