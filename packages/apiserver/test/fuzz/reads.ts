/** Random reads: objects and lists in every media type, with valid and odd options. */
import fc, { type Arbitrary } from "fast-check";
import type { Question } from "./ask.ts";
import type { Subject } from "./subject.ts";

const accepts = fc.constantFrom(
  "application/json",
  "application/json",
  "*/*",
  "application/yaml",
  "text/html",
  "application/cbor",
  "application/json;as=Nope;v=v1;g=meta.k8s.io",

  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",

  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
);

const labels = [
  "",
  "app=a",
  "app!=a",
  "app in (a,b)",
  "!app",
  "app,x=y",
  "a=",
  "=",
  "a in ()",
  "a>1",
  "a>x",
  "-a",
  "a b",
  "x notin (y)",
];
const fields = [
  "",
  "metadata.name=base",
  "metadata.name!=base",
  "metadata.namespace=x",
  "spec.nope=1",
  "metadata.name",
  "a==b,",
  "status.phase=Pending",
  "=",
];
const options: { readonly [name: string]: readonly string[] } = {
  labelSelector: labels,
  fieldSelector: fields,
  limit: ["0", "1", "500", "-1", "x"],
  continue: ["x", "e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYVx1MDAwMCJ9"],
  resourceVersion: ["", "0", "1", "x", "-1", "99999999"],
  resourceVersionMatch: ["", "Exact", "NotOlderThan", "x"],
  pretty: ["true", "x"],
  timeoutSeconds: ["1", "x"],
  sendInitialEvents: ["false", "x"],
  allowWatchBookmarks: ["true"],
  includeObject: ["None", "Metadata", "Object", "x"],
};

const queries = fc
  .subarray(Object.keys(options), { maxLength: 3 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.constantFrom(...(options[name] ?? [""])).map((value) => `${name}=${encodeURIComponent(value)}`),
      ),
    ),
  )
  .map((parts) => parts.join("&"));

export function readsOf({ path, at }: Subject): Arbitrary<Question> {
  const places = path.includes("/namespaces/") ? fc.constantFrom(at, path, path) : fc.constantFrom(at, path);
  return fc.tuple(places, queries, accepts).map(([place, query, accept]) => ({
    method: "GET",
    path: `${place}?${scoped(query, { place, at, path })}`,
    type: "application/json",
    accept,
    body: undefined,
  }));
}

/** Lists over the whole cluster are restricted to the base object: other clients may write to the others. */
function scoped(query: string, { place, at, path }: { place: string; at: string; path: string }): string {
  if (place === at || path.includes("/namespaces/")) return query;
  const others = query.split("&").filter((part) => !part.startsWith("fieldSelector="));
  return [...others, `fieldSelector=${encodeURIComponent(`metadata.name=${at.slice(path.length + 1)}`)}`].join("&");
}
