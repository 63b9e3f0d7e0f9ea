/** Watches: start, events, end. */
import { defineTopic, del, get, post, put } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const own = "labelSelector=own";
const make = post(
  maps,
  { metadata: { name: "a", labels: { own: "1" } } },
  { quiet: true, keep: { version: "metadata.resourceVersion" } },
);

export const watches = defineTopic("watches", {
  "shows what is there": [make, get(`${maps}?watch=true&${own}&timeoutSeconds=1`)],
  "shows what happened since": [
    make,
    put(`${maps}/a`, { metadata: { name: "a", labels: { own: "1" } }, data: { x: "1" } }, { quiet: true }),
    del(`${maps}/a`, undefined, { quiet: true }),
    get(`${maps}?watch=true&${own}&resourceVersion={version}`, { events: 2 }),
  ],
  "shows what leaves the selection as deleted": [
    make,
    put(`${maps}/a`, { metadata: { name: "a" }, data: { x: "1" } }, { quiet: true }),
    get(`${maps}?watch=true&${own}&resourceVersion={version}`, { events: 1 }),
  ],
  "shows what enters the selection as added": [
    make,
    put(`${maps}/a`, { metadata: { name: "a", labels: { other: "1" } } }, { quiet: true }),
    get(`${maps}?watch=true&labelSelector=other&resourceVersion={version}`, { events: 1 }),
  ],
  "watches one by field": [
    make,
    get(`${maps}?watch=true&fieldSelector=metadata.name%3Da&resourceVersion=0&timeoutSeconds=1`),
  ],
  "watches one by path": [make, get(`/api/v1/watch/namespaces/{ns}/configmaps/a?timeoutSeconds=1`)],
  "sends the state and marks its end": [
    make,
    get(`${maps}?watch=true&${own}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`, {
      events: 2,
    }),
  ],
  "sends no state when told": [
    make,
    get(`${maps}?watch=true&${own}&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`),
  ],
  "refuses initial events without a match": [get(`${maps}?watch=true&sendInitialEvents=true`)],
  "refuses a match without initial events": [
    get(`${maps}?watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=1`),
  ],
  "refuses an exact match": [
    get(`${maps}?watch=true&resourceVersionMatch=Exact&sendInitialEvents=true&resourceVersion=1`),
  ],
  "fails on a version that is no number": [get(`${maps}?watch=true&resourceVersion=x`)],
  "has forgotten the beginning": [get(`${maps}?watch=true&resourceVersion=1&timeoutSeconds=1`)],
  "waits for the future": [get(`${maps}?watch=true&resourceVersion=99999999&timeoutSeconds=1`)],
  "refuses the future with its state": [
    get(
      `${maps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99999999&timeoutSeconds=5`,
    ),
  ],
  "refuses YAML": [get(`${maps}?watch=true`, { accept: "application/yaml" })],
  "shows tables": [
    make,
    get(`${maps}?watch=true&${own}&timeoutSeconds=1`, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }),
  ],
  "shows metadata": [
    make,
    get(`${maps}?watch=true&${own}&timeoutSeconds=1`, {
      accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    }),
  ],
});
