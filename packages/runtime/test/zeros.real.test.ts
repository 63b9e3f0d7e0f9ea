/**
 * Zeros that Go omits: an apply that would change nothing is not sent, also after a restart, and one that would change something is. The
 * servers themselves decide: an apply that changes nothing keeps the resourceVersion.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { Deployment, DaemonSet, StatefulSet } from "@capstan/kinds/apps/v1";
import { CronJob, Job } from "@capstan/kinds/batch/v1";
import { Ingress, NetworkPolicy } from "@capstan/kinds/networking.k8s.io/v1";
import { PodDisruptionBudget } from "@capstan/kinds/policy/v1";
import { Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { ConfigMap, PersistentVolumeClaim, ResourceQuota, Secret, Service, ServiceAccount } from "@capstan/kinds/v1";
import { kubernetesMissing } from "@capstan/kubernetes";
import { apiVersionOf } from "@capstan/model";
import type { KubeObject } from "@capstan/model";
import type { AnyKind, Api } from "../src/api.ts";
import { firstDifference, learnSpellings } from "../src/apply/matches.ts";
import { onEmbedded, onReal } from "./places.ts";

interface Body {
  readonly [field: string]: unknown;
}

/** A kind, an object of it, and zeros by their path: each is applied over the object without it, and again. */
interface Case {
  readonly kind: AnyKind;
  readonly body: Body;
  readonly zeros: readonly (readonly [path: string, ...values: unknown[]])[];
}

const mark = { "example.com/mark": "ours" };
const labels = { a: "b" };
const pod = { containers: [{ name: "c", image: "i" }] };
const template = { metadata: { labels }, spec: pod };
const workload = { selector: { matchLabels: labels }, template };
const job = { template: { spec: { ...pod, restartPolicy: "Never" } } };

/** Of nothing but zeros. */
const probe = {
  httpGet: { port: 80, path: "", scheme: "" },
  initialDelaySeconds: 0,
  timeoutSeconds: 0,
  periodSeconds: 0,
  successThreshold: 0,
  failureThreshold: 0,
};

/** Zeros of pods, below the path of their spec. */
const ofPods = (at: string): Case["zeros"] => [
  [`${at}.hostNetwork`, false, null],
  [`${at}.hostPID`, false],
  [`${at}.nodeName`, ""],
  [`${at}.nodeSelector`, {}, null],
  [`${at}.tolerations`, []],
  [`${at}.initContainers`, []],
  [`${at}.priorityClassName`, ""],
  [`${at}.terminationGracePeriodSeconds`, 0],
  [`${at}.automountServiceAccountToken`, false],
  [`${at}.securityContext`, {}],
  [`${at}.containers.0.args`, []],
  [`${at}.containers.0.command`, []],
  [`${at}.containers.0.env`, [{ name: "A", value: "" }], []],
  [`${at}.containers.0.workingDir`, ""],
  [`${at}.containers.0.tty`, false],
  [`${at}.dnsPolicy`, ""],
  [`${at}.restartPolicy`, ""],
  [`${at}.schedulerName`, ""],
  [`${at}.containers.0.terminationMessagePath`, ""],
  [`${at}.containers.0.terminationMessagePolicy`, ""],
  [`${at}.containers.0.livenessProbe`, probe],
  [`${at}.tolerations`, [{ key: "a", operator: "Exists", value: "", effect: "" }]],
  [`${at}.volumes`, []],
  [`${at}.containers.0.resources`, {}, { limits: {} }],
  [`${at}.containers.0.securityContext`, {}, { privileged: false }],
  [`${at}.containers.0.ports`, [{ containerPort: 80, name: "", hostPort: 0 }]],
];

