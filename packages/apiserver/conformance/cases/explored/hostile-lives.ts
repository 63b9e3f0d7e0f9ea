/** Adversarial requests: pages outside the cache, impossible watches, odd credentials and paths, namespaces without finalizers. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const three = ["a", "b", "c"].map((name) =>
  post(maps, { metadata: { name, labels: { all: "yes" } } }, { quiet: true }),
);
const selected = "labelSelector=all";
const [one] = three;
const single: readonly Step[] = one === undefined ? [] : [one];
const bearing = (authorization: string) => ({ as: "nobody", headers: { authorization } }) as const;
const other = "/api/v1/namespaces/{ns}-other";
const without = { metadata: { name: "{ns}-other" }, spec: { finalizers: [] } };

const pods = "/api/v1/namespaces/{ns}/pods";
const evict = (deleteOptions: object): Step =>
  post(`${pods}/p/eviction`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: "p", namespace: "{ns}" },
    deleteOptions,
  });
const discovery = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

export const hostileLives = defineTopic("hostile-lives", {
  "whatever state there is has no pages": [
    ...three,
    get(`${maps}?${selected}&limit=2&resourceVersion=0`),
    get(`${maps}?${selected}&limit=2&resourceVersion=0&resourceVersionMatch=NotOlderThan`),
    get(`${maps}?${selected}&limit=2&resourceVersion=0`, table),
  ],
  "pages go on, whatever version is asked for": [
    ...three,
    get(`${maps}?${selected}&limit=1`, { quiet: true, keep: { next: "metadata.continue" } }),
    get(`${maps}?${selected}&limit=1&resourceVersion=0&continue={next}`),
  ],
  "events have pages": [
    ...["a", "b"].map((name) =>
      post(
        "/api/v1/namespaces/{ns}/events",
        { metadata: { name }, involvedObject: { namespace: "{ns}" } },
        { quiet: true },
      ),
    ),
    get("/api/v1/namespaces/{ns}/events?limit=1&resourceVersion=0", { only: ["kind", "items"] }),
  ],
  "a watch of tables with objects of an unknown form is refused": [
    ...single,
    get(`${maps}?watch=1&includeObject=Foo&timeoutSeconds=1`, table),
    get(`${maps}?watch=1&includeObject=Foo&timeoutSeconds=1&resourceVersion=0`, table),
    get(`${maps}?watch=1&includeObject=None&timeoutSeconds=1&${selected}`, table),
  ],
  "a token after two spaces is none": [
    get("/api/v1/nodes", bearing("Bearer  nope")),
    get("/version", { ...bearing("Bearer  nope"), only: ["major"] }),
  ],
  "a token is one word": [
    get("/version", bearing("Bearer nope more")),
    get("/version", { ...bearing("Bearer"), only: ["major"] }),
  ],
  "another scheme is none": [get("/version", { ...bearing("Basic YTpi"), only: ["major"] })],
  "a namespace that nothing keeps is marked first": [
    post("/api/v1/namespaces", { metadata: { name: "{ns}-other" } }, { quiet: true }),
    put(`${other}/finalize`, without, { quiet: true }),
    del(other, { kind: "DeleteOptions", apiVersion: "v1", dryRun: ["All"] }),
    del(other),
    get(other),
    del(other),
    get(other),
  ],
  "paths with too many slashes": [
    ...single,
    get("/api//v1/namespaces/{ns}"),
    get("/api/v1//namespaces/{ns}"),
    get("/api/v1/namespaces//configmaps?labelSelector=nobody"),
    get("/api/v1/namespaces//configmaps/a"),
    get("/api/v1/namespaces/{ns}//configmaps/a"),
    get("/api/v1/namespaces/{ns}/configmaps//a"),
    get("/api/v1/namespaces/{ns}/configmaps/a/"),
    get("/api/v1/namespaces/{ns}/configmaps/a//"),
    get("/healthz/"),
  ],
  "discovery at once has one version": [
    get("/apis", { accept: discovery("v2beta1"), only: ["kind", "message", "code"] }),
    get("/apis", { accept: discovery("v3"), only: ["kind", "message", "code"] }),
    get("/api", { accept: `${discovery("v2beta1")},application/json`, only: ["kind"] }),
    get("/api", { accept: `${discovery("v2beta1")},${discovery("v2")}`, only: ["kind", "apiVersion"] }),
  ],
  "whoever has any document of OpenAPI needs no other": [
    get("/openapi/v2", { headers: { "if-none-match": "*" }, only: [] }),
    get("/openapi/v2", { headers: { "if-none-match": '"nope", *' }, only: [] }),
  ],
  "addresses that belong to nobody": ["10.0.0.0", "10.0.0.255", "10.9.0.1"].flatMap((clusterIP) => [
    post("/api/v1/namespaces/{ns}/services", { metadata: { name: "s" }, spec: { clusterIP, ports: [{ port: 80 }] } }),
    post("/api/v1/namespaces/{ns}/services?dryRun=All", {
      metadata: { name: "s" },
      spec: { clusterIP, ports: [{ port: 80 }] },
    }),
  ]),
  "a budget that forbids an eviction comes before its preconditions": [
    post("/api/v1/namespaces/{ns}/serviceaccounts", { metadata: { name: "default" } }, { quiet: true }),
    post(
      pods,
      { metadata: { name: "p", labels: { app: "p" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      { quiet: true },
    ),
    patch("merge", `${pods}/p/status`, { status: { phase: "Running" } }, { quiet: true }),
    evict({ preconditions: { uid: "nope" }, propagationPolicy: "Nope" }),
    evict({ preconditions: { uid: "nope" } }),
    post(
      "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
      { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "p" } } } },
      { quiet: true, settle: 500 },
    ),
    evict({ preconditions: { uid: "nope" } }),
    evict({ propagationPolicy: "Nope" }),
  ],
  "names that no path can have": [
    get(`${maps}/a%25b`),
    del(`${maps}/a%25b`),
    get("/api/v1/namespaces/a%25b/configmaps"),
  ],
});
