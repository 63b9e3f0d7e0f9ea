/** Webhooks with every type of response: denials, warnings, patches, malformed responses, and the review they get. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";
import { admissionHooks } from "../../hooks/admission.ts";
import {
  here,
  map,
  maps,
  mutating,
  quietly,
  registration,
  rules,
  settling,
  unmutated,
} from "../explored/admission-scene.ts";
import type { Part } from "../explored/widget.ts";

type Phase = "validating" | "mutating";
const phases = ["validating", "mutating"] as const;

/** A webhook that matches objects with its name as label. */
const hook = (name: string, more: Part = {}): Part => ({
  name: `${name}.example.com`,
  clientConfig: { url: `{hook}/admit/${name}`, caBundle: "{hookCa}" },
  rules: rules(),
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  timeoutSeconds: name === "silence" ? 1 : 10,
  objectSelector: { matchLabels: { hook: name } },
  ...here,
  ...more,
});
const install = (phase: Phase, webhooks: readonly Part[]): Step =>
  post(`${registration}/${phase}webhookconfigurations`, { metadata: { name: "w-{ns}" }, webhooks }, settling);
const uninstall = (phase: Phase): Step =>
  del(`${registration}/${phase}webhookconfigurations/w-{ns}`, undefined, quietly);
const labelled = (name: string, more: Part = {}): Part => map({ a: "1" }, { name, labels: { hook: name }, ...more });
const everywhere = { objectSelector: {} };
const bob = { headers: { "impersonate-user": "bob", "impersonate-group": "system:masters" } };

/** One configuration with all webhooks, and one object for each. */
const scene = (phase: Phase, names: readonly string[], more: Part = {}): Step[] => [
  install(
    phase,
    names.map((name) => hook(name, more)),
  ),
  ...names.map((name) => post(maps, labelled(name))),
  uninstall(phase),
];

const cases: { [name: string]: Step[] } = {};
const waiting = (name: string): Part => ({ ...hook(name), timeoutSeconds: name === "again-too-late" ? 1 : 10 });
for (const phase of phases) {
  cases[`${phase}: detours`] = [
    install(phase, admissionHooks.detours.map(waiting)),
    ...admissionHooks.detours.map((name) => post(maps, labelled(name))),
    uninstall(phase),
  ];
  cases[`${phase}: refusals`] = scene(phase, admissionHooks.refusals);
  cases[`${phase}: warnings`] = scene(phase, admissionHooks.warnings);
  cases[`${phase}: patches`] = scene(phase, admissionHooks.patches);
  cases[`${phase}: nonsense`] = scene(phase, admissionHooks.misanswers);
  cases[`${phase}: nonsense that is ignored`] = scene(phase, admissionHooks.misanswers, { failurePolicy: "Ignore" });
  cases[`${phase}: patches that are ignored`] = scene(phase, admissionHooks.patches, { failurePolicy: "Ignore" });
  cases[`${phase}: the old review`] = scene(
    phase,
    [
      "refuse-message",
      "patch-add",
      "patch-untyped",
      "other-uid",
      "other-review",
      "no-response",
      "empty-object",
      "unknown-kind",
    ],
    { admissionReviewVersions: ["v1beta1", "v1"] },
  );
  cases[`${phase}: unknown reviews first`] = scene(phase, ["allow", "other-review"], {
    admissionReviewVersions: ["v2", "v1"],
  });
}

