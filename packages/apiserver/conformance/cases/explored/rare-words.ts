/** Rare messages: quoted values, duplicate fields, old annotations, lists that are compared by name. */
import { defineTopic, get, patch, post, put, type Step } from "../../case.ts";

const core = "/api/v1/namespaces/{ns}";
const pods = `${core}/pods`;
const maps = `${core}/configmaps`;
const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const claims = "/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims";
const refusal = { only: ["kind", "message", "details", "reason", "code"] };
const odd = "a<\u00e9\u0001\u2028b";
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const workload = { selector: { matchLabels: { a: "b" } }, template };

const tried = (path: string, body: object): Step => post(`${path}?dryRun=All`, body, refusal);
const named = (name: string, rest: object = {}): object => ({ metadata: { name }, ...rest });
const pod = (spec: object): Step => tried(pods, named("p", { spec: { ...template.spec, ...spec } }));
const container = (more: object): Step => pod({ containers: [{ name: "c", image: "i", ...more }] });

const avoiding = (text: string): Step =>
  tried("/api/v1/nodes", {
    metadata: { name: "n", annotations: { "scheduler.alpha.kubernetes.io/preferAvoidPods": text } },
  });

const addressed = (...ips: string[]): Step =>
  patch(
    "merge",
    `${claims}/c/status?dryRun=All`,
    { status: { devices: [{ driver: "d", pool: "p", device: "x", networkData: { ips } }] } },
    refusal,
  );

const appliedText = (text: string, more = ""): Step =>
  patch("apply", `${deployments}/d?fieldManager=z${more}`, text, refusal);
const head = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\n";
const twice = `${head}  name: d\n  labels:\n    a: b\n    a: c\n`;
const twiceInJson =
  '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d",\n"name":"d","labels":{"a":"b","a":"c"}}}';

const behaving = (behavior: string): Step =>
  post("/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers?dryRun=All", {
    metadata: { name: "h", annotations: { "autoscaling.alpha.kubernetes.io/behavior": behavior } },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: "a", name: "b" } },
  });

const withDevices = (...paths: string[]): Step =>
  pod({
    volumes: [
      { name: "v", persistentVolumeClaim: { claimName: "x" } },
      { name: "w", emptyDir: {} },
    ],
    containers: [
      {
        name: "c",
        image: "i",
        volumeMounts: [{ name: "w", mountPath: "/a" }],
        volumeDevices: paths.map((devicePath) => ({ name: "v", devicePath })),
      },
    ],
  });

const atAddresses = (...clusterIPs: string[]): Step =>
  tried(`${core}/services`, named("s", { spec: { ports: [{ port: 1 }], clusterIP: clusterIPs[0], clusterIPs } }));

const watched = ["metadata.name%3Db", "metadata.name%3Da", "metadata.name!%3Da", "metadata.namespace%3Dz", "nope%3D1"];

