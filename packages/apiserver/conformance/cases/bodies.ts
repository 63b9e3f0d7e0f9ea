/** Request bodies: valid ones, and every way to get one wrong. */
import { defineTopic, get, post } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const services = "/api/v1/namespaces/{ns}/services";

export const bodies = defineTopic("bodies", {
  "creates an object": [post(maps, { metadata: { name: "a" }, data: { x: "1" } }), get(`${maps}/a`)],
  "creates with labels, annotations and binary data": [
    post(maps, {
      metadata: { name: "a", labels: { b: "1", a: "2" }, annotations: { z: "ä<>&" } },
      data: { b: "", a: "x" },
      binaryData: { bin: "AAEC" },
    }),
  ],
  "creates from YAML": [post(maps, "metadata:\n  name: a\ndata:\n  x: '1'\n", { type: "application/yaml" })],
  "refuses a name twice": [
    post(maps, { metadata: { name: "a" } }, { quiet: true }),
    post(maps, { metadata: { name: "a" } }),
  ],
  "generates names": [post(maps, { metadata: { generateName: "generated-" } })],
  "wants a name": [post(maps, {})],
  "wants a name also from null": [post(maps, "null")],
  "refuses an empty body": [post(maps, "")],
  "refuses an array": [post(maps, "[]")],
  "refuses a string": [post(maps, '"x"')],
  "refuses half an object": [post(maps, '{"metadata":')],
  "refuses a comma too many": [post(maps, '{"metadata":{"name":"a",}}')],
  "refuses a bare word": [post(maps, '{"metadata":abc}')],
  "refuses text after the object": [post(maps, '{"metadata":{"name":"a"}} x')],
  "refuses a control character": [post(maps, '{"metadata":{"name":"a\n"}}')],
  "refuses another kind": [post(maps, { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } })],
  "refuses another group": [post(maps, { kind: "Deployment", apiVersion: "apps/v1", metadata: { name: "a" } })],
  "refuses an unknown kind": [post(maps, { kind: "Foo", apiVersion: "v1", metadata: { name: "a" } })],
  "refuses an unknown version": [post(maps, { kind: "ConfigMap", apiVersion: "v2", metadata: { name: "a" } })],
  "refuses an apiVersion that is no text": [post(maps, { apiVersion: 1 })],
  "refuses an apiVersion with two slashes": [post(maps, { apiVersion: "a/b/c", kind: "ConfigMap" })],
  "refuses a number for a text": [post(maps, { metadata: { name: "a" }, data: { x: 1 } })],
  "refuses an object for a text": [post(maps, { metadata: { name: "a" }, data: { x: {} } })],
  "refuses a list for a map": [post(maps, { metadata: { name: "a", labels: [] } })],
  "refuses a text for metadata": [post(maps, { metadata: "a" })],
  "refuses a text for a list": [post(maps, { metadata: { name: "a", finalizers: "x" } })],
  "refuses a number for a name": [post(maps, { metadata: { name: 1 } })],
  "refuses a fraction for an integer": [post(maps, { metadata: { name: "a", generation: 1.5 } })],
  "refuses a text for a boolean": [post(maps, { metadata: { name: "a" }, immutable: "yes" })],
  "refuses a number for an owner": [post(maps, { metadata: { name: "a", ownerReferences: [1] } })],
  "refuses a number for a field of an owner": [
    post(maps, { metadata: { name: "a", ownerReferences: [{ controller: 1 }] } }),
  ],
  "refuses a time that is none": [post(maps, { metadata: { name: "a", creationTimestamp: "x" } })],
  "refuses a quantity that is none": [
    post("/api/v1/namespaces/{ns}/resourcequotas", { metadata: { name: "a" }, spec: { hard: { cpu: "x" } } }),
  ],
  "refuses bad base64": [post(maps, { metadata: { name: "a" }, binaryData: { x: "$$$" } })],
  "reports the hard mistake before the soft one": [
    post(services, { metadata: { name: "a" }, spec: { ports: [{ port: "x", targetPort: 1.5 }] } }),
  ],
  "ignores null": [
    post(maps, { metadata: { name: "a", labels: null, annotations: null }, data: null, immutable: null }),
  ],
  "warns of unknown and duplicate fields": [
    post(maps, '{"metadata":{"name":"a","foo":1},"data":{"x":"1","x":"2"},"bar":{}}'),
  ],
  "refuses unknown and duplicate fields when strict": [
    post(`${maps}?fieldValidation=Strict`, '{"metadata":{"name":"a","foo":1},"data":{"x":"1","x":"2"},"bar":{}}'),
  ],
  "ignores unknown and duplicate fields when told": [
    post(`${maps}?fieldValidation=Ignore`, '{"metadata":{"name":"a","foo":1},"data":{"x":"1","x":"2"},"bar":{}}'),
  ],
  "refuses an unknown field validation": [post(`${maps}?fieldValidation=Foo`, { metadata: { name: "a" } })],
  "refuses an unknown dry run": [post(`${maps}?dryRun=Foo`, { metadata: { name: "a" } })],
  "stores nothing on dry run": [post(`${maps}?dryRun=All`, { metadata: { name: "a" } }), get(`${maps}/a`)],
  "refuses a long field manager": [post(`${maps}?fieldManager=${"x".repeat(129)}`, { metadata: { name: "a" } })],
  "refuses a field manager that cannot be printed": [post(`${maps}?fieldManager=a%01b`, { metadata: { name: "a" } })],
  "takes the field manager from the query": [
    post(`${maps}?fieldManager=me`, { metadata: { name: "a" }, data: { a: "b" } }),
  ],
  "refuses another namespace": [post(maps, { metadata: { name: "a", namespace: "default" } })],
  "clears what only the server sets": [
    post(maps, {
      metadata: {
        name: "a",
        uid: "x",
        resourceVersion: "",
        creationTimestamp: "2020-01-01T00:00:00Z",
        deletionTimestamp: "2020-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 5,
        selfLink: "/x",
        generation: 7,
      },
    }),
  ],
  "refuses a resourceVersion on create": [post(maps, { metadata: { name: "a", resourceVersion: "1" } })],
  "refuses bad names": [post(maps, { metadata: { name: "A_b" } })],
  "refuses long names": [post(maps, { metadata: { name: "a".repeat(254) } })],
  "refuses bad generateName": [post(maps, { metadata: { generateName: "Generated_" } })],
  "refuses bad labels": [post(maps, { metadata: { name: "a", labels: { "a b": "ok" } } })],
  "refuses bad label values": [post(maps, { metadata: { name: "a", labels: { a: "not ok" } } })],
  "refuses bad annotations": [post(maps, { metadata: { name: "a", annotations: { "a b": "" } } })],
  "refuses bad finalizers": [post(maps, { metadata: { name: "a", finalizers: ["a b"] } })],
  "refuses both propagation finalizers": [
    post(maps, { metadata: { name: "a", finalizers: ["orphan", "foregroundDeletion"] } }),
  ],
  "refuses owners without identity": [post(maps, { metadata: { name: "a", ownerReferences: [{}] } })],
  "refuses two controllers": [
    post(maps, {
      metadata: {
        name: "a",
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "a", uid: "1", controller: true },
          { apiVersion: "v1", kind: "Pod", name: "b", uid: "2", controller: true },
        ],
      },
    }),
  ],
  "drops an owner that is there twice": [
    post(maps, {
      metadata: {
        name: "a",
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "a", uid: "1" },
          { apiVersion: "v1", kind: "Pod", name: "a", uid: "1" },
        ],
      },
    }),
  ],
  "refuses other media types": [post(maps, "x", { type: "text/plain" })],
  "refuses CBOR": [post(maps, "x", { type: "application/cbor" })],
  "does not create in a namespace that does not exist": [
    post("/api/v1/namespaces/not-there/configmaps", { metadata: { name: "a" } }),
  ],
  "does not create over all namespaces": [post("/api/v1/configmaps", { metadata: { name: "a" } })],
  "refuses bodies that are too long": [
    post(maps, { metadata: { name: "a" }, data: { x: "x".repeat(3 * 1024 * 1024) } }),
  ],
});
