/** Continue tokens: after changes, with other parameters, for other lists, and malformed ones. */
import { defineTopic, del, get, post, put, type Step } from "../../case.ts";
import { define, specOf, widget, widgets } from "../explored/widget.ts";

const quiet = { quiet: true };
const maps = "/api/v1/namespaces/{ns}/configmaps";
const own = "labelSelector=own";
const map = (name: string, labels: object = { own: "1" }): Step => post(maps, { metadata: { name, labels } }, quiet);
const five = ["a", "b", "c", "d", "e"].map((name) => map(name));
const first = (query = "limit=2", path = maps): Step =>
  get(`${path}?${own}&${query}`, {
    ...quiet,
    keep: { next: "metadata.continue", version: "metadata.resourceVersion" },
  });
const next = (query = "limit=2", path = maps): Step => get(`${path}?${own}&${query}&continue={next}`);
const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const sound = { v: "meta.k8s.io/v1", rv: 1, start: "b" };

const afterwards: { readonly [name: string]: readonly Step[] } = {
  "an object before it is deleted": [del(`${maps}/a`, undefined, quiet)],
  "the last object is deleted": [del(`${maps}/b`, undefined, quiet)],
  "the next object is deleted": [del(`${maps}/c`, undefined, quiet)],
  "all are deleted": [del(`${maps}?${own}`, undefined, quiet)],
  "an object is created behind": [map("bb")],
  "an object is created in front": [map("aa")],
  "an object is changed": [
    put(`${maps}/d`, { metadata: { name: "d", labels: { own: "1" } }, data: { x: "y" } }, quiet),
  ],
  "an object leaves the selection": [put(`${maps}/c`, { metadata: { name: "c" } }, quiet)],
  "an object is made anew": [del(`${maps}/c`, undefined, quiet), map("c")],
  nothing: [],
};
const queries = [
  "limit=2",
  "limit=0",
  "limit=-1",
  "limit=1",
  "limit=100",
  "limit=x",
  "limit=",
  "resourceVersion=0",
  "resourceVersion=1",
  "resourceVersion={version}",
  "resourceVersion=",
  "resourceVersionMatch=Exact",
  "resourceVersionMatch=NotOlderThan",
  "resourceVersionMatch=Exact&resourceVersion={version}",
  "fieldSelector=metadata.name%3Dd",
  "fieldSelector=metadata.name!%3Dd&limit=1",
  "fieldSelector=metadata.namespace%3D{ns}",
  "sendInitialEvents=true",
  "watch=1&timeoutSeconds=1",
  "allowWatchBookmarks=true",
  "pretty=1",
];
const raw: { readonly [name: string]: string } = {
  empty: "",
  letters: "abc",
  five: "abcde",
  padded: `${token(sound)}=`,
  doublePadded: "e30==",
  standardAlphabet: "e30+/w",
  space: "e30%20",
  newline: "e30%0A",
  dot: "e30.e30",
  percent: "%zz",
  notJson: Buffer.from("nope").toString("base64url"),
  cut: Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"b"').toString("base64url"),
  trailing: Buffer.from(`${JSON.stringify(sound)}x`).toString("base64url"),
  twice: Buffer.from('{"v":"a","v":"meta.k8s.io/v1","rv":-1,"start":"b"}').toString("base64url"),
  folded: Buffer.from('{"V":"meta.k8s.io/v1","RV":-1,"Start":"b"}').toString("base64url"),
  exponent: Buffer.from('{"v":"meta.k8s.io/v1","rv":1e3,"start":"b"}').toString("base64url"),
  binary: Buffer.from([255, 254, 0]).toString("base64url"),
};
const values: readonly unknown[] = [
  null,
  [],
  "x",
  1,
  true,
  {},
  { ...sound, v: "v1" },
  { ...sound, v: "" },
  { ...sound, v: 1 },
  { ...sound, v: "meta.k8s.io/v1beta1" },
  { ...sound, rv: 0 },
  { ...sound, rv: -1 },
  { ...sound, rv: -2 },
  { ...sound, rv: "1" },
  { ...sound, rv: 1.5 },
  { ...sound, rv: null },
  { ...sound, rv: -1, start: "" },
  { ...sound, rv: -1, start: "/b" },
  { ...sound, rv: -1, start: "//b" },
  { ...sound, rv: -1, start: "/" },
  { ...sound, rv: -1, start: "b\u0000" },
  { ...sound, rv: -1, start: "b/c" },
  { ...sound, rv: -1, start: "../b" },
  { ...sound, rv: -1, start: "b/../c" },
  { ...sound, rv: -1, start: "./b" },
  { ...sound, rv: -1, start: "b/" },
  { ...sound, rv: -1, start: "b/." },
  { ...sound, rv: -1, start: ".." },
  { ...sound, rv: -1, start: "\u{1f600}" },
  { ...sound, rv: -1, start: "zzzz" },
  { ...sound, rv: -1, start: 1 },
  { ...sound, rv: -1, start: null },
  { ...sound, rv: -1, more: 1 },
  { v: "meta.k8s.io/v1", rv: -1 },
  { rv: -1, start: "b" },
  { v: "meta.k8s.io/v1", start: "b" },
  // The server waits for this version, and other writes happen meanwhile.
  { ...sound, rv: 999999999 },
];
const inconsistent = token({ ...sound, rv: -1 });

