/** The smaller kinds of the core group: ConfigMap, Secret, ServiceAccount, Namespace, Event, LimitRange and others. */
import { defineTopic, del, get, patch, post, put } from "../../case.ts";
import { objectLife } from "./object-life.ts";
import { creates, life, table, updates, type Changes, type Trial } from "../kinds/variants.ts";

const space = "/api/v1/namespaces/{ns}";
const trial = (resource: string, base: object): Trial => ({
  path: `${space}/${resource}`,
  base: { metadata: { name: "a" }, ...base },
});

const configMap = trial("configmaps", { data: { a: "1" } });
const secret = trial("secrets", { data: { a: "MQ==" } });
const account = trial("serviceaccounts", {});
const event = trial("events", {
  involvedObject: { namespace: "{ns}", kind: "Pod", name: "p" },
  reason: "R",
  message: " m ",
});
const newEventBase = {
  metadata: { name: "b" },
  eventTime: "2126-01-02T03:04:05.000006Z",
  regarding: { namespace: "{ns}", kind: "Pod", name: "p" },
  reason: "R",
  action: "A",
  type: "Normal",
  note: "n",
  reportingController: "example.com/c",
  reportingInstance: "i",
};
const newEvent: Trial = { path: "/apis/events.k8s.io/v1/namespaces/{ns}/events", base: newEventBase };
const quota = trial("resourcequotas", { spec: { hard: { pods: "10", "requests.cpu": "1" } } });
const limits = trial("limitranges", {
  spec: { limits: [{ type: "Container", max: { cpu: "2" }, min: { cpu: "100m" } }] },
});
const controller = trial("replicationcontrollers", {
  spec: {
    selector: { app: "a" },
    template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "nginx:1" }] } },
  },
});
const template = trial("podtemplates", {
  template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "nginx:1" }] } },
});

const token = (spec: object): object => ({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec });
const big = "x".repeat(1024 * 1024 + 1);
const limit = (item: object): Changes => ({ "spec/limits": [item] });

