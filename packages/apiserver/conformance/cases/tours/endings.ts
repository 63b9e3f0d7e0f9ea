/** Missing and deleted objects: status of missing objects, watch lists, deleted CRDs. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";
import { map, maps, quietly } from "../explored/admission-scene.ts";
import { define, definition, definitions, specOf, widget, widgets, type Part } from "../explored/widget.ts";
import { samples } from "./sample.ts";

const cases: { [name: string]: readonly Step[] } = {};

/** Subresources of missing objects: some create the object. */
const missing = [
  { at: "/api/v1/namespaces/{ns}/services/x", kind: "Service", apiVersion: "v1", spec: { ports: [{ port: 1 }] } },
  {
    at: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/x-{ns}",
    kind: "ValidatingAdmissionPolicy",
    apiVersion: "admissionregistration.k8s.io/v1",
    spec: { validations: [{ expression: "true" }] },
  },
  ...samples
    .filter(
      ({ subresources, kind }) =>
        subresources.includes("status") && !["Service", "ValidatingAdmissionPolicy"].includes(kind),
    )
    .filter(({ apiVersion }) => !/alpha|beta/.test(apiVersion))
    .map(({ path, kind, apiVersion }) => ({ at: `${path}/x-{ns}`, kind, apiVersion, spec: {} })),
];
for (const { at, kind, apiVersion, spec } of missing) {
  const name = at.slice(at.lastIndexOf("/") + 1);
  const object: Part = { apiVersion, kind, metadata: { name }, spec };
  cases[`${apiVersion} ${kind}: status`] = [
    get(`${at}/status`),
    patch("merge", `${at}/status`, { status: {} }),
    patch("apply", `${at}/status?fieldManager=f&dryRun=All`, object),
    put(`${at}/status?dryRun=All`, object),
    put(`${at}/status`, { ...object, metadata: { name, uid: "u" } }),
  ];
}

const as = (kind: string): Partial<Step> => ({ accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` });
cases["lists in watches"] = [
  post(maps, map(), quietly),
  get(`${maps}?watch=1&timeoutSeconds=1`, as("PartialObjectMetadataList")),
  get(`${maps}?watch=1&timeoutSeconds=1`, as("PartialObjectMetadata")),
  get("/api/v1/namespaces/{ns}/secrets?watch=1&timeoutSeconds=1", as("PartialObjectMetadataList")),
  get(
    `${maps}?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    as("PartialObjectMetadataList"),
  ),
  get(`${maps}/c`, as("PartialObjectMetadataList")),
  post(maps, map({}, { name: "d" }), as("PartialObjectMetadataList")),
];

const at = `${definitions}/widgets.{ns}.dev`;
const text = { type: "string" };
const wait = (settle: number): Step => get(at, { quiet: true, settle });
cases["a definition goes"] = [
  define(specOf({ x: text })),
  post(widgets, widget({ x: "a" }, { metadata: { name: "w", finalizers: ["example.com/x"] } }), quietly),
  del(at),
  wait(1500),
  get(at, { only: ["status"] }),
  post(widgets, widget({ x: "a" }, { metadata: { name: "new" } })),
  patch("merge", `${widgets}/w`, { spec: { x: "c" } }),
  patch("apply", `${widgets}/z?fieldManager=f`, widget({ x: "b" }, { metadata: { name: "z" } })),
  patch("apply", `${widgets}/w?fieldManager=f&force=true`, widget({ x: "b" })),
  put(at, definition(specOf({ x: text, y: text }))),
  patch("merge", at, { metadata: { labels: { a: "b" } } }, quietly),
  post(definitions, definition(specOf({ x: text }))),
  patch("merge", `${widgets}/w`, { metadata: { finalizers: null } }),
  wait(7000),
  get(at),
];
cases["an empty definition goes"] = [
  define(specOf({ x: text })),
  del(at, undefined, quietly),
  wait(2500),
  get(at),
  get(widgets),
  get("/apis/{ns}.dev/v1"),
];

export const endingTours = defineTopic("tour-endings", cases);
