/** Lists: pages, selectors, resource versions. */
import { defineTopic, get, post } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const make = ["a", "b", "c"].map((name) =>
  post(maps, { metadata: { name, labels: { name, all: "yes" } } }, { quiet: true }),
);
const selected = "labelSelector=all";

export const lists = defineTopic("lists", {
  "an empty list": [get(`${maps}?${selected}`)],
  "a list": [...make, get(`${maps}?${selected}`)],
  pages: [
    ...make,
    get(`${maps}?${selected}&limit=2`, { keep: { next: "metadata.continue" } }),
    get(`${maps}?${selected}&limit=2&continue={next}`),
  ],
  "label selectors": [
    ...make,
    get(`${maps}?labelSelector=name%20in%20(a,c),all!%3Dno`),
    get(`${maps}?labelSelector=!name,all`),
  ],
  "field selectors": [
    ...make,
    get(`${maps}?fieldSelector=metadata.name%3Db`),
    get(`${maps}?${selected}&fieldSelector=metadata.name!%3Db`),
  ],
  "refuses unknown fields": [get(`${maps}?fieldSelector=data.x%3D1`)],
  "refuses field selectors that are none": [get(`${maps}?fieldSelector=abc`)],
  "refuses label selectors that are none": [
    get(`${maps}?labelSelector=a%20b`),
    get(`${maps}?labelSelector=a%20in%20(`),
  ],
  "refuses a limit that is no number": [get(`${maps}?limit=x`)],
  "refuses a token that is none": [get(`${maps}?continue=abc`), get(`${maps}?continue=a%3D`)],
  "refuses a token of another version": [
    get(`${maps}?limit=1&continue=${Buffer.from('{"v":"meta.k8s.io/v2","rv":5,"start":"a"}').toString("base64url")}`),
  ],
  "refuses a token without a version": [
    get(`${maps}?limit=1&continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}').toString("base64url")}`),
  ],
  "refuses a token that climbs": [
    get(
      `${maps}?limit=1&continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":5,"start":"/../a"}').toString("base64url")}`,
    ),
  ],
  "refuses a version with a token": [
    get(
      `${maps}?limit=1&resourceVersion=5&continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":5,"start":"a"}').toString("base64url")}`,
    ),
  ],
  "refuses a version that is no number": [get(`${maps}?resourceVersion=x`), get(`${maps}/a?resourceVersion=x`)],
  "refuses a match without a version": [get(`${maps}?resourceVersionMatch=Exact`)],
  "refuses an unknown match": [get(`${maps}?resourceVersionMatch=Foo&resourceVersion=1`)],
  "refuses exactly nothing": [get(`${maps}?resourceVersionMatch=Exact&resourceVersion=0`)],
  "refuses a match with a token": [get(`${maps}?resourceVersionMatch=Exact&resourceVersion=1&continue=x`)],
  "refuses initial events": [get(`${maps}?sendInitialEvents=true`)],
  "shows the past": [
    ...make,
    get(`${maps}?${selected}`, { quiet: true, keep: { then: "metadata.resourceVersion" } }),
    post(maps, { metadata: { name: "d", labels: { all: "yes" } } }, { quiet: true }),
    get(`${maps}?${selected}&resourceVersion={then}&resourceVersionMatch=Exact`),
  ],
  "waits for no future": [get(`${maps}?resourceVersion=99999999`), get(`${maps}/a?resourceVersion=99999999`)],
  "any version will do": [...make, get(`${maps}/a?resourceVersion=0`)],
  "an unknown resource": [get("/api/v1/foos"), get("/apis/apps/v1/namespaces/{ns}/foos")],
  "an unknown group": [get("/apis/foo.example.com/v1/foos"), get("/foo")],
  "an unknown subresource": [...make, get(`${maps}/a/foo`)],
  "an unknown object": [get(`${maps}/z`)],
  "a namespaced object without its namespace": [get("/api/v1/configmaps/a")],
  "a cluster object in a namespace": [get("/api/v1/namespaces/{ns}/nodes")],
});
