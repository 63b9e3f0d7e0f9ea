/** Deletion of collections: selection, options and responses. */
import { defineTopic, del, get, post, type Step } from "../../case.ts";
import { define, specOf, widget, widgets } from "../explored/widget.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const quiet = { quiet: true };
const map = (name: string, more: object = {}): Step =>
  post(maps, { metadata: { name, labels: { own: "1", name }, ...more } }, quiet);
const three = [map("a"), map("b"), map("c")];
const left = get(`${maps}?labelSelector=own`, { only: ["items"] });
const trial = (...steps: Step[]): Step[] => [...three, ...steps, left];
const pods = "/api/v1/namespaces/{ns}/pods";
const pod = (name: string, spec: object = {}): Step =>
  post(
    pods,
    { metadata: { name, labels: { own: "1" } }, spec: { containers: [{ name: "c", image: "i" }], ...spec } },
    quiet,
  );

export const collections = defineTopic("tour-collections", {
  "all of them": trial(del(maps)),
  "by label": trial(del(`${maps}?labelSelector=name%20in%20(a,b)`)),
  "by field": trial(del(`${maps}?fieldSelector=metadata.name%3Db`)),
  "by all but a field": trial(del(`${maps}?fieldSelector=metadata.name!%3Db&labelSelector=own`)),
  "by a field that is unknown": trial(del(`${maps}?fieldSelector=data.a%3Db`)),
  "by selectors that are none": trial(del(`${maps}?labelSelector=a%20b`), del(`${maps}?fieldSelector=a`)),
  "some of them": trial(del(`${maps}?labelSelector=own&limit=2`)),
  "the rest of them": trial(
    get(`${maps}?labelSelector=own&limit=1`, { ...quiet, keep: { next: "metadata.continue" } }),
    del(`${maps}?labelSelector=own&limit=1&continue={next}`),
  ),
  "on trial": trial(del(`${maps}?labelSelector=own&dryRun=All`)),
  "on trial, said in the body": trial(del(`${maps}?labelSelector=own`, { dryRun: ["All"] })),
  "on trial, said twice": trial(
    del(`${maps}?labelSelector=own&dryRun=All`, { apiVersion: "v1", kind: "DeleteOptions" }),
  ),
  "on no such trial": trial(del(`${maps}?dryRun=Some`), del(maps, { dryRun: ["Some"] })),
  "with a condition": trial(
    get(`${maps}/b`, { ...quiet, keep: { uid: "metadata.uid", version: "metadata.resourceVersion" } }),
    del(`${maps}?labelSelector=own`, { preconditions: { uid: "{uid}" } }),
  ),
  "with a version": trial(
    get(`${maps}/a`, { ...quiet, keep: { version: "metadata.resourceVersion" } }),
    del(`${maps}?labelSelector=own`, { preconditions: { resourceVersion: "{version}" } }),
  ),
  "with propagation": trial(del(`${maps}?labelSelector=own&propagationPolicy=Foreground`)),
  "with orphans": trial(del(`${maps}?labelSelector=own&propagationPolicy=Orphan`)),
  "with no such propagation": trial(del(`${maps}?propagationPolicy=Nope`), del(maps, { propagationPolicy: "" })),
  "with grace": trial(del(`${maps}?labelSelector=own&gracePeriodSeconds=5`), del(`${maps}?gracePeriodSeconds=x`)),
  "what is held": [
    ...three,
    map("held", { finalizers: ["example.com/hold"] }),
    del(`${maps}?labelSelector=own`),
    left,
    del(`${maps}?labelSelector=own`),
  ],
  "versions of the list": trial(
    del(`${maps}?labelSelector=own&resourceVersion=0`),
    del(`${maps}?labelSelector=own&resourceVersion=x`),
    del(`${maps}?labelSelector=own&resourceVersionMatch=Exact`),
    del(`${maps}?labelSelector=own&resourceVersion=1&resourceVersionMatch=Nope`),
    del(`${maps}?labelSelector=own&sendInitialEvents=true`),
  ),
  bodies: trial(
    del(maps, "{"),
    del(maps, "[]"),
    del(maps, { kind: "Pod", apiVersion: "v1" }),
    del(maps, { kind: "DeleteOptions", apiVersion: "apps/v1", dryRun: ["All"] }),
    del(maps, { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", dryRun: ["All"] }),
    del(maps, { kind: "ListOptions", apiVersion: "v1" }),
    del(maps, { gracePeriodSeconds: "5" }),
    del(maps, { nope: 1, dryRun: ["All"] }),
  ),
  rows: trial(
    del(`${maps}?labelSelector=own&dryRun=All`, undefined, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }),
  ),
  metadata: trial(
    del(`${maps}?labelSelector=own&dryRun=All`, undefined, {
      accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    }),
  ),
  nothing: [del(`${maps}?labelSelector=own`), del(`${maps}?labelSelector=own&limit=1`)],
  pods: [
    pod("a"),
    pod("b", { nodeName: "n", terminationGracePeriodSeconds: 7 }),
    del(`${pods}?labelSelector=own`),
    del(`${pods}?labelSelector=own&gracePeriodSeconds=2`),
    get(pods),
    del(`${pods}?labelSelector=own&gracePeriodSeconds=0`),
    get(pods),
  ],
  "kinds that cannot": [
    del("/api/v1/namespaces?labelSelector=nope"),
    del("/api/v1/namespaces/{ns}/services?labelSelector=nope"),
    del("/api/v1/configmaps?labelSelector=nope"),
    del("/apis/authorization.k8s.io/v1/subjectaccessreviews"),
    del("/api/v1/namespaces/{ns}/bindings"),
    del("/api/v1/componentstatuses"),
  ],
  "custom objects": [
    define(specOf({ x: { type: "integer" } }), { selectableFields: [{ jsonPath: ".spec.x" }] }),
    post(widgets, widget({ x: 1 }, { metadata: { name: "a" } }), quiet),
    post(widgets, widget({ x: 2 }, { metadata: { name: "b" } }), quiet),
    del(`${widgets}?fieldSelector=spec.x%3D1`),
    del(`${widgets}?fieldSelector=spec.y%3D1`),
    del(`${widgets}?dryRun=All`),
    del(`${widgets}?propagationPolicy=Foreground`),
    get(widgets),
  ],
});
