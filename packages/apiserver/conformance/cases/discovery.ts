/** Discovery and version endpoints. */
import { defineTopic, get } from "../case.ts";

const groups = ["apps", "batch", "autoscaling", "policy", "rbac.authorization.k8s.io", "networking.k8s.io"];

export const discovery = defineTopic("discovery", {
  "versions of the core group": [get("/api", { only: ["kind", "versions"] })],
  "resources of the core group": [get("/api/v1")],
  ...Object.fromEntries(groups.map((group) => [`the group ${group}`, [get(`/apis/${group}`)]])),
  ...Object.fromEntries(
    groups.map((group) => [`resources of ${group}`, [get(`/apis/${group}/${group === "autoscaling" ? "v2" : "v1"}`)]]),
  ),
  "all of the core group at once": ["json", "yaml", "vnd.kubernetes.protobuf"].flatMap((format) => [
    get("/api", { accept: `application/${format};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList` }),
    get("/api/v1", { accept: `application/${format};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList` }),
  ]),
  "an unknown group": [get("/apis/foo.example.com"), get("/apis/apps/v2")],
  health: [get("/healthz"), get("/livez"), get("/readyz"), get("/readyz/ping"), get("/readyz/foo")],
  "pages about the server": [
    get("/statusz", { accept: "application/json" }),
    get("/flagz", { accept: "application/yaml" }),
    get("/flagz", { accept: "application/json;v=v1;g=config.k8s.io;as=Flagz" }),
    get("/statusz/x"),
    get("/flagz", { as: "alice" }),
    get("/metrics/slis", { as: "alice" }),
    get("/metrics/x"),
  ],
  "who is not known": [get("/api/v1/namespaces/{ns}/configmaps", { headers: { authorization: "Bearer wrong" } })],
  "who is nobody": [get("/api/v1/namespaces/{ns}/configmaps", { as: "nobody" }), get("/metrics", { as: "nobody" })],
  "who may not": [get("/api/v1/namespaces/{ns}/configmaps/a", { as: "alice" }), get("/api/v1/nodes", { as: "alice" })],
});