export const small = defineTopic("small", {
  ...life("config map", configMap),
  ...creates("config map", configMap, {
    "refuses bad keys": { data: { "a/b": "1" } },
    "refuses a long key": { data: { ["k".repeat(254)]: "1" } },
    "refuses dots": { data: { "..": "1" } },
    "refuses the same key twice": { binaryData: { a: "MQ==" } },
    "refuses too much": { data: { a: big } },
    "refuses bad names": { "metadata/name": "A_" },
    "refuses finalizers": { "metadata/finalizers": ["x", "y/z", "a b"] },
  }),
  "config map: is immutable": [
    post(configMap.path, { ...configMap.base, immutable: true }, { quiet: true }),
    put(`${configMap.path}/a`, configMap.base),
    put(`${configMap.path}/a`, { ...configMap.base, immutable: true, data: { a: "2" }, binaryData: { b: "MQ==" } }),
    put(`${configMap.path}/a`, { ...configMap.base, immutable: true, metadata: { name: "a", labels: { x: "y" } } }),
  ],
  ...life("secret", secret),
  ...creates("secret", secret, {
    "takes texts": { stringData: { a: "ä", b: "" } },
    "refuses bad keys": { data: { "a/b": "MQ==" } },
    "refuses too much": { data: { a: Buffer.from(big).toString("base64") } },
    "refuses a token without an account": { type: "kubernetes.io/service-account-token" },
    "refuses docker files without data": { type: "kubernetes.io/dockercfg" },
    "refuses docker files that are none": { type: "kubernetes.io/dockercfg", data: { ".dockercfg": "eA==" } },
    "refuses docker files that are lists": {
      type: "kubernetes.io/dockerconfigjson",
      data: { ".dockerconfigjson": "W10=" },
    },
    "refuses basic auth without data": { type: "kubernetes.io/basic-auth" },
    "refuses ssh without data": { type: "kubernetes.io/ssh-auth" },
    "refuses tls without data": { type: "kubernetes.io/tls" },
    "warns about tls that is none": { type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "" } },
    "takes unknown types": { type: "example.com/x" },
  }),
  ...updates("secret", secret, {
    "refuses another type": { type: "x" },
    "takes other data": { data: { b: "Mg==" } },
  }),
  "secret: is immutable": [
    post(secret.path, { ...secret.base, immutable: true }, { quiet: true }),
    put(`${secret.path}/a`, { ...secret.base, data: { b: "" } }),
  ],
  "secret: is selected by type": [
    post(secret.path, secret.base, { quiet: true }),
    get(`${secret.path}?fieldSelector=type=Opaque`),
  ],
  ...objectLife("account", account),
  ...creates("account", account, {
    "keeps names of secrets": {
      secrets: [{ name: "s", namespace: "x", kind: "Secret" }],
      imagePullSecrets: [{ name: "p" }],
    },
    "warns about annotations": { "metadata/annotations": { "kubernetes.io/enforce-mountable-secrets": "true" } },
  }),
  "account: gets tokens": [
    post(account.path, account.base, { quiet: true }),
    post(`${account.path}/a/token`, token({}), { only: ["kind", "apiVersion", "spec"] }),
    post(`${account.path}/a/token`, token({ audiences: ["x"], expirationSeconds: 7200 }), { only: ["kind", "spec"] }),
    post(`${account.path}/a/token`, token({ expirationSeconds: 5 })),
    post(`${account.path}/a/token`, token({ expirationSeconds: 4294967297 })),
    post(`${account.path}/a/token`, token({ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p" } })),
    post(`${account.path}/a/token`, token({ boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "p" } })),
    post(`${account.path}/a/token`, { ...token({}), metadata: { name: "b" } }),
    post(`${account.path}/b/token`, token({})),
  ],
  ...life("event", event),
  ...creates("event", event, {
    "refuses other namespaces": { "involvedObject/namespace": "x" },
    "refuses no namespace": { "involvedObject/namespace": undefined },
    "wants more with a time": { eventTime: "2126-01-02T03:04:05.000006Z" },
    "refuses long texts": {
      eventTime: "2126-01-02T03:04:05.000006Z",
      reportingComponent: "a b",
      reportingInstance: "x".repeat(129),
      action: "x".repeat(129),
      reason: "x".repeat(129),
      message: "x".repeat(1025),
    },
    "takes any name": { "metadata/name": "A_b" },
    "refuses slashes": { "metadata/name": "a/b" },
  }),
  ...life("new event", newEvent),
  ...creates("new event", newEvent, {
    "refuses no time": { eventTime: undefined },
    "refuses bad fields": {
      type: "X",
      deprecatedCount: 1,
      deprecatedFirstTimestamp: "2126-01-02T03:04:05Z",
      deprecatedSource: { component: "x" },
      series: { count: 1 },
    },
  }),
  ...updates("new event", newEvent, { "refuses changes": { reason: "S", note: "x", action: "B", type: "Warning" } }),
  "event: is seen through both doors": [
    post(newEvent.path, newEvent.base, { quiet: true }),
    get(`${event.path}/b`),
    get(`${event.path}?fieldSelector=involvedObject.name=p`),
    get(`${newEvent.path}/b`, { accept: table }),
  ],
  ...objectLife("quota", quota),
  ...creates("quota", quota, {
    "refuses unknown resources": { "spec/hard": { foo: "1" } },
    "refuses parts": { "spec/hard": { pods: "1.5" } },
    "refuses negative amounts": { "spec/hard": { pods: "-1" } },
    "takes counts of anything": { "spec/hard": { "count/widgets.example.com": "1" } },
    "refuses scopes": { "spec/scopes": ["X"] },
    "refuses conflicting scopes": { "spec/hard": { pods: "1" }, "spec/scopes": ["BestEffort", "NotBestEffort"] },
    "refuses scopes of other resources": { "spec/hard": { services: "1" }, "spec/scopes": ["Terminating"] },
    "refuses bad selectors": {
      "spec/scopeSelector": {
        matchExpressions: [
          { scopeName: "Terminating", operator: "In" },
          { scopeName: "PriorityClass", operator: "Exists", values: ["x"] },
          { scopeName: "X", operator: "Y" },
        ],
      },
    },
    "warns about requests above limits": { "spec/hard": { "requests.cpu": "2", "limits.cpu": "1" } },
  }),
  ...updates("quota", quota, { "refuses other scopes": { "spec/scopes": ["NotTerminating"] } }),
  "quota: reports": [
    post(quota.path, quota.base, { quiet: true }),
    patch("merge", `${quota.path}/a/status`, {
      status: { hard: { pods: "10", "limits.cpu": "1" }, used: { pods: "1" } },
    }),
    get(`${quota.path}/a`, { accept: table }),
    patch("merge", `${quota.path}/a/status`, { status: { hard: { foo: "1" } } }),
  ],
  ...life("limits", limits),
  ...creates("limits", limits, {
    "refuses unknown types": limit({ type: "X" }),
    "refuses unknown resources": limit({ type: "Container", max: { foo: "1" } }),
    "refuses less than the least": limit({ type: "Container", min: { cpu: "2" }, max: { cpu: "1" } }),
    "refuses defaults of pods": limit({ type: "Pod", default: { cpu: "1" }, defaultRequest: { cpu: "1" } }),
    "refuses claims without bounds": limit({ type: "PersistentVolumeClaim" }),
    "refuses ratios": limit({ type: "Container", maxLimitRequestRatio: { cpu: "0.5" } }),
    "refuses ratios that cannot be": limit({
      type: "Pod",
      max: { cpu: "2" },
      min: { cpu: "1" },
      maxLimitRequestRatio: { cpu: "3" },
    }),
    "refuses defaults out of bounds": limit({
      type: "Container",
      max: { cpu: "1" },
      default: { cpu: "2" },
      defaultRequest: { cpu: "3" },
    }),
    "refuses the same type twice": {
      "spec/limits": [
        { type: "Pod", max: { cpu: "1" } },
        { type: "Pod", max: { cpu: "1" } },
      ],
    },
    "refuses no limits": { "spec/limits": undefined },
  }),
  ...life("controller", controller),
  ...creates("controller", controller, {
    "takes the labels of its template": { "spec/selector": undefined },
    "refuses other labels": { "spec/selector": { app: "b" } },
    "refuses negative numbers": { "spec/replicas": -1, "spec/minReadySeconds": -1 },
    "refuses no template": { "spec/template": undefined },
    "refuses other policies": {
      "spec/template/spec/restartPolicy": "Never",
      "spec/template/spec/activeDeadlineSeconds": 5,
    },
    "warns about names": { "metadata/name": "a.b" },
  }),
  "controller: is scaled": [
    post(controller.path, controller.base, { quiet: true }),
    get(`${controller.path}/a/scale`),
    put(
      `${controller.path}/a/scale`,
      {
        kind: "Scale",
        apiVersion: "autoscaling/v1",
        metadata: { name: "a", namespace: "{ns}" },
        spec: { replicas: 3 },
      },
      { only: ["kind", "spec", "status"] },
    ),
    patch("merge", `${controller.path}/a/status`, {
      status: { replicas: 1, readyReplicas: 2, availableReplicas: 3, fullyLabeledReplicas: -1 },
    }),
    del(`${controller.path}/a`),
    get(`${controller.path}/a`),
  ],
  ...objectLife("template", template),
  ...creates("template", template, {
    "refuses no containers": { "template/spec/containers": [] },
    "refuses no template": { template: undefined },
  }),
});