export const pages = defineTopic("variants-pages", {
  ...Object.fromEntries(
    Object.entries(afterwards).map(([name, changes]) => [
      `after ${name}`,
      [
        ...five,
        first(),
        ...changes,
        next(),
        next("limit=1"),
        next("limit=0"),
        get(`${maps}?${own}&limit=2&continue=${inconsistent}`),
        get(`${maps}?${own}&continue=${inconsistent}`),
      ],
    ]),
  ),
  ...Object.fromEntries(
    queries.map((query) => [
      `with ${query}`,
      [
        ...five,
        first(),
        next(query),
        get(`${maps}?${own}&${query}&continue=${inconsistent}`, { only: ["kind", "metadata", "items", "message"] }),
        first(query),
      ],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(raw).map(([name, text]) => [
      `token: ${name}`,
      [...five, get(`${maps}?${own}&limit=2&continue=${text}`), get(`${maps}?${own}&continue=${text}`)],
    ]),
  ),
  "tokens of other forms": [...five, ...values.map((value) => get(`${maps}?${own}&limit=1&continue=${token(value)}`))],
  "tokens of other forms for a deletion": [
    ...five,
    ...values.slice(0, 20).map((value) => del(`${maps}?${own}&limit=1&dryRun=All&continue=${token(value)}`)),
  ],
  "a token of another list": [
    ...five,
    post("/api/v1/namespaces/{ns}/secrets", { metadata: { name: "c", labels: { own: "1" } } }, quiet),
    first(),
    next("limit=2", "/api/v1/namespaces/{ns}/secrets"),
    next("limit=2", "/api/v1/namespaces/{ns}-none/configmaps"),
    get("/api/v1/configmaps?limit=1&labelSelector=own%3Dnope&continue={next}"),
  ],
  "a token for one name": [
    ...five,
    first(),
    get(`${maps}?fieldSelector=metadata.name%3Da&limit=1&continue={next}`),
    get(`${maps}?fieldSelector=metadata.name%3Dd&limit=1&continue={next}`),
    get(`${maps}?fieldSelector=metadata.name%3Dd&limit=1&continue=${inconsistent}`),
    get(`${maps}?fieldSelector=metadata.name%3Dd&continue=nope`),
  ],
  "pages as rows": [
    ...five,
    get(`${maps}?${own}&limit=2`, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }),
    get(`${maps}?${own}&limit=2`, { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" }),
    first(),
    get(`${maps}?${own}&limit=2&continue={next}`, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }),
  ],
  "pages of custom objects": [
    define(specOf({ x: { type: "integer" } })),
    ...["a", "b", "c"].map((name) =>
      post(widgets, widget({ x: 1 }, { metadata: { name, labels: { own: "1" } } }), quiet),
    ),
    first("limit=1", widgets),
    next("limit=1", widgets),
    next("limit=0", widgets),
    del(`${widgets}/b`, undefined, quiet),
    next("limit=1", widgets),
    get(`${widgets}?limit=1&continue=${inconsistent}`),
    ...values.slice(0, 12).map((value) => get(`${widgets}?limit=1&continue=${token(value)}`)),
    ...Object.values(raw).map((text) => get(`${widgets}?limit=1&continue=${text}`, { only: ["message", "code"] })),
  ],
});
