/** Requests that once had different responses: they are sent first in each run. */
import type { Question } from "./ask.ts";
import type { Subject } from "./subject.ts";
import { toBody, type Fields } from "./values.ts";

/** The requests for a kind; for objects that controllers change, only creations. */
export function keptOf(subject: Subject, isLeftAlone: boolean): Question[] {
  const questions = (kept[subject.kind] ?? []).map((make) => make(subject));
  return questions.filter(({ method }) => !isLeftAlone || method === "POST");
}

const json = { type: "application/json", accept: "application/json" };
const trial = "?dryRun=All&fieldManager=fuzz&fieldValidation=Warn";

const kept: { readonly [kind: string]: readonly ((subject: Subject) => Question)[] } = {
  // A list that is sent empty counts as set.
  Pod: [
    (subject) => creation(subject, { spec: { ...partOf(subject, "spec"), resources: { claims: [] } } }),
    (subject) => creation(subject, { spec: { ...partOf(subject, "spec"), overhead: {} } }),
    // Without containers, the list is null.
    (subject) => replacement(subject, { spec: { resources: { requests: {} } } }),
    (subject) => replacement(subject, { status: { hostIPs: [{ ip: "" }, { ip: "x" }] } }, "/status"),
  ],
  // A field that defaults fill in does not count as sent empty: the generation stays.
  NetworkPolicy: [(subject) => replacement(subject, { spec: { ...partOf(subject, "spec"), policyTypes: [] } })],
  // Go quotes characters that are not printable.
  APIService: [
    (subject) =>
      creation(subject, { spec: { groupPriorityMinimum: 65_536, versionPriority: 65_536, version: "\u2028" } }),
  ],
  // A URL that Go cannot parse is invalid; values of named string types are shown as JSON, plain strings as they are.
  MutatingWebhookConfiguration: ["50%", "https://a b/", ":x", "https://a:b/", "a:b/c"].map(
    (url) => (subject: Subject) => creation(subject, { webhooks: [{ name: "a.b.c", clientConfig: { url } }] }),
  ),
  // Bytes that are sent empty count as set.
  ValidatingWebhookConfiguration: [(subject) => replacement(subject, { webhooks: withoutBundle(subject) })],
  Node: [
    (subject) => creation(subject, { status: { images: [{}, { names: [] }, { names: ["a"] }] } }),
    (subject) => replacement(subject, { status: { images: [{ names: [] }] } }, "/status"),
  ],
  DeviceClass: [
    (subject) => creation(subject, { metadata: { name: "y".repeat(254) } }),
    // Unknown fields are reported in the order of the patched document.
    (subject) => merge(subject, "", { "metadata~": 1, metadata: { "namespace~": 2 } }, "Strict"),
  ],
  // A taint without timeAdded gets the current time.
  ResourceSlice: [
    (subject) =>
      replacement(subject, {
        spec: {
          ...partOf(subject, "spec"),
          devices: [{ name: "a", taints: [{ key: "x", effect: "NoExecute" }] }],
        },
      }),
  ],
  Job: [
    (subject) => replacement(subject, { spec: { ...partOf(subject, "spec"), ...failing } }),
    // Labels that defaults restore keep the position of the labels.
    (subject) => replacement(subject, {}, "/status"),
  ],
  // Field references in a policy are JSONPaths.
  ValidatingAdmissionPolicy: ["10.0.0.1", "spec.validations[0].expression", "a[", "{", "..", "'a", "a b"].map(
    (fieldRef) => (subject: Subject) =>
      merge(subject, "/status", { status: { typeChecking: { expressionWarnings: [{ fieldRef, warning: "w" }] } } }),
  ),
  Secret: [(subject) => replacement(subject, { type: "a<b" })],
  StorageClass: [(subject) => replacement(subject, { volumeBindingMode: "a<b", reclaimPolicy: "a<b" })],
  Service: [(subject) => creation(subject, { spec: { trafficDistribution: "a<b" } })],
  // The generated name does not count as a difference.
  PodTemplate: [(subject) => creation(subject, { metadata: { generateName: "http://x/y" } })],
};

function partOf({ sound }: Subject, field: string): Fields {
  return sound[field] as Fields;
}

function withoutBundle({ sound }: Subject): Fields[] {
  const hooks = sound["webhooks"] as readonly Fields[];
  return hooks.map((hook) => ({ ...hook, clientConfig: { ...(hook["clientConfig"] as Fields), caBundle: "" } }));
}

function creation({ path, sound }: Subject, change: Fields): Question {
  return { ...json, method: "POST", path: `${path}${trial}`, body: toBody({ ...sound, ...named(change) }) };
}

function named(change: Fields): Fields {
  return "metadata" in change ? change : { metadata: { name: "fresh" }, ...change };
}

/** Rules with lists that are sent empty. */
const failing: Fields = {
  podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: {}, onPodConditions: [] }] },
};

function replacement({ at, sound }: Subject, change: Fields, subresource = ""): Question {
  return { ...json, method: "PUT", path: `${at}${subresource}${trial}`, body: toBody({ ...sound, ...change }) };
}

function merge({ at }: Subject, subresource: string, patch: Fields, validation = "Warn"): Question {
  const type = "application/merge-patch+json";
  const path = `${at}${subresource}${trial.replace("Warn", validation)}`;
  return { ...json, type, method: "PATCH", path, body: toBody(patch) };
}
