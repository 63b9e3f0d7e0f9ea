/** Requests that cannot be served: groups without a server, connections without a node, subresources that a deprecated version lacks. */
import { defineTopic, del, get, post, type Step } from "../../case.ts";
import { definitions, type Part } from "../explored/widget.ts";

const quiet = { quiet: true };
const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const group = "/apis/{ns}.local.dev";
const register = (version: string, versionPriority: number): Step =>
  post(
    services,
    {
      metadata: { name: `${version}.{ns}.local.dev` },
      spec: { group: "{ns}.local.dev", version, groupPriorityMinimum: 1000, versionPriority },
    },
    { ...quiet, settle: 3000 },
  );

const space = "/api/v1/namespaces/{ns}";
const pod = (name: string, node: Part): Step =>
  post(`${space}/pods`, { metadata: { name }, spec: { ...node, containers: [{ name: "a", image: "a" }] } }, quiet);
const asked = [
  "log",
  "log?container=b",
  "log?tailLines=-1",
  "exec",
  "exec?command=x&stdout=1",
  "exec?container=b",
  "attach",
  "attach?stdout=1",
  "portforward",
  "portforward?ports=x",
  "portforward?ports=1,-1",
];
const doors = (name: string): Step[] => asked.map((door) => get(`${space}/pods/${name}/${door}`));

const service = post(
  `${space}/services`,
  {
    metadata: { name: "s" },
    spec: {
      ports: [
        { name: "web", port: 80 },
        { name: "other", port: 81 },
      ],
    },
  },
  quiet,
);
const endpoints = (subsets: readonly Part[]): Step =>
  post(`${space}/endpoints`, { metadata: { name: "s" }, subsets }, quiet);
const forms = [
  "",
  ":",
  ":80",
  ":+80",
  ":080",
  ":-1",
  ":82",
  ":99999999999999999999",
  ":web",
  ":Web",
  ":nope",
  ":80:80",
];
const proxies = (name: string): Step[] => [
  ...forms.map((form) => get(`${space}/services/${name}${form}/proxy/x`)),
  ...["http", "https", "ftp", ""].map((scheme) => get(`${space}/services/${scheme}:${name}:80/proxy/`)),
  get(`${space}/services/https:${name}:web/proxy/?a=b`),
  get(`${space}/services/${name}:web/proxy`),
  post(`${space}/services/:80/proxy/`, {}),
];

const objects = "/apis/{ns}.dev/v1beta1/namespaces/{ns}/widgets";
const schema = { openAPIV3Schema: { type: "object" } };
const defineDeprecated = post(
  definitions,
  {
    metadata: { name: "widgets.{ns}.dev" },
    spec: {
      group: "{ns}.dev",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        { name: "v1", served: true, storage: true, schema },
        { name: "v1beta1", served: true, storage: false, deprecated: true, schema },
      ],
    },
  },
  { ...quiet, settle: 3000 },
);

export const strays = defineTopic("strays", {
  "a group that is registered and served by nobody": [
    register("v1", 15),
    get(group),
    get(group, { accept: "application/yaml" }),
    post(group, {}),
    get(`${group}/v1`),
    get(`${group}/v1/things`),
    register("v2beta1", 20),
    get(group),
    del(`${services}/v1.{ns}.local.dev`, undefined, { ...quiet, settle: 2000 }),
    get(group),
  ],
  "doors of a pod on a node that is not there": [
    post(`${space}/serviceaccounts`, { metadata: { name: "default" } }, quiet),
    pod("p", { nodeName: "nowhere" }),
    ...doors("p"),
  ],
  "doors of a pod on a node without an address": [
    post(`${space}/serviceaccounts`, { metadata: { name: "default" } }, quiet),
    post("/api/v1/nodes", { metadata: { name: "n-{ns}" } }, quiet),
    pod("p", { nodeName: "n-{ns}" }),
    ...doors("p"),
    get("/api/v1/nodes/n-{ns}/proxy/"),
  ],
  "doors of a pod that is not there": doors("nope"),
  "the proxy of a service that is not there": proxies("nope"),
  "the proxy of a service that nobody answers for": [service, ...proxies("s")],
  "the proxy of a service whose Endpoints are empty": [service, endpoints([]), ...proxies("s")],
  "the proxy of a service whose Endpoints lead to no pod": [
    service,
    endpoints([
      { addresses: [{ ip: "10.9.8.7" }], ports: [{ name: "web", port: 8080 }] },
      { notReadyAddresses: [{ ip: "10.9.8.8" }], ports: [{ port: 8081 }] },
      {
        addresses: [{ ip: "10.9.8.6", targetRef: { kind: "Pod", name: "p", namespace: "{ns}" } }],
        ports: [{ port: 1 }],
      },
    ]),
    ...proxies("s"),
  ],
  "the proxy of Endpoints without a service": [endpoints([]), ...proxies("s")],
  "deprecated versions warn of everything": [
    defineDeprecated,
    post(objects, { apiVersion: "{ns}.dev/v1beta1", kind: "Widget", metadata: { name: "w" } }, quiet),
    ...["status", "scale", "nope", "status/x"].map((rest) => get(`${objects}/w/${rest}`)),
    get(objects, { accept: "text/plain" }),
    { method: "PUT", path: objects, body: {} },
    del(`${objects}/w/status`),
  ],
});
