/** Ingresses, network policies, service CIDRs. */
import { defineTopic, get, patch, post } from "../../case.ts";
import { creates, life, table, updates } from "./variants.ts";

const group = "/apis/networking.k8s.io/v1";
const service = { service: { name: "s", port: { number: 80 } } };
const rule = { host: "a.example.com", http: { paths: [{ path: "/", pathType: "Prefix", backend: service }] } };
const ingress = {
  path: `${group}/namespaces/{ns}/ingresses`,
  base: { metadata: { name: "a" }, spec: { rules: [rule] } },
};
const ingressClass = {
  path: `${group}/ingressclasses`,
  base: { metadata: { name: "{ns}-a" }, spec: { controller: "example.com/c" } },
};
const policy = {
  path: `${group}/namespaces/{ns}/networkpolicies`,
  base: { metadata: { name: "a" }, spec: { podSelector: { matchLabels: { a: "b" } }, ingress: [{}] } },
};
const backend = (value: object): { [path: string]: unknown } => ({ "spec/defaultBackend": value });
const path = (value: object): { [path: string]: unknown } => ({
  "spec/rules/0/http/paths/0": { backend: service, ...value },
});
const peer = (value: object): { [path: string]: unknown } => ({ "spec/ingress": [{ from: [value] }] });
const port = (value: object): { [path: string]: unknown } => ({ "spec/egress": [{ ports: [value] }] });

