/** Rejections and warnings of PodSecurity, by the labels of the namespace. */
import { defineTopic, patch, post, type Step } from "../case.ts";

const pods = "/api/v1/namespaces/{ns}/pods";
const label = "pod-security.kubernetes.io/";
const labelled = (labels: { readonly [mode: string]: string }): Step =>
  patch(
    "merge",
    "/api/v1/namespaces/{ns}",
    { metadata: { labels: Object.fromEntries(Object.entries(labels).map(([mode, value]) => [label + mode, value])) } },
    { quiet: true, settle: 300 },
  );
const pod = (spec: object, metadata: object = {}): object => ({
  metadata: { name: "p", ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const container = (more: object, name = "c"): object => ({ name, image: "i", ...more });
const refused = { only: ["kind", "message", "reason", "code", "details"] };
const bad = {
  "app armor": { securityContext: { appArmorProfile: { type: "Unconfined" } } },
  capabilities: { containers: [container({ securityContext: { capabilities: { add: ["SYS_ADMIN", "CHOWN"] } } })] },
  "host namespaces": { hostNetwork: true, hostPID: true, hostIPC: true },
  "host paths": { volumes: [{ name: "v", hostPath: { path: "/" } }] },
  "host ports": {
    containers: [
      container({ ports: [{ containerPort: 1, hostPort: 90 }] }, "a"),
      container({ ports: [{ containerPort: 2, hostPort: 80 }] }, "b"),
    ],
  },
  "probe hosts": { containers: [container({ livenessProbe: { httpGet: { host: "1.2.3.4", port: 1 } } })] },
  privilege: { containers: [container({ securityContext: { privileged: true } })] },
  "SELinux options": { securityContext: { seLinuxOptions: { type: "x", user: "u", role: "r" } } },
  "seccomp profiles": { securityContext: { seccompProfile: { type: "Unconfined" } } },
  sysctls: { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } },
  "root by name": { securityContext: { runAsNonRoot: false, runAsUser: 0 } },
  volumes: { volumes: [{ name: "v", nfs: { server: "s", path: "/" } }] },
};
const good = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containers: [container({ securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } })],
};
const deployment = {
  metadata: { name: "d" },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [container({})] } },
  },
};

const atLevels = Object.fromEntries(
  ["baseline", "restricted"].flatMap((level) =>
    Object.entries(bad).map(([what, spec]) => [
      `${level}: judges ${what}`,
      [labelled({ enforce: level }), post(pods, pod(spec), refused)],
    ]),
  ),
);

export const podSecurity = defineTopic("pod-security", {
  ...atLevels,
  "baseline: allows an ordinary pod": [labelled({ enforce: "baseline" }), post(pods, pod({}), refused)],
  "restricted: refuses an ordinary pod": [labelled({ enforce: "restricted" }), post(pods, pod({}), refused)],
  "restricted: allows a careful pod": [labelled({ enforce: "restricted" }), post(pods, pod(good), refused)],
  "restricted: as it was": [
    labelled({ enforce: "restricted", "enforce-version": "v1.20" }),
    post(pods, pod({}), refused),
  ],
  "refuses a pod that is yet to be named": [
    labelled({ enforce: "baseline" }),
    post(pods, { metadata: { generateName: "generated-" }, spec: { ...bad.privilege } }, refused),
  ],
  "warns of pods": [labelled({ warn: "restricted" }), post(pods, pod({}), { only: ["kind"] })],
  "warns of what would be enforced": [
    labelled({ enforce: "baseline", warn: "restricted", "warn-version": "v1.30" }),
    post(pods, pod({}), { only: ["kind"] }),
  ],
  "warns of templates": [
    labelled({ enforce: "restricted" }),
    post("/apis/apps/v1/namespaces/{ns}/deployments", deployment, { only: ["kind"] }),
    post(
      "/apis/batch/v1/namespaces/{ns}/cronjobs",
      {
        metadata: { name: "j" },
        spec: {
          schedule: "* * * * *",
          jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container({})] } } } },
        },
      },
      { only: ["kind"] },
    ),
  ],
  "refuses labels that say nothing": [
    patch("merge", "/api/v1/namespaces/{ns}", { metadata: { labels: { [`${label}enforce`]: "strict" } } }, refused),
    patch(
      "merge",
      "/api/v1/namespaces/{ns}",
      { metadata: { labels: { [`${label}warn-version`]: "1.2", [`${label}audit`]: "x" } } },
      refused,
    ),
  ],
  "warns of pods that are there": [
    post(pods, pod(bad.privilege), { quiet: true }),
    post(pods, pod(bad["host namespaces"], { name: "q" }), { quiet: true }),
    post(pods, pod(bad["host namespaces"], { name: "r" }), { quiet: true, settle: 300 }),
    patch(
      "merge",
      "/api/v1/namespaces/{ns}",
      { metadata: { labels: { [`${label}enforce`]: "baseline" } } },
      {
        only: ["kind"],
      },
    ),
  ],
  "lets labels of pods change": [
    post(pods, pod({}), { quiet: true }),
    labelled({ enforce: "restricted" }),
    patch("merge", `${pods}/p`, { metadata: { labels: { a: "b" } } }, { only: ["kind", "message"] }),
    patch("merge", `${pods}/p`, { spec: { containers: [{ name: "c", image: "j" }] } }, refused),
  ],
});
