/** Single kinds: protection, fixed specs, lists and maps as the store returns them, malformed bytes and patches. */
import { defineTopic, get, patch, post, put, type Step } from "../../case.ts";
import { slice } from "./resource-slice.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const pods = "/api/v1/namespaces/{ns}/pods";
const devices = "/apis/resource.k8s.io/v1/namespaces/{ns}";
const flow = "/apis/flowcontrol.apiserver.k8s.io/v1";
const scalers = (version: string): string => `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers`;
const label = "resource.kubernetes.io/admin-access";

const asking = (adminAccess: boolean): object => ({
  devices: { requests: ["r", "q"].map((name) => ({ name, exactly: { deviceClassName: "c", adminAccess } })) },
});
const granting = { devices: { results: [{ request: "r", driver: "d", pool: "p", device: "v", adminAccess: true }] } };
const labelled = (value: string): Step =>
  patch("merge", "/api/v1/namespaces/{ns}", { metadata: { labels: { [label]: value } } }, { quiet: true, settle: 500 });

const changes: readonly object[] = [
  { matchingPrecedence: 5 },
  { rules: [] },
  { type: "Limited", limited: { nominalConcurrencyShares: 7 } },
  { exempt: { nominalConcurrencyShares: 7, lendablePercent: 5 } },
  { type: "Exempt", limited: null },
  { limited: { limitResponse: { type: "Queue", queuing: {} } } },
  { distinguisherMethod: null },
  { priorityLevelConfiguration: { name: "exempt" } },
];
const tried = (resource: string, name: string): Step[] =>
  changes.map((spec) => patch("merge", `${flow}/${resource}/${name}?dryRun=All`, { spec }));

const bytes = [
  "YQ",
  "YQ=",
  "Y",
  "YWJj!",
  "YWJjZA",
  "YQ==x",
  "YQ=a",
  "=",
  "YW\nJj\nZA",
  "YQ=\n=\n",
  "YQ==\nx",
  "YR==",
  "",
];

export const hostileKinds = defineTopic("hostile-kinds", {
  "ResourceClaim: asks for administration only where the namespace says so": [
    post(`${devices}/resourceclaims`, { metadata: { name: "a" }, spec: asking(true) }),
    post(`${devices}/resourceclaims`, { metadata: { name: "A_" }, spec: asking(true) }),
    post(`${devices}/resourceclaims`, { metadata: { name: "b" }, spec: asking(false) }),
    post(`${devices}/resourceclaimtemplates`, { metadata: { name: "a" }, spec: { spec: asking(true) } }),
    labelled("true"),
    post(`${devices}/resourceclaims`, { metadata: { name: "a" }, spec: asking(true) }),
    post(`${devices}/resourceclaimtemplates`, { metadata: { name: "a" }, spec: { spec: asking(true) } }),
    labelled("false"),
    patch("merge", `${devices}/resourceclaims/a`, { metadata: { labels: { a: "b" } } }),
    patch("merge", `${devices}/resourceclaims/b/status`, { status: { allocation: granting } }),
    labelled("true"),
    patch("merge", `${devices}/resourceclaims/b/status`, { status: { allocation: granting } }),
    labelled("false"),
    patch("merge", `${devices}/resourceclaims/b/status`, { status: { allocation: granting } }),
  ],
  "FlowSchema: exempt and catch-all stay as they are": [
    ...tried("flowschemas", "exempt"),
    ...tried("flowschemas", "catch-all"),
  ],
  "PriorityLevelConfiguration: exempt and catch-all stay as they are": [
    ...tried("prioritylevelconfigurations", "exempt"),
    ...tried("prioritylevelconfigurations", "catch-all"),
  ],
  "lists: that are always shown are null when they are empty": [
    post(pods, {
      metadata: { name: "a" },
      spec: { volumes: [{ name: "v", projected: { sources: [] } }], containers: [{ name: "c", image: "i" }] },
    }),
    get(`${pods}/a`),
    post("/api/v1/namespaces/{ns}/limitranges", { metadata: { name: "a" }, spec: { limits: [] } }),
    post(`${flow}/flowschemas`, {
      metadata: { name: "{ns}" },
      spec: {
        priorityLevelConfiguration: { name: "x" },
        rules: [
          {
            subjects: [{ kind: "Group", group: { name: "*" } }],
            resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: [] }],
          },
        ],
      },
    }),
  ],
  "maps: keys that are numbers are sorted as texts": [
    post(maps, { metadata: { name: "a", labels: { "10": "", "9": "" } }, data: { z: "", "9": "", "10": "", "-": "" } }),
    patch("merge", `${maps}/a`, { data: { "1": "x", "100": "y" } }),
    patch("apply", `${maps}/a?fieldManager=m`, { apiVersion: "v1", kind: "ConfigMap", data: { "2": "", d: "" } }),
    get(`${maps}/a`, { accept: "application/yaml" }),
    put(`${maps}/a`, { metadata: { name: "a" }, data: { "9": "<", "10": "" } }),
  ],
  "maps: defaulted requests stay sorted": [
    post(pods, {
      metadata: { name: "a" },
      spec: { containers: [{ name: "c", image: "i", resources: { limits: { memory: "1Gi", cpu: "1" } } }] },
    }),
    patch("merge", `${pods}/a`, { metadata: { labels: { a: "b" } } }),
    patch("strategic", `${pods}/a`, { metadata: { labels: { z: "b", c: "d" } } }),
  ],
  "bytes: that are no base64": bytes.map((a) => post(maps, { metadata: { name: "{ns}" }, binaryData: { a } })),
  "patches: fields that come twice in operations": [
    post(maps, { metadata: { name: "a" }, data: { a: "b" } }),
    patch("json", `${maps}/a`, '[{"op":"add","path":"/data/x","value":"1","value":"2"}]'),
    patch("json", `${maps}/a`, '[{"op":"add","op":"add","path":"/data/x","value":"1","foo":1}]'),
    patch("json", `${maps}/a?fieldValidation=Strict`, '[{"op":"add","path":"/data/x","value":"1","value":"2"}]'),
  ],
  "HorizontalPodAutoscaler: what the first version notes stands in whole objects only": [
    post(scalers("v2"), {
      metadata: { name: "a", annotations: { x: "y", "autoscaling.alpha.kubernetes.io/metrics": "[]" } },
      spec: { scaleTargetRef: { kind: "Deployment", name: "d" }, maxReplicas: 3, behavior: { scaleDown: {} } },
    }),
    get(`${scalers("v1")}/a`),
    ...["PartialObjectMetadata", "Table"].map((as) =>
      get(`${scalers("v1")}/a`, { accept: `application/json;as=${as};g=meta.k8s.io;v=v1` }),
    ),
    get(`${scalers("v1")}?includeObject=Object`, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }),
  ],
  "Job: takes empty labels of its pods for its own": [
    post("/apis/batch/v1/namespaces/{ns}/jobs", {
      metadata: { name: "n".repeat(64) },
      spec: {
        template: {
          metadata: { labels: {} },
          spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
        },
      },
    }),
  ],
  "ResourceSlice: an attribute has one value": [slice({ name: "x", attributes: { a: { int: 1, bool: true } } })],
  "PodSecurity: what is quoted inside is not escaped": [
    patch("merge", "/api/v1/namespaces/{ns}", {
      metadata: { labels: { "pod-security.kubernetes.io/enforce": "baseline" } },
    }),
    post(pods, {
      metadata: { name: "a", annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    }),
  ],
});
