/** Objects that are stored in one version and read in another, and changes or removal of the storage version. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";
import { definition, definitions, specOf, type Part } from "../explored/widget.ts";

const own = `${definitions}/widgets.{ns}.dev`;
const at = (version: string, rest = ""): string => `/apis/{ns}.dev/${version}/namespaces/{ns}/widgets${rest}`;
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

function widget(version: string, name: string, spec: Part): Part {
  return { apiVersion: `{ns}.dev/${version}`, kind: "Widget", metadata: { name }, spec };
}

const schemas: { readonly [version: string]: Part } = {
  v1: specOf({
    a: { type: "string", default: "d1" },
    c: { type: "object", properties: { x: { type: "string" } } },
    n: { type: "string", nullable: true },
  }),
  v2: specOf({
    a: { type: "string", default: "d2" },
    b: { type: "integer" },
    e: { type: "integer", default: 7 },
    c: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    n: { type: "string", nullable: true, default: "q" },
  }),
};

/** Versions, one of them the storage version; those with a `-` are not served. */
function versionsOf(names: readonly string[], storage: string): Part {
  const versions = names.map((text) => {
    const name = text.replace("-", "");
    return {
      name,
      served: !text.startsWith("-"),
      storage: name === storage,
      schema: { openAPIV3Schema: schemas[name] },
    };
  });
  return { versions };
}

/** kube-apiserver reloads everything after each change of a CRD. */
const settle = 4000;

function define(storage: string): Step {
  return post(definitions, definition({}, {}, versionsOf(["v1", "v2"], storage)), { quiet: true, settle });
}

function redefine(names: readonly string[], storage: string): Step {
  return patch("merge", own, { spec: versionsOf(names, storage) }, { quiet: true, settle });
}

/** Leaves objects behind that are stored in a version that the CRD no longer has. */
const forsake: readonly Step[] = [
  define("v1"),
  post(at("v1"), widget("v1", "old", { a: "x" }), { quiet: true }),
  redefine(["v1", "v2"], "v2"),
  post(at("v2"), widget("v2", "a", { b: 1 }), { quiet: true }),
  patch("merge", `${own}/status`, { status: { storedVersions: ["v2"] } }, { quiet: true, settle }),
  redefine(["v2"], "v2"),
  // The first request for a kind makes kube-apiserver start to read it.
  get(at("v2"), { quiet: true, settle }),
];

