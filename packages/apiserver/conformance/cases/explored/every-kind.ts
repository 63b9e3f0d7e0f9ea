/** Requests for every kind: create, read in each media type, replace, patch, apply, list, watch and delete, valid and invalid. */
import { del, defineTopic, get, patch, post, put, type Step } from "../../case.ts";
import type { Part } from "./widget.ts";

interface Kind {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** The object without the common fields. */
  readonly body: Part;
  /** A valid change. */
  readonly change: Part;
}

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i:1" }] } };
const selector = { matchLabels: { app: "a" } };
const job = { template: { spec: { ...template.spec, restartPolicy: "Never" } } };

function namespaced(apiVersion: string, plural: string, kind: Pick<Kind, "kind" | "body" | "change">): Kind {
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  return { path: `${root}/namespaces/{ns}/${plural}`, apiVersion, name: "a", ...kind };
}

function clusterScoped(apiVersion: string, plural: string, kind: Pick<Kind, "kind" | "body" | "change">): Kind {
  return { path: `/apis/${apiVersion}/${plural}`, apiVersion, name: "{ns}", ...kind };
}

const kinds: readonly Kind[] = [
  namespaced("v1", "configmaps", { kind: "ConfigMap", body: { data: { a: "1" } }, change: { data: { b: "2" } } }),
  namespaced("v1", "endpoints", {
    kind: "Endpoints",
    body: { subsets: [{ addresses: [{ ip: "10.1.1.1" }], ports: [{ port: 80 }] }] },
    change: { subsets: [] },
  }),
  namespaced("v1", "events", {
    kind: "Event",
    body: { involvedObject: { kind: "Pod", namespace: "{ns}", name: "p" }, reason: "R", message: "m", type: "Normal" },
    change: { count: 2 },
  }),
  namespaced("v1", "replicationcontrollers", {
    kind: "ReplicationController",
    body: { spec: { replicas: 1, selector: { app: "a" }, template } },
    change: { spec: { replicas: 2 } },
  }),
  namespaced("v1", "persistentvolumeclaims", {
    kind: "PersistentVolumeClaim",
    body: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
    change: { metadata: { labels: { x: "y" } } },
  }),
  namespaced("apps/v1", "daemonsets", {
    kind: "DaemonSet",
    body: { spec: { selector, template } },
    change: { spec: { minReadySeconds: 3 } },
  }),
  namespaced("batch/v1", "jobs", { kind: "Job", body: { spec: job }, change: { spec: { suspend: true } } }),
  namespaced("batch/v1", "cronjobs", {
    kind: "CronJob",
    body: { spec: { schedule: "* * * * *", jobTemplate: { spec: job } } },
    change: { spec: { suspend: true } },
  }),
  namespaced("coordination.k8s.io/v1", "leases", {
    kind: "Lease",
    body: { spec: { holderIdentity: "me", leaseDurationSeconds: 10 } },
    change: { spec: { holderIdentity: "you" } },
  }),
  namespaced("networking.k8s.io/v1", "networkpolicies", {
    kind: "NetworkPolicy",
    body: { spec: { podSelector: {}, policyTypes: ["Ingress"] } },
    change: { spec: { policyTypes: ["Egress"] } },
  }),
  clusterScoped("node.k8s.io/v1", "runtimeclasses", {
    kind: "RuntimeClass",
    body: { handler: "h" },
    change: { metadata: { labels: { x: "y" } } },
  }),
  clusterScoped("scheduling.k8s.io/v1", "priorityclasses", {
    kind: "PriorityClass",
    body: { value: 10 },
    change: { description: "d" },
  }),
  clusterScoped("admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings", {
    kind: "ValidatingAdmissionPolicyBinding",
    body: { spec: { policyName: "p", validationActions: ["Deny"] } },
    change: { spec: { validationActions: ["Audit"] } },
  }),
];

const table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json";

function casesOf({ path, apiVersion, kind, name, body, change }: Kind): { [name: string]: Step[] } {
  const at = `${path}/${name}`;
  const labels = { sel: "{ns}" };
  const object = (metadata: Part = {}): Part => ({
    apiVersion,
    kind,
    metadata: { name, labels, ...metadata },
    ...body,
  });
  const mine = "labelSelector=sel%3D{ns}";
  const make = post(path, object(), { quiet: true });
  const clean = name === "{ns}" ? [del(at, undefined, { quiet: true })] : [];
  const tried = (metadata: Part): Step => post(`${path}?dryRun=All`, { ...object(), metadata });
  return {
    life: [
      post(path, object()),
      get(at, { accept: table }),
      get(at, { accept: partial }),
      get(at, { accept: "application/yaml" }),
      patch("merge", at, change),
      get(`${path}?${mine}&includeObject=None`, { accept: table }),
      get(`${path}?watch=true&resourceVersion=0&timeoutSeconds=1&${mine}`, { events: 1 }),
      del(at),
      del(at),
    ],
    metadata: [
      tried({ labels }),
      tried({ generateName: "Generated_" }),
      tried({ name, finalizers: ["x", "a/b"] }),
      tried({
        name,
        uid: "u",
        generation: 7,
        deletionTimestamp: "2020-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 5,
      }),
      post(`${path}?dryRun=All`, { ...object(), apiVersion: "v1", kind: "Pod" }),
      post(`${path}?dryRun=All`, "{}"),
      post(`${path}?dryRun=All`, { ...object(), spec: null }),
    ],
    patched: [
      make,
      patch("merge", at, { kind: "Nope" }),
      patch("merge", at, { apiVersion: "v9" }),
      patch("strategic", at, { kind: "Nope" }),
      patch("merge", at, { metadata: { uid: "x" } }),
      put(at, object({ uid: "12345678-1234-1234-1234-123456789012" })),
      ...clean,
    ],
    deleted: [
      make,
      del(at, { preconditions: { uid: "x" } }),
      del(`${at}?uid=x`),
      del(`${at}?propagationPolicy=Orphan&gracePeriodSeconds=0`),
      patch("json", at, [{ op: "remove", path: "/metadata/finalizers" }]),
      get(at),
    ],
    selected: [
      get(`${path}?fieldSelector=metadata.nope%3Da&${mine}`),
      get(`${path}?${mine}`, { accept: partial.replace("Metadata;", "MetadataList;") }),
      get(`${path}?resourceVersion=99999999999&timeoutSeconds=1&${mine}`),
      del(`${path}?fieldSelector=metadata.nope%3Da`),
    ],
  };
}

export const everyKind = defineTopic(
  "every-kind",
  Object.fromEntries(
    kinds.flatMap((kind) => Object.entries(casesOf(kind)).map(([name, steps]) => [`${kind.kind}: ${name}`, steps])),
  ),
);