/** The reviews of each type of request. */
const operations = ["CREATE", "UPDATE", "DELETE"];
for (const phase of phases) {
  cases[`${phase}: what is asked`] = [
    post(maps, map({ a: "1" }, { name: "old", labels: { x: "y" } }), quietly),
    install(phase, [hook("echo", { ...everywhere, rules: rules({ operations }), sideEffects: "NoneOnDryRun" })]),
    post(maps, map({ a: "1" }, { name: "new" }), bob),
    post(`${maps}?dryRun=All&fieldManager=me&fieldValidation=Strict&pretty=true`, map({}, { name: "dry" }), bob),
    post(maps, { metadata: { generateName: "generated-" } }, bob),
    put(`${maps}/old`, map({ a: "2" }, { name: "old" }), bob),
    patch("merge", `${maps}/old?fieldManager=you`, { data: { b: "3" } }, bob),
    patch("json", `${maps}/old`, [{ op: "add", path: "/data/c", value: "4" }], bob),
    patch("apply", `${maps}/old?fieldManager=mine&force=true`, map({ a: "5" }, { name: "old" }), bob),
    patch("apply", `${maps}/fresh?fieldManager=mine`, map({ a: "5" }, { name: "fresh" }), bob),
    del(`${maps}/old`, undefined, bob),
    del(`${maps}/old?gracePeriodSeconds=3&propagationPolicy=Foreground&dryRun=All`, undefined, bob),
    del(`${maps}/old`, { apiVersion: "v1", kind: "DeleteOptions", preconditions: { resourceVersion: "1" } }, bob),
    del(`${maps}?labelSelector=x`, undefined, bob),
    uninstall(phase),
  ];
}
const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
const pods = "/api/v1/namespaces/{ns}/pods";
const template = { metadata: { labels: { a: "b" } }, spec: { ...pod.spec, restartPolicy: "Always" } };
const selector = { matchLabels: { a: "b" } };
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const backend = { service: { name: "s", port: { number: 80 } } };
/** New objects with fields that the server fills in or reorders. */
const newObjects: { readonly [collection: string]: Part } = {
  "/apis/apps/v1/namespaces/{ns}/deployments": { selector, template },
  "/apis/apps/v1/namespaces/{ns}/statefulsets": { serviceName: "s", selector, template },
  "/apis/apps/v1/namespaces/{ns}/daemonsets": { selector, template },
  "/apis/batch/v1/namespaces/{ns}/jobs": { template: { spec: { ...pod.spec, restartPolicy: "Never" } } },
  "/apis/batch/v1/namespaces/{ns}/cronjobs": {
    schedule: "* * * * *",
    jobTemplate: { spec: { template: { spec: { ...pod.spec, restartPolicy: "Never" } } } },
  },
  "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses": { defaultBackend: backend },
  "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets": { maxUnavailable: 1, selector },
  "/api/v1/namespaces/{ns}/persistentvolumeclaims": claim,
  "/api/v1/namespaces/{ns}/resourcequotas": { hard: { pods: "1" } },
  "/api/v1/namespaces/{ns}/services": { type: "ExternalName", externalName: "e.example.com", ports: [{ port: 80 }] },
};
for (const phase of phases) {
  cases[`${phase}: what is asked about new objects`] = [
    install(phase, [
      hook("echo", {
        ...everywhere,
        rules: rules({ apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], operations: ["CREATE"] }),
      }),
    ]),
    ...Object.entries(newObjects).map(([path, spec]) => post(path, { metadata: { name: "n" }, spec }, bob)),
    post("/api/v1/namespaces/{ns}/secrets", { type: "Opaque", metadata: { name: "s" }, data: { a: "MQ==" } }, bob),
    uninstall(phase),
  ];
}
cases["what is asked about views"] = [
  post(pods, pod, quietly),
  post(
    "/apis/apps/v1/namespaces/{ns}/replicasets",
    {
      metadata: { name: "r" },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: pod.spec },
      },
    },
    quietly,
  ),
  install("validating", [
    hook("echo", {
      ...everywhere,
      rules: [
        {
          apiGroups: ["*"],
          apiVersions: ["*"],
          operations: ["*"],
          resources: [
            "pods/eviction",
            "pods/binding",
            "pods/status",
            "pods/ephemeralcontainers",
            "replicasets/scale",
            "replicasets/status",
          ],
        },
      ],
    }),
  ]),
  post(`${pods}/p/eviction`, { metadata: { name: "p" } }, bob),
  post(`${pods}/p/binding`, { metadata: { name: "p" }, target: { name: "n" } }, bob),
  patch("merge", `${pods}/p/status`, { status: { phase: "Running" } }, bob),
  patch(
    "strategic",
    `${pods}/p/ephemeralcontainers`,
    { spec: { ephemeralContainers: [{ name: "e", image: "i" }] } },
    bob,
  ),
  patch("merge", "/apis/apps/v1/namespaces/{ns}/replicasets/r/scale", { spec: { replicas: 2 } }, bob),
  put(
    "/apis/apps/v1/namespaces/{ns}/replicasets/r/scale",
    { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "r" }, spec: { replicas: 3 } },
    bob,
  ),
  patch("merge", "/apis/apps/v1/namespaces/{ns}/replicasets/r/status", { status: { replicas: 1 } }, bob),
  uninstall("validating"),
];
const autoscaler = (version: string): Part => ({
  apiVersion: `autoscaling/${version}`,
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "h" },
  spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" } },
});
for (const matchPolicy of ["Exact", "Equivalent"]) {
  cases[`other versions: ${matchPolicy}`] = [
    install("validating", [
      hook("echo", {
        ...everywhere,
        matchPolicy,
        rules: [{ apiGroups: ["autoscaling"], apiVersions: ["v1"], operations: ["*"], resources: ["*"] }],
      }),
    ]),
    post("/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers", autoscaler("v1"), bob),
    post("/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers", autoscaler("v2"), bob),
    uninstall("validating"),
  ];
}

