/** The four patch types, and their errors. */
import { defineTopic, get, patch, post } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const a = `${maps}/a`;
const make = post(maps, { metadata: { name: "a", labels: { l: "1" } }, data: { x: "1" } }, { quiet: true });
const config = (data: { [key: string]: string }): unknown => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  data,
});

export const patches = defineTopic("patches", {
  merges: [make, patch("merge", a, { data: { y: "2" }, metadata: { labels: { l: null } } })],
  "merges nothing": [make, patch("merge", a, {}), get(a)],
  "merges strategically": [make, patch("strategic", a, { data: { y: "2", x: null } })],
  "applies operations": [
    make,
    patch("json", a, [
      { op: "add", path: "/data/y", value: "2" },
      { op: "remove", path: "/data/x" },
    ]),
  ],
  "refuses a failed test": [make, patch("json", a, [{ op: "test", path: "/data/x", value: "2" }])],
  "refuses an unknown operation": [make, patch("json", a, [{ op: "foo", path: "/data/x" }])],
  "refuses a path that is not there": [make, patch("json", a, [{ op: "remove", path: "/data/z" }])],
  "refuses an object for operations": [make, patch("json", a, {})],
  "says what is unknown by name": [
    make,
    patch("strategic", `${a}?fieldValidation=Strict`, { zope: 1, metadata: { nope: 1, foo: 2 }, aope: 3 }),
    patch("strategic", `${a}?fieldValidation=Warn`, { zope: 1, metadata: { nope: 1, foo: 2 }, aope: 3 }),
    patch("merge", `${a}?fieldValidation=Strict`, { zope: 1, metadata: { nope: 1, foo: 2 }, aope: 3 }),
  ],
  "refuses a list to merge": [make, patch("merge", a, [])],
  "refuses half a patch": [make, patch("merge", a, "{")],
  "refuses a merge to the wrong type": [make, patch("merge", a, { data: { x: 1 } })],
  "refuses a strategic merge to the wrong type": [make, patch("strategic", a, { data: { x: 1 } })],
  "warns of unknown fields": [make, patch("merge", a, { foo: 1 })],
  "refuses unknown fields when strict": [make, patch("merge", `${a}?fieldValidation=Strict`, { foo: 1 })],
  "refuses unknown fields of a strategic patch when strict": [
    make,
    patch("strategic", `${a}?fieldValidation=Strict`, { foo: 1 }),
  ],
  "refuses to rename": [make, patch("merge", a, { metadata: { name: "b" } })],
  "does not find what is not there": [patch("merge", a, {})],
  "refuses force without apply": [make, patch("merge", `${a}?force=true`, {})],
  "refuses other media types": [make, patch("merge", a, {}, { type: "text/plain" })],
  "stores nothing on dry run": [make, patch("merge", `${a}?dryRun=All`, { data: { y: "2" } }), get(a)],
  "refuses another version": [make, patch("merge", a, { metadata: { resourceVersion: "1" } })],
  "apply creates": [patch("apply", `${a}?fieldManager=me`, config({ x: "1" }))],
  "apply wants a manager": [patch("apply", a, config({ x: "1" }))],
  "apply wants a kind": [patch("apply", `${a}?fieldManager=me`, { metadata: { name: "a" } })],
  "apply wants the right kind": [
    patch("apply", `${a}?fieldManager=me`, { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }),
  ],
  "apply wants the right name": [
    patch("apply", `${a}?fieldManager=me`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } }),
  ],
  "apply does not know unknown fields": [patch("apply", `${a}?fieldManager=me`, { ...(config({}) as object), foo: 1 })],
  "apply conflicts": [make, patch("apply", `${a}?fieldManager=me`, config({ x: "2" }))],
  "apply can be forced": [make, patch("apply", `${a}?fieldManager=me&force=true`, config({ x: "2" }))],
  "apply shares": [make, patch("apply", `${a}?fieldManager=me`, config({ x: "1" }))],
  "apply takes back": [
    patch("apply", `${a}?fieldManager=me`, config({ x: "1", y: "1" }), { quiet: true }),
    patch("apply", `${a}?fieldManager=me`, config({ x: "1" })),
  ],
  "apply of the same does nothing": [
    patch("apply", `${a}?fieldManager=me`, config({ x: "1" })),
    patch("apply", `${a}?fieldManager=me`, config({ x: "1" })),
  ],
});
