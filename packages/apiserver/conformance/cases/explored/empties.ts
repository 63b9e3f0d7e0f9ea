/** Lists and maps that are sent empty: where kube-apiserver distinguishes them from absent ones, although it stores neither. */
import { defineTopic, patch, post, put } from "../../case.ts";

const quiet = { quiet: true };
const policies = "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies";
const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles";
const pods = "/api/v1/namespaces/{ns}/pods";
const maps = "/api/v1/namespaces/{ns}/configmaps";
const secrets = "/api/v1/namespaces/{ns}/secrets";
const policy = (spec: object): object => ({ metadata: { name: "a" }, spec: { podSelector: {}, ...spec } });
const role = (more: object): object => ({
  metadata: { name: "r" },
  rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], ...more }],
});
const container = { name: "c", image: "i" };
const pod = {
  metadata: { name: "p" },
  spec: { serviceAccountName: "default", automountServiceAccountToken: false, containers: [container] },
};
const account = post("/api/v1/namespaces/{ns}/serviceaccounts", { metadata: { name: "default" } }, quiet);
const beside = (name: string, more: object): object => ({
  spec: { ephemeralContainers: [{ name, image: "i", ...more }] },
});

export const empties = defineTopic("empties", {
  "count as changes of a network policy each time": [
    post(policies, policy({ ingress: [] })),
    put(`${policies}/a`, policy({ ingress: [] })),
    put(`${policies}/a`, policy({ policyTypes: ["Ingress"] })),
    patch("merge", `${policies}/a`, { spec: { podSelector: { matchLabels: {} } } }),
    patch("apply", `${policies}/a?fieldManager=me`, {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      ...policy({ egress: [] }),
    }),
  ],
  "make one who replaces a list its owner": [
    post(`${roles}?fieldManager=one`, role({ resourceNames: [] })),
    put(`${roles}/r?fieldManager=two`, role({})),
    put(`${roles}/r?fieldManager=three`, role({ resourceNames: [] })),
    put(`${roles}/r?fieldManager=four`, role({})),
  ],
  "are shown in what may not change": [
    account,
    post(pods, pod, quiet),
    patch("merge", `${pods}/p`, { spec: { hostname: "x", nodeSelector: {}, volumes: [], tolerations: [] } }),
    patch("strategic", `${pods}/p`, {
      spec: { hostname: "x", containers: [{ ...container, args: [], resources: { limits: {} } }] },
    }),
  ],
  "are not allowed where nothing may be": [
    account,
    post(pods, pod, quiet),
    patch("strategic", `${pods}/p/ephemeralcontainers`, beside("a", { ports: [] })),
    patch("strategic", `${pods}/p/ephemeralcontainers`, beside("b", { resources: { limits: {} } })),
    patch("strategic", `${pods}/p/ephemeralcontainers`, beside("c", { lifecycle: {}, resizePolicy: [] })),
    patch("strategic", `${pods}/p/ephemeralcontainers`, beside("d", { resources: {}, volumeMounts: [] })),
  ],
  "change what is immutable": [
    post(maps, { metadata: { name: "m" }, immutable: true }, quiet),
    put(`${maps}/m`, { metadata: { name: "m" }, immutable: true, data: {} }),
    put(`${maps}/m`, { metadata: { name: "m" }, immutable: true, binaryData: {} }),
    post(secrets, { metadata: { name: "s" }, immutable: true, stringData: { a: "b" } }, quiet),
    put(`${secrets}/s`, { metadata: { name: "s" }, immutable: true, data: {}, stringData: { a: "b" } }),
    post(secrets, { metadata: { name: "e" }, immutable: true }, quiet),
    put(`${secrets}/e`, { metadata: { name: "e" }, immutable: true, stringData: {} }),
    put(`${secrets}/e`, { metadata: { name: "e" }, immutable: true, data: {} }),
  ],
  "are shown as they were given": [
    post("/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses", { metadata: { name: "i" }, spec: { rules: [] } }),
    post("/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses", { metadata: { name: "i" }, spec: {} }),
    post("/apis/apps/v1/namespaces/{ns}/deployments", {
      metadata: { name: "d" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: {} }, spec: { containers: [container] } },
      },
    }),
    post("/apis/resource.k8s.io/v1/resourceslices", {
      metadata: { name: "{ns}" },
      spec: {
        nodeName: "n",
        driver: "d",
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
        devices: [],
        sharedCounters: [],
      },
    }),
  ],
});
