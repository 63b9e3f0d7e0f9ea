/** Bodies in versions that are known but not served, and annotations or statuses that the server itself uses. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";
import { quietly } from "./admission-scene.ts";
import { define, specOf, widget, widgets, type Part } from "./widget.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

/** The path of a kind, its name, and its former versions. */
const former: readonly (readonly [path: string, kind: string, versions: readonly string[]])[] = [
  ["flowcontrol.apiserver.k8s.io/v1/flowschemas", "FlowSchema", ["v1alpha1", "v1beta1", "v1beta2", "v1beta3"]],
  ["flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations", "PriorityLevelConfiguration", ["v1beta3"]],
  ["node.k8s.io/v1/runtimeclasses", "RuntimeClass", ["v1alpha1", "v1beta1"]],
  ["scheduling.k8s.io/v1/priorityclasses", "PriorityClass", ["v1alpha1", "v1beta1"]],
  ["storage.k8s.io/v1/volumeattachments", "VolumeAttachment", ["v1alpha1", "v1beta1"]],
  ["storage.k8s.io/v1/volumeattributesclasses", "VolumeAttributesClass", ["v1alpha1", "v1beta1"]],
  ["admissionregistration.k8s.io/v1/validatingadmissionpolicies", "ValidatingAdmissionPolicy", ["v1alpha1", "v1beta1"]],
  ["admissionregistration.k8s.io/v1/mutatingadmissionpolicies", "MutatingAdmissionPolicy", ["v1alpha1", "v1beta1"]],
  ["authentication.k8s.io/v1/tokenreviews", "TokenReview", ["v1alpha1", "v1beta1"]],
  ["authentication.k8s.io/v1/selfsubjectreviews", "SelfSubjectReview", ["v1alpha1", "v1beta1"]],
  ["authorization.k8s.io/v1/subjectaccessreviews", "SubjectAccessReview", ["v1beta1"]],
  ["apiregistration.k8s.io/v1/apiservices", "APIService", ["v1beta1"]],
  ["apiextensions.k8s.io/v1/customresourcedefinitions", "CustomResourceDefinition", ["v1beta1"]],
  ["resource.k8s.io/v1/deviceclasses", "DeviceClass", ["v1alpha3", "v1beta1", "v1beta2"]],
  ["autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers", "HorizontalPodAutoscaler", ["v2", "v2beta1", "v2beta2"]],
];

const formerSteps = former.flatMap(([path, kind, versions]) =>
  versions.map((version): Step => {
    const [group = ""] = path.split("/");
    return post(`/apis/${path}`, { apiVersion: `${group}/${version}`, kind, metadata: { name: "x" } });
  }),
);

const apps = "/apis/apps/v1/namespaces/{ns}";
const spec = {
  selector: { matchLabels: { a: "b" } },
  template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "x" }] } },
};
const scale = (apiVersion: string): Part => ({ apiVersion, kind: "Scale", metadata: { name: "d" } });

const generation = "deprecated.daemonset.template.generation";
const sets = `${apps}/daemonsets`;
const daemons = (text: string, name = "s"): Part => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name, annotations: { [generation]: text } },
  spec,
});
const counted = (text: string): Part => ({ metadata: { annotations: { [generation]: text } } });
const texts = ["abc", "", "1.5", " 1", "+3", "0x10", "9223372036854775808", "-1", "007"];

const claims = "/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims";
const device = { driver: "d", pool: "p", device: "x" };
const results = [
  { request: "a", ...device },
  { request: "a", ...device, device: "y" },
];

const schemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
const schema = (name: string, matchingPrecedence: number): Part => ({
  metadata: { name: `${name}-{ns}`, labels: { of: "{ns}" } },
  spec: { matchingPrecedence, priorityLevelConfiguration: { name: "exempt" } },
});

const versions = [
  { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: specOf({ a: { type: "string" } }) } },
  {
    name: "v2",
    served: true,
    storage: false,
    schema: { openAPIV3Schema: specOf({ a: { type: "string" }, b: { type: "string", default: "B" } }) },
  },
];
const second = widgets.replace("/v1/", "/v2/");
const secondWidget = (a: string): Part => widget({ a }, { apiVersion: "{ns}.dev/v2" });

export const formerVersions = defineTopic("former-versions", {
  "versions that are served no more": formerSteps,
  "scales of versions that are served no more": [
    post(`${apps}/deployments`, { metadata: { name: "d" }, spec }, quietly),
    ...["apps/v1", "apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"].map((version) =>
      put(`${apps}/deployments/d/scale`, scale(version)),
    ),
  ],
  "events of the other group, and definitions where others are expected": [
    post("/api/v1/namespaces/{ns}/events", { apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { name: "x" } }),
    post("/apis/events.k8s.io/v1/namespaces/{ns}/events", { apiVersion: "v1", kind: "Event", metadata: { name: "x" } }),
    post("/api/v1/namespaces/{ns}/configmaps", {
      apiVersion: "apiextensions.k8s.io/v1beta1",
      kind: "CustomResourceDefinition",
      metadata: { name: "x" },
    }),
  ],
  "the generation of a daemon set's template is a number": [
    ...texts.map((text, index) => post(`${sets}?dryRun=All`, daemons(text, `t${index}`))),
    post(sets, daemons("5"), quietly),
    put(`${sets}/s`, daemons("abc")),
    patch("merge", `${sets}/s`, counted("x")),
    patch("strategic", `${sets}/s`, counted("x")),
    patch("json", `${sets}/s`, [{ op: "replace", path: `/metadata/annotations/${generation}`, value: "x" }]),
    patch("apply", `${sets}/s?fieldManager=m&force=true`, daemons("x")),
    patch("apply", `${sets}/new?fieldManager=m`, daemons("x", "new")),
    patch("merge", `${sets}/s`, counted("77")),
  ],
  "what is told about devices goes with them": [
    post(
      claims,
      { metadata: { name: "r" }, spec: { devices: { requests: [{ name: "a", exactly: { deviceClassName: "x" } }] } } },
      quietly,
    ),
    patch("merge", `${claims}/r/status`, { status: { allocation: { devices: { results } } } }, quietly),
    patch("merge", `${claims}/r/status`, { status: { devices: [device, { ...device, device: "y" }] } }),
    patch("merge", `${claims}/r/status`, { status: { allocation: null, devices: [{ ...device, device: "z" }] } }),
    patch("merge", `${claims}/r/status`, { status: { allocation: null } }),
  ],
  "flow schemas are shown as they are tried": [
    post(schemas, schema("a", 9000), quietly),
    post(schemas, schema("b", 50), { ...quietly, settle: 500 }),
    post(schemas, schema("c", 9000), { ...quietly, settle: 500 }),
    get(`${schemas}?labelSelector=of%3D{ns}&includeObject=None`, { accept: table, only: ["rows"] }),
    ...["a", "b", "c"].map((name) => del(`${schemas}/${name}-{ns}`, undefined, quietly)),
  ],
  "who applies what is there brings no default of another version": [
    define({}, {}, { versions }),
    post(widgets, widget({ a: "1" }), quietly),
    patch("apply", `${second}/w?fieldManager=m`, secondWidget("1")),
    patch("apply", `${second}/w?fieldManager=m&force=true`, secondWidget("2")),
    patch("merge", `${second}/w`, { metadata: { labels: { x: "y" } } }),
  ],
});
