/** CRDs and custom objects. */
import { defineTopic, del, get, patch, post, put, type Step } from "../case.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const objects = "/apis/{ns}.dev/v1/namespaces/{ns}/widgets";
const w = `${objects}/w`;

const versionOne = {
  name: "v1",
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            size: { type: "integer", default: 1, minimum: 0 },
            replicas: { type: "integer" },
            tags: { type: "array", items: { type: "string" } },
          },
        },
        status: { type: "object", properties: { replicas: { type: "integer" } } },
      },
    },
  },
  subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
  additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
};

const definition = (spec: object = {}): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.{ns}.dev" },
  spec: {
    group: "{ns}.dev",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [versionOne],
    ...spec,
  },
});

const define: Step = post(definitions, definition(), { quiet: true, settle: 1500 });
const widget = (spec: object = { size: 2 }, more: object = {}): object => ({
  apiVersion: "{ns}.dev/v1",
  kind: "Widget",
  metadata: { name: "w" },
  spec,
  ...more,
});
const make = post(objects, widget(), { quiet: true });

export const custom = defineTopic("custom", {
  "defines a kind": [post(definitions, definition())],
  "serves a kind": [define, get("/apis/{ns}.dev/v1"), get("/apis/{ns}.dev")],
  "accepts the names": [define, get(`${definitions}/widgets.{ns}.dev`)],
  "creates objects": [define, post(objects, widget()), get(w), get(objects)],
  "prunes and warns": [define, post(objects, widget({ size: 1, foo: 1 }, { bar: 1 }))],
  "refuses unknown fields when strict": [define, post(`${objects}?fieldValidation=Strict`, widget({ foo: 1 }))],
  "fills in defaults": [define, post(objects, widget({}))],
  "ignores the status": [define, post(objects, widget({ size: 1 }, { status: { replicas: 1 } }))],
  "refuses wrong types": [define, post(objects, widget({ size: "x" }))],
  "refuses what is out of bounds": [define, post(objects, widget({ size: -1 }))],
  "refuses objects without a kind": [define, post(objects, { metadata: { name: "w" } })],
  "refuses objects of another kind": [define, post(objects, { ...widget(), kind: "Foo" })],
  "refuses objects of another version": [define, post(objects, { ...widget(), apiVersion: "{ns}.dev/v2" })],
  "selects by no field that is not selectable": [define, make, get(`${objects}?fieldSelector=spec.size%3D1`)],
  "refuses bad labels": [define, post(objects, { ...widget(), metadata: { name: "w", labels: { a: 1 } } })],
  "replaces objects": [define, make, put(w, widget({ size: 3 })), put(w, widget({ size: 3 }))],
  "wants no version to replace": [define, make, put(w, { ...widget(), metadata: { name: "w", resourceVersion: "1" } })],
  merges: [define, make, patch("merge", w, { spec: { size: 5 } })],
  "does not merge strategically": [define, make, patch("strategic", w, { spec: { size: 5 } })],
  applies: [define, patch("apply", `${w}?fieldManager=me`, widget({ size: 4, tags: ["a"] }))],
  "writes the status alone": [
    define,
    make,
    patch("merge", `${w}/status`, { spec: { size: 9 }, status: { replicas: 3 } }),
  ],
  "shows tables": [define, make, get(objects, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" })],
  scales: [
    define,
    post(objects, widget({ replicas: 2 }), { quiet: true }),
    get(`${w}/scale`),
    patch("merge", `${w}/scale`, { spec: { replicas: 4 } }),
    get(w),
  ],
  "has no scale without replicas": [define, make, get(`${w}/scale`)],
  "deletes objects": [define, make, del(w), get(w)],
  "deletes a definition": [define, del(`${definitions}/widgets.{ns}.dev`)],
  "refuses a wrong name": [post(definitions, { ...definition(), metadata: { name: "foo" } })],
  "refuses a schema that is not structural": [
    post(
      definitions,
      definition({ versions: [{ ...versionOne, schema: { openAPIV3Schema: { properties: { a: {} } } } }] }),
    ),
  ],
  "refuses no storage version": [post(definitions, definition({ versions: [{ ...versionOne, storage: false }] }))],
});