export const storedVersions = defineTopic("stored-versions", {
  "what the stored version lacks is lost at once": [
    define("v1"),
    post(at("v2"), widget("v2", "w", { b: 3, c: { x: "k", y: 1 } })),
    get(at("v1", "/w")),
    get(at("v2", "/w")),
    post(at("v2", "?dryRun=All"), widget("v2", "dry", { b: 3 })),
    post(at("v2"), widget("v2", "nulls", { b: null, n: null })),
    patch("merge", at("v2", "/w"), { spec: { b: 5, e: 9 } }),
    patch("merge", at("v2", "/w?dryRun=All"), { spec: { a: "new", b: 6 } }),
    patch("merge", at("v2", "/w"), { spec: { b: 5 } }),
    patch("json", at("v2", "/w"), [{ op: "test", path: "/spec/b", value: 5 }]),
    patch("json", at("v2", "/w"), [{ op: "add", path: "/spec/b", value: 5 }]),
    get(at("v2")),
    get(at("v1")),
    get(at("v2", "?watch=1&timeoutSeconds=1")),
    get(at("v2", "/w"), { accept: table }),
  ],
  "what is applied and lost is still owned": [
    define("v1"),
    patch("apply", at("v2", "/w?fieldManager=x"), widget("v2", "w", { a: "z", b: 8, c: { z: 1 } })),
    patch("apply", at("v2", "/w?fieldManager=y"), widget("v2", "w", { b: 9 })),
    patch("apply", at("v1", "/w?fieldManager=x"), widget("v1", "w", { a: "app" })),
    get(at("v2", "/w")),
  ],
  "a lost field comes and goes with the finalizers": [
    define("v1"),
    post(at("v2"), widget("v2", "w", { b: 1 }), { quiet: true }),
    patch("merge", at("v2", "/w"), { metadata: { finalizers: ["a.b/c"] }, spec: { b: 1 } }),
    del(at("v2", "/w?dryRun=All")),
    del(at("v2", "/w")),
    patch("merge", at("v2", "/w"), { metadata: { finalizers: null }, spec: { b: 3 } }),
    get(at("v2", "/w")),
  ],
  "another stored version takes over with the next write, even one that changes nothing": [
    define("v1"),
    post(at("v1"), widget("v1", "w", { n: null }), { quiet: true }),
    redefine(["v1", "v2"], "v2"),
    get(own, { only: ["status"] }),
    get(at("v2", "/w")),
    patch("merge", at("v1", "/w"), {}),
    get(at("v2", "/w")),
    patch("merge", at("v2", "/w"), { spec: { b: 3 } }),
    patch("merge", at("v1", "/w"), { metadata: { labels: { x: "y" } } }),
    get(at("v2", "/w")),
    redefine(["-v1", "v2"], "v2"),
    get(at("v1")),
    get(at("v2", "/w")),
  ],
  "objects of a version that is gone cannot be read": [
    ...forsake,
    get(at("v2", "/old")),
    get(at("v2", "/old"), { accept: table }),
    get(at("v2", "/a")),
    patch("merge", at("v2", "/old"), { spec: { b: 1 } }),
    patch("apply", at("v2", "/old?fieldManager=x"), widget("v2", "old", { b: 1 })),
    put(at("v2", "/old"), widget("v2", "old", { b: 1 })),
    post(at("v2"), widget("v2", "old", {})),
    del(at("v2", "/old")),
    del(at("v2")),
    get(at("v2", "/a")),
    redefine(["v2", "v1"], "v2"),
    get(at("v2", "/old")),
    get(at("v1")),
  ],
  "while one object cannot be read, whole lists and watches are refused": [
    ...forsake,
    get(at("v2")),
    get(at("v2"), { accept: table }),
    get(at("v2", "?resourceVersion=0")),
    get(at("v2", "?fieldSelector=metadata.name%3Da")),
    get(at("v2", "?limit=1&labelSelector=a")),
    get(at("v2", "?watch=1&timeoutSeconds=1")),
    get(at("v2", "?watch=1&timeoutSeconds=1&resourceVersion=1")),
    del(at("v2", "?labelSelector=a")),
  ],
  "an owner that wrote in another version stands in the way of what that lacks": [
    define("v2"),
    patch("apply", at("v1", "/w?fieldManager=x"), widget("v1", "w", { a: "1" })),
    patch("apply", at("v2", "/w?fieldManager=y"), widget("v2", "w", { c: { x: "1" } })),
    patch("apply", at("v2", "/w?fieldManager=y"), widget("v2", "w", { b: 1, c: { x: "1" } })),
    patch("apply", at("v2", "/w?fieldManager=x&force=true"), widget("v2", "w", { a: "2", b: 2 })),
  ],
  "owners that wrote in a version that is gone are forgotten with the next update": [
    define("v1"),
    patch("apply", at("v1", "/w?fieldManager=x"), widget("v1", "w", { a: "1" }), { quiet: true }),
    redefine(["v1", "v2"], "v2"),
    patch("apply", at("v2", "/w?fieldManager=y"), widget("v2", "w", { b: 1 }), { quiet: true }),
    patch("merge", `${own}/status`, { status: { storedVersions: ["v2"] } }, { quiet: true, settle }),
    redefine(["v2"], "v2"),
    patch("apply", at("v2", "/w?fieldManager=y&force=true"), widget("v2", "w", { b: 2 })),
    patch("merge", at("v2", "/w"), { spec: { b: 3 } }),
    patch("apply", at("v2", "/w?fieldManager=y&force=true"), widget("v2", "w", { b: 2 })),
  ],
});
