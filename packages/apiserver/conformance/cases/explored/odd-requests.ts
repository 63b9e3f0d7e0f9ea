/** Unusual requests: truncated paths, options of another kind, numbers beyond the range of floats. */
import { defineTopic, del, get, patch, post } from "../../case.ts";

const quiet = { quiet: true };
const maps = "/api/v1/namespaces/{ns}/configmaps";
const parts = "/api/v1/componentstatuses";
const make = post(maps, { metadata: { name: "m" } }, quiet);

export const oddRequests = defineTopic("odd-requests", {
  "paths that end at a verb": [
    get("/api/v1/watch"),
    get("/api/v1/proxy/?a=b%20c"),
    get("/apis/apps/v1/watch"),
    get("/api/v1/watch/nope"),
  ],
  "options of a delete with a version that is none": [
    make,
    del(`${maps}/m`, { apiVersion: "a/b/c", kind: "DeleteOptions" }),
    del(`${maps}/m`, { apiVersion: "http://x/y", propagationPolicy: "a" }),
    del(maps, { apiVersion: "a/b/c", kind: "Nope" }),
  ],
  "namespaces whose content is not to be orphaned": [
    post("/api/v1/namespaces", { metadata: { name: "{ns}-x" } }, quiet),
    del("/api/v1/namespaces/{ns}-x", { orphanDependents: false }),
    get("/api/v1/namespaces/{ns}-x"),
  ],
  "lists as merge patches": [
    make,
    patch("merge", `${maps}/m?fieldValidation=Ignore`, [{ z: 1, a: { y: 1, b: 2 } }, [{ d: 1, c: 2 }]]),
  ],
  "parts of the control plane": [
    get(`${parts}/etcd-0`),
    get(`${parts}/etcd-0`, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }),
    get(`${parts}/etcd-0`, { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" }),
    get(`${parts}/etcd-0`, { accept: "application/yaml" }),
    get(`${parts}/nope`),
    get(`${parts}?fieldSelector=metadata.name%3Detcd-0`),
    get(`${parts}?fieldSelector=metadata.name%3Detcd-0`, { accept: "application/vnd.kubernetes.protobuf" }),
    get(`${parts}?fieldSelector=metadata.name%21%3Detcd-0,metadata.name%21%3Dscheduler&limit=1`, {
      only: ["metadata"],
    }),
    get(`${parts}?fieldSelector=nope%3Dx`),
    get(`${parts}?labelSelector=a`),
    get(`${parts}?watch=1`),
    del(`${parts}/etcd-0`),
  ],
  "one object of the future": [
    get(`${maps}?resourceVersion=99999999&limit=1&fieldSelector=metadata.name%3Dm`),
    get(`${maps}?resourceVersion=99999999&fieldSelector=metadata.name%3Dm`),
  ],
});
