/** PUT: resource versions, UIDs, immutable fields. */
import { defineTopic, get, post, put } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const make = post(
  maps,
  { metadata: { name: "a", labels: { l: "1" } }, data: { x: "1" } },
  { quiet: true, keep: { uid: "metadata.uid", version: "metadata.resourceVersion" } },
);

export const updates = defineTopic("updates", {
  "replaces an object": [make, put(`${maps}/a`, { metadata: { name: "a" }, data: { y: "2" } })],
  "replaces with the version that is there": [
    make,
    put(`${maps}/a`, { metadata: { name: "a", resourceVersion: "{version}" }, data: { y: "2" } }),
  ],
  "refuses another version": [make, put(`${maps}/a`, { metadata: { name: "a", resourceVersion: "1" } })],
  "fails on a version that is no number": [make, put(`${maps}/a`, { metadata: { name: "a", resourceVersion: "x" } })],
  "refuses another identity": [make, put(`${maps}/a`, { metadata: { name: "a", uid: "x" } })],
  "accepts the identity that is there": [make, put(`${maps}/a`, { metadata: { name: "a", uid: "{uid}" } })],
  "refuses another name": [make, put(`${maps}/a`, { metadata: { name: "b" } })],
  "refuses no name": [make, put(`${maps}/a`, { metadata: {} })],
  "refuses another namespace": [make, put(`${maps}/a`, { metadata: { name: "a", namespace: "default" } })],
  "does not find what is not there": [put(`${maps}/a`, { metadata: { name: "a" } })],
  "changes nothing when nothing changes": [
    make,
    put(`${maps}/a`, { metadata: { name: "a", labels: { l: "1" } }, data: { x: "1" } }),
    get(`${maps}/a`),
  ],
  "stores nothing on dry run": [
    make,
    put(`${maps}/a?dryRun=All`, { metadata: { name: "a" }, data: { y: "2" } }),
    get(`${maps}/a`),
  ],
  "keeps creation time and identity": [
    make,
    put(`${maps}/a`, { metadata: { name: "a", creationTimestamp: "2020-01-01T00:00:00Z", generation: 5 } }),
  ],
  "refuses bad labels, three times over": [make, put(`${maps}/a`, { metadata: { name: "a", labels: { "a b": "" } } })],
  "refuses PUT on a collection": [put(maps, { metadata: { name: "a" } })],
  "refuses POST on an object": [post(`${maps}/a`, { metadata: { name: "a" } })],
  "warns of unknown fields": [make, put(`${maps}/a`, { metadata: { name: "a" }, foo: 1 })],
});