export const networking = defineTopic("kinds-networking", {
  ...life("Ingress", ingress),
  ...creates("Ingress", ingress, {
    "refuses nothing": { spec: {} },
    "takes a backend": { spec: { defaultBackend: service } },
    "takes a resource": backend({ resource: { kind: "K", name: "n", apiGroup: "example.com" } }),
    "refuses a resource": backend({ resource: { kind: "", name: "a/b", apiGroup: "A_" } }),
    "refuses both": backend({ ...service, resource: { kind: "K", name: "n" } }),
    "refuses an empty backend": backend({}),
    "refuses a service": backend({ service: { name: "A_", port: {} } }),
    "refuses no service": backend({ service: { port: { name: "http" } } }),
    "takes services that begin with a number": backend({ service: { name: "1a", port: { name: "http" } } }),
    "refuses both ports": backend({ service: { name: "s", port: { name: "x", number: 1 } } }),
    "refuses a port name": backend({ service: { name: "s", port: { name: "A_" } } }),
    "refuses a port number": backend({ service: { name: "s", port: { number: 70000 } } }),
    "refuses no path type": path({ path: "/" }),
    "refuses a path type": path({ path: "/", pathType: "Foo" }),
    "refuses a path": path({ path: "x//y/../z/./%2f/..", pathType: "Exact" }),
    "refuses no path": path({ pathType: "Prefix" }),
    "needs no path": path({ pathType: "ImplementationSpecific" }),
    "refuses a relative path": path({ path: "x", pathType: "ImplementationSpecific" }),
    "refuses no paths": { "spec/rules/0/http": {} },
    "needs no paths": { "spec/rules/0/http": undefined },
    "refuses a host": { "spec/rules/0/host": "A_" },
    "refuses an address": { "spec/rules/0/host": "1.2.3.4" },
    "takes a wildcard": { "spec/rules/0/host": "*.example.com" },
    "refuses a wildcard": { "spec/rules/0/host": "a.*.com" },
    "takes TLS": { "spec/tls": [{ hosts: ["a.example.com", "*.example.com"], secretName: "s" }] },
    "refuses TLS": { "spec/tls": [{ hosts: ["A_", "*.*"], secretName: "A_" }] },
    "refuses a class": { "spec/ingressClassName": "A_" },
    "warns of the old class": { "metadata/annotations": { "kubernetes.io/ingress.class": "x" } },
    "refuses two classes": {
      "metadata/annotations": { "kubernetes.io/ingress.class": "x" },
      "spec/ingressClassName": "y",
    },
    "refuses a name": { "metadata/name": "A_b" },
    "drops a status": { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } },
  }),
  ...updates("Ingress", ingress, {
    "counts a generation": { "spec/ingressClassName": "x" },
    "refuses nothing": { spec: {} },
    "refuses labels": { "metadata/labels": { "a b": "" } },
  }),
  ...updates(
    "Ingress status",
    { ...ingress, door: "status" },
    {
      "is written": {
        status: {
          loadBalancer: { ingress: [{ ip: "1.2.3.4", ports: [{ port: 80, protocol: "TCP" }] }, { hostname: "a.b" }] },
        },
      },
      "refuses addresses": {
        status: {
          loadBalancer: { ingress: [{ ip: "x" }, { hostname: "1.2.3.4" }, { hostname: "A_" }, { ip: "01.2.3.4" }] },
        },
      },
      "warns of addresses": { status: { loadBalancer: { ingress: [{ ip: "2001:DB8::0:1" }] } } },
    },
  ),
  "Ingress: shows hosts and addresses": [
    post(
      ingress.path,
      {
        metadata: { name: "b" },
        spec: { ingressClassName: "x", tls: [{}], rules: ["a", "b", "c", "d"].map((host) => ({ host })) },
      },
      { quiet: true },
    ),
    post(ingress.path, { metadata: { name: "c" }, spec: { defaultBackend: service } }, { quiet: true }),
    patch(
      "merge",
      `${ingress.path}/c/status`,
      {
        status: { loadBalancer: { ingress: [{ ip: "2.2.3.4" }, { hostname: "host.example.com" }, { ip: "1.2.3.4" }] } },
      },
      { quiet: true },
    ),
    get(ingress.path, { accept: table }),
  ],
  ...life("IngressClass", ingressClass),
  ...creates("IngressClass", ingressClass, {
    "refuses no controller": { spec: undefined },
    "refuses a controller": { "spec/controller": "x" },
    "refuses a long controller": { "spec/controller": `example.com/${"x".repeat(250)}` },
    "refuses controllers with spaces": { "spec/controller": "A_/ b" },
    "takes parameters": { "spec/parameters": { kind: "K", name: "n", apiGroup: "example.com" } },
    "takes parameters of a namespace": {
      "spec/parameters": { kind: "K", name: "n", scope: "Namespace", namespace: "x" },
    },
    "refuses parameters": { "spec/parameters": { kind: "", name: "a/b", apiGroup: "A_", scope: "Foo" } },
    "refuses no namespace": { "spec/parameters": { kind: "K", name: "n", scope: "Namespace" } },
    "refuses a namespace": { "spec/parameters": { kind: "K", name: "n", scope: "Cluster", namespace: "x" } },
    "refuses a bad namespace": { "spec/parameters": { kind: "K", name: "n", scope: "Namespace", namespace: "A_" } },
  }),
  ...updates("IngressClass", ingressClass, {
    "refuses another controller": { "spec/controller": "example.com/d" },
    "counts a generation": { "spec/parameters": { kind: "K", name: "n" } },
    "refuses labels": { "metadata/labels": { "a b": "" } },
  }),
  "IngressClass: shows the default": [
    post(
      ingressClass.path,
      {
        metadata: { name: "{ns}-b", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
        spec: { controller: "example.com/c", parameters: { kind: "K", name: "n", apiGroup: "g" } },
      },
      { quiet: true },
    ),
    get(`${ingressClass.path}/{ns}-b`, { accept: table }),
    { method: "DELETE", path: `${ingressClass.path}/{ns}-b`, quiet: true },
  ],
  ...life("NetworkPolicy", policy),
  ...creates("NetworkPolicy", policy, {
    "needs nothing": { spec: undefined },
    "is about both ways": { "spec/egress": [{}] },
    "refuses a selector": { "spec/podSelector": { matchExpressions: [{ key: "a", operator: "Foo" }] } },
    "refuses types": { "spec/policyTypes": ["Foo"] },
    "refuses too many types": { "spec/policyTypes": ["Ingress", "Egress", "Ingress"] },
    "refuses no peer": peer({}),
    "takes peers": peer({ podSelector: {}, namespaceSelector: {} }),
    "refuses peers": peer({
      podSelector: { matchLabels: { "a b": "" } },
      namespaceSelector: { matchExpressions: [{ key: "a", operator: "Foo" }] },
    }),
    "takes a block": peer({ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }),
    "refuses a mixed peer": peer({ ipBlock: { cidr: "10.0.0.0/8" }, podSelector: {} }),
    "refuses no block": peer({ ipBlock: {} }),
    "refuses a block": peer({ ipBlock: { cidr: "x" } }),
    "refuses exceptions": peer({ ipBlock: { cidr: "10.0.0.0/8", except: ["x", "11.0.0.0/16", "10.0.0.0/8"] } }),
    "refuses odd blocks": peer({ ipBlock: { cidr: "10.0.0.1/8", except: ["010.0.0.0/16"] } }),
    "takes ports": port({ port: 80, endPort: 90 }),
    "takes names of ports": port({ port: "http", protocol: "SCTP" }),
    "refuses ports": port({ port: 70000, endPort: 80, protocol: "Foo" }),
    "refuses names of ports": port({ port: "A_", endPort: 80 }),
    "refuses an end alone": port({ endPort: 80 }),
  }),
  ...updates("NetworkPolicy", policy, {
    "counts a generation": { "spec/egress": [{}] },
    "counts none for a label": { "metadata/labels": { a: "b" } },
    "refuses a block": peer({ ipBlock: { cidr: "x" } }),
  }),
  ...creates(
    "ServiceCIDR",
    {
      path: `${group}/servicecidrs`,
      base: { metadata: { name: "{ns}" }, spec: { cidrs: ["10.100.0.0/24"] } } as never,
    },
    {
      "takes one": {},
      "takes both families": { "spec/cidrs": ["10.100.0.0/24", "fd00::/112"] },
      "refuses none": { spec: undefined },
      "refuses three": { "spec/cidrs": ["10.100.0.0/24", "fd00::/112", "fd01::/112"] },
      "refuses one family twice": { "spec/cidrs": ["10.100.0.0/24", "10.101.0.0/24"] },
      "refuses what is none": { "spec/cidrs": ["x"] },
      "refuses odd forms": { "spec/cidrs": ["10.100.0.1/24", "FD00::/112"] },
      "refuses zeros": { "spec/cidrs": ["010.100.0.0/24", "fd00:0::/112"] },
    },
  ),
  ...creates(
    "IPAddress",
    {
      path: `${group}/ipaddresses`,
      base: {
        metadata: { name: "10.99.99.99" },
        spec: { parentRef: { resource: "services", name: "a", namespace: "b" } },
      } as never,
    },
    {
      "takes an address": {},
      "refuses a name": { "metadata/name": "x" },
      "refuses odd names": { "metadata/name": "2001:DB8::0:1" },
      "refuses names with zeros": { "metadata/name": "010.1.1.1" },
      "refuses no parent": { spec: undefined },
      "refuses a parent": { "spec/parentRef": { group: "A_", resource: "a/b", name: "", namespace: "c/d" } },
    },
  ),
});