export const rareWords = defineTopic("rare-words", {
  "texts of types with names are quoted as JSON": [
    pod({ securityContext: { windowsOptions: { runAsUserName: odd } } }),
    pod({ securityContext: { windowsOptions: { gmsaCredentialSpecName: odd } } }),
    container({ resources: { limits: { [odd]: "1" } } }),
    container({ resources: { limits: { "kubernetes.io/a<b": "1" } } }),
    tried(`${core}/resourcequotas`, named("q", { spec: { hard: { "a<b": "1" } } })),
    tried(
      `${core}/resourcequotas`,
      named("q", { spec: { scopeSelector: { matchExpressions: [{ scopeName: odd, operator: odd }] } } }),
    ),
    tried(`${core}/limitranges`, named("l", { spec: { limits: [{ type: "Container", max: { "a<b": "1" } }] } })),
    tried("/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets", named("p", { spec: { minAvailable: odd } })),
    tried(deployments, named("d", { spec: { ...workload, strategy: { rollingUpdate: { maxSurge: "a<b" } } } })),
    get(`${pods}?resourceVersionMatch=${encodeURIComponent(odd)}`, refusal),
  ],
  "URLs of webhooks are quoted as Go does": [
    tried(
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
      named("w", { webhooks: [{ name: "a.b.c", admissionReviewVersions: ["v1"], clientConfig: { url: odd } }] }),
    ),
  ],
  "unknown fields are quoted as whoever reads does": [
    post(maps, { [odd]: 1, metadata: { name: "a", [odd]: 2 } }),
    post(`${maps}?fieldValidation=Strict`, { [odd]: 1, metadata: { name: "b" } }),
    patch("strategic", `${maps}/a?fieldValidation=Strict`, { [odd]: 1 }),
    patch("merge", `${maps}/a?fieldValidation=Strict`, { [odd]: 1 }),
  ],
  "what is unknown is not there twice": [
    post(maps, '{"metadata":{"name":"a","name":"a","z":1,"z":{"a":1,"a":2}},"x":[{"a":1,"a":2}],"x":1}'),
    post(maps, "metadata:\n  name: b\n  name: b\n  z: 1\n  z: 2\n", { type: "application/yaml" }),
  ],
  "paths that are refused are shown as they are meant": [
    get(`/${encodeURIComponent(odd)}`, { as: "alice" }),
    get("/a%2Fb%26%3C", { as: "alice" }),
    get("/api/v1/namespaces/a%3Cb/pods", { as: "alice" }),
  ],
  "pods that a node avoids": [
    ...["x", "{}", "null", "[]", '{"preferAvoidPods":5}', '{"preferAvoidPods":[{}]}'].map(avoiding),
    avoiding('{"preferAvoidPods":[{"podSignature":{"podController":{"kind":"a","controller":false}}}]}'),
    avoiding('{"preferAvoidPods":[{"podSignature":{"podController":{"kind":"a","controller":true}}}]}'),
  ],
  "addresses of devices have one form": [
    post(claims, named("c", { spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "x" } }] } } }), {
      quiet: true,
    }),
    ...["x", "10.0.0.1/8", "10.0.0.1", "010.0.0.1/8", "10.0.0.1/08", "FD00::1/64"].map((ip) => addressed(ip)),
    ...["fd00:0::1/64", "::ffff:1.2.3.4/120", "::ffff:1.2.3.4/20"].map((ip) => addressed(ip)),
    addressed("1.2.3.4/32", "1.2.3.4/32", "x", "x"),
    addressed(...Array.from({ length: 17 }, (_, at) => `1.2.3.${at}/24`)),
  ],
  "what is applied and says something twice": [
    post(deployments, named("d", { spec: workload }), { quiet: true }),
    appliedText(`${head}  name: e\n`),
    appliedText(twice),
    appliedText(twice, "&fieldValidation=Strict"),
    appliedText(twice, "&fieldValidation=Ignore"),
    appliedText(twiceInJson),
    appliedText(twiceInJson, "&fieldValidation=Strict"),
    appliedText(`${head}spec:\n  replicas: x\n  replicas: y\n`),
    put(`${deployments}/d`, "metadata:\n  name: e\n  name: e\n", { type: "application/yaml", ...refusal }),
  ],
  "behavior that is noted in letters of any case": [
    behaving('{"scaleUp":{"policies":[{"type":"Pods","value":1,"periodSeconds":5}],"selectPolicy":"Min"}}'),
    behaving('{"SCALEUP":{"Policies":null}}'),
    ...["{}", "null", "[]", '{"scaleDown":{"nope":1}}'].map(behaving),
  ],
  "of devices with one name the last is known": [
    withDevices("/a", "/b"),
    withDevices("/b", "/a"),
    withDevices("/a", "/a"),
  ],
  "too many addresses are only counted": [
    atAddresses("10.0.0.9", "10.0.0.10"),
    atAddresses("10.0.0.9", "10.0.0.10", "fd00::1"),
    atAddresses("fd00::1", "fd00::2", "fd00::3", "10.0.0.9"),
  ],
  "whoever watches a name cannot select another": [
    post(maps, named("a"), { quiet: true }),
    ...watched.map((selector) =>
      get(`/api/v1/watch/namespaces/{ns}/configmaps/a?timeoutSeconds=1&fieldSelector=${selector}`, { events: 1 }),
    ),
  ],
});