const cases: readonly Case[] = [
  {
    kind: ConfigMap,
    body: {},
    zeros: [
      ["data", {}, { a: "" }, null],
      ["binaryData", {}],
      ["immutable", false, null],
      ["metadata.labels", {}, { a: "" }],
      ["metadata.annotations", {}],
    ],
  },
  {
    kind: Secret,
    body: {},
    zeros: [
      ["data", {}],
      ["type", ""],
      ["immutable", false],
    ],
  },
  {
    kind: ServiceAccount,
    body: {},
    zeros: [
      ["secrets", []],
      ["imagePullSecrets", []],
      ["automountServiceAccountToken", false],
    ],
  },
  {
    kind: Service,
    body: { spec: { ports: [{ port: 80 }] } },
    zeros: [
      ["spec.selector", {}, { a: "" }],
      ["spec.externalIPs", []],
      ["spec.loadBalancerIP", ""],
      ["spec.externalName", ""],
      ["spec.publishNotReadyAddresses", false],
      ["spec.ports.0.name", ""],
      ["spec.ports.0.nodePort", 0],
      ["spec.healthCheckNodePort", 0],
      ["spec.type", ""],
      ["spec.sessionAffinity", ""],
    ],
  },
  {
    kind: Deployment,
    body: { spec: { replicas: 0, ...workload } },
    zeros: [
      ["spec.minReadySeconds", 0, null],
      ["spec.paused", false],
      ["spec.revisionHistoryLimit", 0],
      ["spec.strategy", {}, { type: "" }],
      ...ofPods("spec.template.spec"),
    ],
  },
  {
    kind: StatefulSet,
    body: { spec: { replicas: 0, serviceName: "s", ...workload } },
    zeros: [
      ["spec.minReadySeconds", 0],
      ["spec.podManagementPolicy", ""],
      ["spec.volumeClaimTemplates", []],
      ["spec.ordinals", { start: 0 }],
    ],
  },
  {
    kind: DaemonSet,
    body: { spec: workload },
    zeros: [
      ["spec.minReadySeconds", 0],
      ["spec.updateStrategy", {}, { type: "" }],
    ],
  },
  {
    kind: Job,
    body: { spec: job },
    zeros: [
      ["spec.suspend", false],
      ["spec.backoffLimit", 0],
      ["spec.template.spec.hostIPC", false],
    ],
  },
  {
    kind: CronJob,
    body: { spec: { schedule: "* * * * *", jobTemplate: { spec: job } } },
    zeros: [
      ["spec.suspend", false],
      ["spec.concurrencyPolicy", ""],
      ["spec.jobTemplate.spec.template.spec.hostname", ""],
    ],
  },
  {
    kind: Ingress,
    body: { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
    zeros: [
      ["spec.rules", []],
      ["spec.tls", []],
      ["spec.defaultBackend.service.port.name", ""],
    ],
  },
  {
    kind: NetworkPolicy,
    body: { spec: { podSelector: {} } },
    zeros: [
      ["spec.ingress", [], [{}]],
      ["spec.egress", []],
      ["spec.podSelector.matchLabels", {}, { a: "" }],
      ["spec.ingress", [{ from: [{ podSelector: { matchLabels: {} } }] }]],
    ],
  },
  {
    kind: PodDisruptionBudget,
    body: { spec: { selector: { matchLabels: labels } } },
    zeros: [
      ["spec.minAvailable", 0],
      ["spec.selector.matchExpressions", []],
    ],
  },
  {
    kind: Role,
    body: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
    zeros: [
      ["rules", []],
      ["rules.0.resourceNames", []],
    ],
  },
  {
    kind: RoleBinding,
    body: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" } },
    zeros: [["subjects", [], [{ kind: "ServiceAccount", name: "a", namespace: "b", apiGroup: "" }]]],
  },
  {
    kind: PersistentVolumeClaim,
    body: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
    zeros: [["metadata.finalizers", []]],
  },
  { kind: ResourceQuota, body: {}, zeros: [["spec", {}, { hard: {} }, { scopes: [] }]] },
];

/** A copy with another value at a path; numbers are indexes of lists. */
function withValue(body: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (Array.isArray(body)) return body.map((item, at) => (String(at) === name ? withValue(item, rest, value) : item));
  const fields = (body ?? {}) as Body;
  return { ...fields, [name]: withValue(fields[name], rest, value) };
}

interface Setting {
  readonly api: Api;
  readonly namespace: string;
}

/** A difference between our prediction of an apply and its result on the server; undefined if the server rejects it. */
async function misjudged(
  setting: Setting,
  { kind, body }: Case,
  desired: unknown,
): Promise<readonly string[] | undefined> {
  const { api, namespace } = setting;
  const manager = "zeros";
  const whole = (fields: Body) => ({
    ...fields,
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    // As the runtime does, which marks each child.
    metadata: { labels: mark, annotations: mark, ...(fields["metadata"] as Body | undefined), namespace, name: "zero" },
  });
  const apply = (fields: unknown) => api.apply(kind, whole(fields as Body), { manager, force: true });
  const compare = (live: Awaited<ReturnType<typeof apply>>) => ({ desired: whole(desired as Body), live, manager });
  const found: string[] = [];
  const before = await apply(body);
  const foreseen = firstDifference(compare(before));
  let after;
  try {
    after = await apply(desired);
  } catch {
    return undefined;
  } finally {
    await api.delete(kind, { namespace, name: "zero" }, { gracePeriodSeconds: 0 });
  }
  if (contentOf(after) !== contentOf(before) && foreseen === undefined) found.push("a change is not seen");
  if (firstDifference(compare(after)) !== undefined)
    found.push("is written once more by a process that remembers nothing");
  if (learnSpellings(compare(after)) === undefined) found.push("is written again and again");
  return found;
}

/** An object without status and annotations, which the controllers of a real cluster write meanwhile. */
function contentOf(object: KubeObject & { readonly status?: unknown }): string {
  const { metadata, status: _status, ...rest } = object;
  return JSON.stringify({ ...rest, labels: metadata.labels });
}

function tell(where: string, connect: (t: TestContext) => Promise<Setting>, skip: string | false): void {
  describe(`zeros on ${where}`, { skip }, () => {
    test("are written once, and never again", async (t) => {
      const setting = await connect(t);
      const wrong: string[] = [];
      let judged = 0;
      for (const one of cases) {
        for (const [path, ...values] of one.zeros) {
          for (const value of values) {
            const found = await misjudged(setting, one, withValue(one.body, path.split("."), value));
            if (found === undefined) continue;
            judged++;
            wrong.push(...found.map((what) => `${one.kind.kind} ${path} ${JSON.stringify(value)}: ${what}`));
          }
        }
      }
      assert.deepEqual(wrong, []);
      assert.ok(judged > 70, `the server took only ${judged} of them`);
    });
  });
}

tell("the embedded API server", onEmbedded, false);
tell("the real API server", onReal, kubernetesMissing());
