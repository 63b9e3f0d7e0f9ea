/** Request formats: malformed protobuf, YAML edge cases, timeouts that are too short, existing names. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";
import { slice } from "./resource-slice.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const events = "/apis/events.k8s.io/v1/namespaces/{ns}/events";

/** Protobuf bytes, all below 128 so that a text can hold them. */
const bytes = (...values: readonly number[]): string => String.fromCharCode(...values);
const part = (number: number, content: string): string => bytes((number << 3) | 2, content.length) + content;
const magic = `k8s${bytes(0)}`;
const typed = (raw: string, kind = "ConfigMap", apiVersion = "v1"): string =>
  magic + part(1, part(1, apiVersion) + part(2, kind)) + part(2, raw);
const named = (name: string): string => part(1, part(1, name));

const malformed: readonly string[] = [
  magic,
  "abcd",
  magic + bytes(0x0a),
  magic + bytes(0x0a, 5, 1),
  magic + bytes(8, 1),
  magic + part(1, bytes(8, 1)),
  typed(named("a"), "Foo"),
  typed(named("a"), "Foo", "foo/v9"),
  typed(named("a"), "Foo", "a/b/c"),
  typed(bytes(8, 1)),
  typed(bytes(0x15, 1, 2, 3, 4)),
  typed(bytes(0, 0)),
  typed(bytes(0x0c)),
  typed(bytes(0x53, 0x54)),
  typed(bytes(0x57, 1)),
  typed(bytes(0x0a, 50, 1)),
  typed(part(1, bytes(8, 1))),
  typed(part(1, bytes(0x0a, 9))),
  typed(named("a") + part(2, bytes(0x0a, 9))),
  typed(part(1, part(1, "a") + bytes(0x3a, 1, 1))),
  typed(part(1, part(1, "a") + part(8, bytes(0x0a, 1, 1)))),
];
const binary: Partial<Step> = { type: "application/vnd.kubernetes.protobuf" };

const documents = [
  "{}: foo",
  "[]: a",
  "{a: b}: foo",
  "...",
  "...\n---\n{}",
  "---\n...",
  "--- {}: c",
  "--- a: b",
  "%FOO\n---\n{}",
  "--- {}",
];

const accepted = [
  'application/json;as="Table";g=meta.k8s.io;v=v1',
  'application/json;as="Table";g=meta.k8s.io;v=v1,application/json',
  'application/json;pretty="1"',
  'application/json;q="0.5"',
];

const others: readonly object[] = [
  { kind: "Secret", apiVersion: "v1", data: { a: "b" } },
  { kind: "Secret", apiVersion: "v1" },
  { kind: "SecretList", apiVersion: "v1", items: 1 },
  { kind: "Deployment", apiVersion: "apps/v1", spec: 1 },
  { kind: "Deployment", apiVersion: "apps/v1beta1" },
  { kind: "Status", apiVersion: "v1", code: "x" },
  { kind: "DeleteOptions", apiVersion: "apps/v1", dryRun: 1 },
  { kind: "Eviction", apiVersion: "policy/v1" },
  { kind: "Scale", apiVersion: "autoscaling/v1", spec: 1 },
  { kind: "Table", apiVersion: "meta.k8s.io/v1" },
];

const enclosed = (content: readonly number[], headers = "", type = "CERTIFICATE REQUEST"): string =>
  `-----BEGIN ${type}-----\n${headers}${Buffer.from(content).toString("base64")}\n-----END ${type}-----\n`;
const requests = [
  "x",
  enclosed([104, 101, 108, 108, 111]),
  enclosed([104, 101, 108, 108, 111], "a: b\n\n"),
  enclosed([0x30, 0]),
  enclosed([0x30, 3, 2, 1, 0]),
  enclosed([0x30, 0x80]),
  enclosed([]),
  enclosed([0x30, 5, 1]),
  enclosed([0x30, 0, 5]),
  enclosed([0x30, 2, 0x30, 0]),
  enclosed([0x30, 0], "", "CERTIFICATE"),
  "-----BEGIN CERTIFICATE REQUEST-----\n!!\n-----END CERTIFICATE REQUEST-----\n",
];

const nested = "[".repeat(4000) + "]".repeat(4000);

const event = (metadata: object): object => ({
  eventTime: "2020-01-01T00:00:00.000000Z",
  reportingController: "example.com/c",
  reportingInstance: "i",
  action: "A",
  reason: "R",
  type: "Normal",
  regarding: { kind: "Pod", namespace: "{ns}", name: "p" },
  metadata,
});

export const hostileForms = defineTopic("hostile-forms", {
  "protobuf: that is none is refused in Go's words": [
    ...malformed.map((body) => post(maps, body, binary)),
    ...malformed.map((body) => del(`${maps}/nope`, body, binary)),
    del(`${maps}/nope`, typed(bytes(0x0a, 1, 1), "DeleteOptions"), binary),
  ],
  "protobuf: fields that nobody knows are passed over": [
    post(maps, typed(named("a") + part(15, "abc") + bytes(0x70, 5)), binary),
  ],
  "YAML: documents at the edge": documents.map((body) => post(maps, body, { type: "application/yaml" })),
  "Accept: quotes are part of a value": accepted.map((accept) => get(maps, { accept })),
  "timeout: what is over at once": [
    get(`${maps}?timeout=1ns`),
    post(`${maps}?timeout=1us`, { metadata: { name: "a" } }),
    get(`${maps}/a`),
    get("/api?timeout=1ns", { as: "nobody" }),
    get(`${maps}?timeout=0`),
    get(`${maps}?timeout=-1s`),
    get(`${maps}?timeout=x`),
  ],
  "kinds: another one is read as what it says before it is refused": [
    ...others.map((body) => post(maps, body)),
    post(maps, { metadata: { name: "a" }, data: { a: "b" } }),
    patch("merge", `${maps}/a`, { kind: "Secret" }),
    patch("merge", `${maps}/a`, { kind: "Secret", data: { a: "aGVsbG8=" } }),
    post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { kind: "Status", apiVersion: "v1" }),
    post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { kind: "Pod", apiVersion: "v1" }),
  ],
  "certificates: requests that are none": requests.map((request) =>
    post("/apis/certificates.k8s.io/v1/certificatesigningrequests", {
      metadata: { name: "{ns}" },
      spec: { request: Buffer.from(request).toString("base64"), signerName: "a.b/c", usages: ["client auth"] },
    }),
  ),
  "patches: what nests deeper than any type is not looked at": [
    post(maps, { metadata: { name: "a" } }),
    patch("merge", `${maps}/a`, `{"x":${nested}}`),
    patch("json", `${maps}/a`, `[{"op":"add","path":"/x","value":${nested}}]`),
    patch("strategic", `${maps}/a`, `{"x":${nested}}`),
  ],
  "names: that are taken, beside a prefix": [
    post(maps, { metadata: { name: "a" } }),
    post(maps, { metadata: { name: "a", generateName: "p-" } }),
    post(`${maps}?dryRun=All`, { metadata: { name: "a", generateName: "p-" } }),
  ],
  "Event: refusals of updates name it without its group": [
    post(events, event({ name: "a" })),
    put(`${events}/a`, event({ name: "a", generateName: "x/y" })),
    put(`${events}/b`, event({ name: "b", generateName: "x/y" })),
  ],
  "ResourceSlice: what is switched off is dropped": [
    slice({
      name: "x",
      attributes: { a: { string: "s", strings: ["t"], ints: [1], bools: [true], versions: ["1.0.0"] } },
      nodeAllocatableResourceMappings: { cpu: { capacityKey: "a" } },
    }),
  ],
});
