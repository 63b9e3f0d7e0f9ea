/** Paths, methods, media types and queries that are not served, or served differently than they seem. */
import { del, defineTopic, get, patch, post, put, type Step } from "../../case.ts";
import { define } from "./widget.ts";

const object = { type: "object" };
const maps = "/api/v1/namespaces/{ns}/configmaps";
const widgets = "/apis/{ns}.dev/v1/namespaces/{ns}/widgets";
const one = { metadata: { name: "a" } };
const make = post(maps, one, { quiet: true });

/** Every method on a path. */
function methods(path: string): Step[] {
  return [
    get(path),
    post(path, {}),
    put(path, {}),
    patch("merge", path, {}),
    del(path),
    { method: "HEAD", path },
    { method: "OPTIONS", path },
  ];
}

const custom = [
  "/apis/{ns}.dev",
  "/apis/{ns}.dev/v1",
  "/apis/{ns}.dev/v3",
  "/apis/{ns}.dev/v3/widgets",
  "/apis/{ns}.dev/v1/nopes",
  "/apis/{ns}.dev/v1/widgets/nope",
  `${widgets}/nope`,
  `${widgets}/nope/status`,
  `${widgets}/nope/foo`,
  `${widgets}/a/b/c`,
];
const builtin = [
  "/api/v2",
  "/api/v1/nopes",
  "/api/v1/namespaces/{ns}/nopes/x",
  `${maps}/nope/status`,
  "/api/v1/configmaps/x",
  "/api/v1/namespaces/{ns}/nodes",
  "/api/v1/namespaces/{ns}/pods/x/nope",
  "/apis/apps/v2",
  "/apis/apps/v1/nopes",
  "/apis/apps/v1/namespaces/{ns}/deployments/x/scale",
  "/apis/nope",
  "/apis/nope/v1/x",
  "/nope",
  "/healthz/nope",
  "/livez/ping",
  "/openapi/v2/x",
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  "/apis/authentication.k8s.io/v1/tokenreviews",
  "/api//v1/namespaces",
  `${maps}/a%2Fb`,
  `${maps}/%20`,
  "/api/v1/namespaces/{ns}/services/x/proxy",
  "/api/v1/namespaces/{ns}/services/x/proxy/a/b",
  "/api/v1/namespaces/{ns}/pods/x/log",
  "/api/v1/namespaces/{ns}/pods/x/exec",
  "/api/v1/namespaces/{ns}/pods/x/binding",
  "/api/v1/namespaces/{ns}/pods/x/eviction",
  "/api/v1/namespaces/{ns}/serviceaccounts/x/token",
];
const queries = [
  "watch=nope&timeoutSeconds=1",
  "timeoutSeconds=x",
  "labelSelector=a%3Db%3Dc",
  "labelSelector=a+notin+(b",
  "labelSelector=a%3E1",
  "labelSelector=a%3Ex",
  "fieldSelector=metadata.name",
  "fieldSelector=metadata.name%3Da%3Db",
  "resourceVersion=-1",
  "resourceVersion=1&resourceVersionMatch=Nope",
  "resourceVersionMatch=NotOlderThan",
  "continue=abc&resourceVersion=1",
  "allowWatchBookmarks=nope",
  "limit=9223372036854775808",
  "%zz=1",
  "a;b=1",
  "limit=",
];
const accepted = [
  "application/yaml",
  "text/yaml",
  "*/*",
  "application/*",
  "application/json;as=Table;v=v2;g=meta.k8s.io",
  "application/json;as=Nope;v=v1;g=meta.k8s.io",
  "application/yaml;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io",
  "application/json;q=x",
  "application/cbor",
  "json",
  "text/html, application/json;q=0.5",
  "application/yaml;q=0.5,application/json;q=0.9",
];
const sent = [
  "application/json; charset=utf-8",
  "application/yaml",
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/cbor",
  "nope",
  "application/json;nope",
];

function answersFor(accept: string): Step[] {
  const more = { accept };
  return [
    make,
    get(`${maps}/a`, more),
    get(maps, more),
    get(`${maps}/nope`, more),
    post(`${maps}?dryRun=All`, { metadata: { name: "b" } }, more),
    del(`${maps}/a?dryRun=All`, undefined, more),
    get("/apis/apps", more),
    get("/nope", more),
  ];
}

function bodiesOf(type: string): Step[] {
  const more = { type };
  return [
    post(`${maps}?dryRun=All`, one, more),
    make,
    put(`${maps}/a`, one, more),
    { method: "PATCH", path: `${maps}/a`, body: {}, type },
    del(`${maps}/a`, {}, more),
  ];
}

export const routes = defineTopic("routes", {
  ...Object.fromEntries(custom.map((path) => [`custom: ${path}`, [define(object), ...methods(path)]])),
  ...Object.fromEntries(builtin.map((path) => [`builtin: ${path}`, methods(path)])),
  ...Object.fromEntries(
    queries.map((query) => [`query: ${query}`, [get(`${maps}?${query}`), del(`${maps}?${query}`)]]),
  ),
  ...Object.fromEntries(accepted.map((accept) => [`accepts: ${accept}`, answersFor(accept)])),
  ...Object.fromEntries(sent.map((type) => [`sends: ${type}`, bodiesOf(type)])),
});