cases["trial runs"] = [
  install("mutating", [
    hook("patch-add", { sideEffects: "NoneOnDryRun" }),
    hook("refuse-message", { sideEffects: "NoneOnDryRun", failurePolicy: "Ignore" }),
  ]),
  post(`${maps}?dryRun=All`, labelled("patch-add")),
  get(`${maps}/patch-add`),
  post(`${maps}?dryRun=All`, labelled("refuse-message")),
  uninstall("mutating"),
];

const asked = (names: readonly string[], policies: readonly string[]): Step[] => [
  install(
    "mutating",
    names.map((name, index) => hook(name, { ...everywhere, reinvocationPolicy: policies[index] })),
  ),
  post(maps, map()),
  put(`${maps}/c`, map({ a: "2" })),
  uninstall("mutating"),
];
cases["asked again: never"] = asked(["count", "once"], ["Never", "Never"]);
cases["asked again: if needed"] = asked(["count", "once"], ["IfNeeded", "Never"]);
cases["asked again: both"] = asked(["count", "once"], ["IfNeeded", "IfNeeded"]);
cases["asked again: the other way round"] = asked(["once", "count"], ["IfNeeded", "IfNeeded"]);
cases["asked again: twice the same"] = asked(["count", "count"], ["IfNeeded", "Never"]);
cases["asked again: after a policy"] = [
  ...mutating(
    [
      {
        patchType: "ApplyConfiguration",
        applyConfiguration: { expression: "Object{data: {'seen': object.data.?count.orValue('none')}}" },
      },
    ],
    { reinvocationPolicy: "IfNeeded" },
  ),
  install("mutating", [hook("count", { ...everywhere, reinvocationPolicy: "IfNeeded" })]),
  post(maps, map()),
  put(`${maps}/c`, map({ a: "2" })),
  uninstall("mutating"),
  ...unmutated,
];

const conditions = (...expressions: string[]): Part => ({
  matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
});
const conditioned: { readonly [name: string]: Part } = {
  "one false": conditions("true", "false"),
  "false before an error": conditions("object.data.nope == 'x'", "false"),
  "two errors": conditions("object.data.nope == 'x'", "object.data.none == 'y'"),
  "a request": conditions("request.operation == 'UPDATE' || request.userInfo.username == 'nobody'"),
  "an old object": conditions("oldObject == null"),
  "an authorizer": conditions("authorizer.group('').resource('pods').check('create').allowed()"),
  "an error that is ignored": { ...conditions("object.data.nope == 'x'"), failurePolicy: "Ignore" },
  "a namespace": conditions("namespaceObject.metadata.name == 'x'"),
  "no truth": conditions("object.data.a"),
};
for (const phase of phases) {
  for (const [name, more] of Object.entries(conditioned)) {
    cases[`${phase}: on condition: ${name}`] = [
      post(`${registration}/${phase}webhookconfigurations?dryRun=All`, {
        metadata: { name: "w-{ns}" },
        webhooks: [hook("refuse-message", { ...more, clientConfig: { url: "https://hooks.example.com/" } })],
      }),
      install(phase, [hook("refuse-message", { ...everywhere, ...more })]),
      post(maps, map()),
      uninstall(phase),
    ];
  }
}

cases["whom to trust"] = [
  install("validating", [
    hook("allow", { clientConfig: { url: "{hook}/admit/allow" } }),
    hook("refuse-message", { clientConfig: { url: "{hook}/admit/refuse-message?x=1", caBundle: "{hookCa}" } }),
  ]),
  install("validating", [hook("allow", { clientConfig: { url: "{hook}/admit/allow" } })]),
  post(maps, labelled("allow")),
  uninstall("validating"),
];
cases["two that refuse by one name"] = [
  install("mutating", [hook("refuse-message", everywhere), hook("refuse-message", everywhere)]),
  post(maps, map()),
  uninstall("mutating"),
];
cases["scopes"] = [
  install("validating", [
    hook("refuse-message", { ...everywhere, rules: rules({ scope: "Cluster" }) }),
    hook("refuse-code", { ...everywhere, rules: rules({ scope: "Namespaced", operations: ["UPDATE"] }) }),
  ]),
  post(maps, map()),
  put(`${maps}/c`, map({ a: "2" })),
  uninstall("validating"),
];

export const webhooks = defineTopic("tour-webhooks", cases);
