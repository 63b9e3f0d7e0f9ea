/** Services: addresses, ports, families, and changes of the type. */
import { defineTopic, del, get, patch, post } from "../../case.ts";
import { creates, table, type Changes } from "../kinds/variants.ts";

const path = "/api/v1/namespaces/{ns}/services";
const port = { port: 80 };
const service = { path, base: { metadata: { name: "a" }, spec: { ports: [port] } } };
const headless = { path, base: { metadata: { name: "a" }, spec: { clusterIP: "None", selector: { app: "a" } } } };
const spec = (fields: object): Changes => ({ spec: { ports: [port], ...fields } });
const balancer = (fields: object): Changes =>
  spec({ type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ...fields });
const a = `${path}/a`;
const make = post(path, headless.base, { quiet: true });
const withoutAddress = { only: ["kind", "status", "message", "reason", "details", "code"] };

export const services = defineTopic("services", {
  ...creates("service", service, {
    "gets an address": {},
    "refuses no ports": { spec: {} },
    "refuses bad names": { "metadata/name": "1.a" },
    "takes names that begin with a digit": { "metadata/name": "1a" },
    "refuses bad ports": spec({
      ports: [
        { port: 0, name: "A" },
        { port: 70000, protocol: "X", targetPort: "not a name", appProtocol: "a b", name: "b" },
        { port: 80, targetPort: 70000 },
      ],
    }),
    "refuses repeated ports": spec({
      ports: [
        { port: 80, name: "a" },
        { port: 80, name: "a" },
      ],
    }),
    "takes a port with two protocols": spec({
      ports: [
        { port: 53, name: "a" },
        { port: 53, name: "b", protocol: "UDP" },
      ],
    }),
    "refuses bad selectors": spec({ selector: { "a b": "c d" } }),
    "refuses unknown types": spec({ type: "X" }),
    "refuses unknown affinities": spec({ sessionAffinity: "X" }),
    "keeps clients": spec({ sessionAffinity: "ClientIP" }),
    "refuses bad times": spec({
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 100000 } },
    }),
    "drops unused times": spec({ sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }),
    "refuses node ports": spec({ ports: [{ port: 80, nodePort: 30080 }] }),
    "is headless": spec({ clusterIP: "None" }),
    "is headless with a selector": spec({ clusterIP: "None", selector: { a: "b" } }),
    "is headless without ports": { spec: { clusterIP: "None" } },
    "refuses two families": spec({ ipFamilyPolicy: "RequireDualStack" }),
    "prefers two families": spec({ ipFamilyPolicy: "PreferDualStack" }),
    "refuses another family": spec({ ipFamilies: ["IPv6"] }),
    "refuses unknown families": spec({ ipFamilies: ["X", "IPv4", "IPv4"] }),
    "refuses unknown policies": spec({ ipFamilyPolicy: "X" }),
    "refuses bad addresses": spec({ clusterIP: "x" }),
    "refuses addresses elsewhere": spec({ clusterIP: "1.2.3.4" }),
    "refuses the last address": spec({ clusterIP: "10.0.0.255" }),
    "refuses addresses of another family": spec({ clusterIP: "::1" }),
    "refuses other first addresses": spec({ clusterIP: "10.0.0.20", clusterIPs: ["10.0.0.21"] }),
    "refuses addresses without the first": spec({ clusterIPs: ["10.0.0.21"] }),
    "takes an address": spec({ clusterIP: "10.0.0.99" }),
    "refuses leading zeros": spec({ clusterIP: "10.0.0.09" }),
    "takes external addresses": spec({ externalIPs: ["1.2.3.4"] }),
    "refuses external addresses": spec({ externalIPs: ["x", "127.0.0.1", "0.0.0.0"] }),
    "refuses policies of the inside": spec({ externalTrafficPolicy: "Local" }),
    "refuses unknown traffic policies": spec({ internalTrafficPolicy: "X", trafficDistribution: "Y" }),
    "warns about distributions": spec({ trafficDistribution: "PreferClose" }),
    "is a name": { spec: { type: "ExternalName", externalName: "a.example.com." } },
    "refuses a name without one": { spec: { type: "ExternalName" } },
    "refuses a bad name": {
      spec: { type: "ExternalName", externalName: "A_b", clusterIP: "None", ipFamilies: ["IPv4"] },
    },
    "warns about unused names": spec({ externalName: "x" }),
    "refuses ranges": spec({ loadBalancerSourceRanges: ["1.2.3.0/24"] }),
    "refuses classes": spec({ loadBalancerClass: "x", allocateLoadBalancerNodePorts: true }),
    "refuses checks": spec({ healthCheckNodePort: 30000 }),
    "is balanced": balancer({}),
    "is balanced with ranges": balancer({
      loadBalancerSourceRanges: [" 1.2.3.0/24"],
      loadBalancerClass: "example.com/x",
    }),
    "refuses bad ranges": balancer({
      loadBalancerSourceRanges: ["x", "1.2.3.4/24", "01.2.3.0/24"],
      loadBalancerClass: "a b",
    }),
    "takes ports out of range on trial": spec({ type: "NodePort", ports: [{ port: 80, nodePort: 80 }] }),
    "refuses headless node ports": spec({ type: "NodePort", clusterIP: "None" }),
    "gets node ports": spec({
      type: "NodePort",
      ports: [
        { port: 80, name: "a" },
        { port: 81, name: "b" },
        { port: 80, name: "c", protocol: "UDP" },
      ],
    }),
    "gets a port for checks": spec({ type: "LoadBalancer", externalTrafficPolicy: "Local" }),
    "takes node ports": spec({ type: "NodePort", ports: [{ port: 80, nodePort: 30111 }] }),
    "refuses repeated node ports": spec({
      type: "NodePort",
      ports: [
        { port: 80, nodePort: 30112, name: "a" },
        { port: 81, nodePort: 30112, name: "b" },
      ],
    }),
    "refuses disagreeing hints": {
      "metadata/annotations": {
        "service.kubernetes.io/topology-aware-hints": "a",
        "service.kubernetes.io/topology-mode": "b",
      },
    },
  }),
  "service: is headless, read, shown and deleted": [
    post(path, headless.base),
    get(a),
    get(a, { accept: table }),
    patch("merge", a, { metadata: { labels: { x: "y" } } }),
    del(a, undefined, { only: ["kind", "apiVersion", "spec", "status"] }),
    get(a),
  ],
  "service: refuses ports out of range": [
    post(path, { metadata: { name: "a" }, spec: { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] } }),
  ],
  "service: refuses addresses elsewhere": [
    post(path, { metadata: { name: "a" }, spec: { clusterIP: "1.2.3.4", ports: [port] } }),
  ],
  "service: refuses what others have": [
    post(path, {
      metadata: { name: "a" },
      spec: { type: "NodePort", clusterIP: "10.0.0.177", ports: [{ port: 80, nodePort: 30577 }] },
    }),
    post(path, { metadata: { name: "b" }, spec: { clusterIP: "10.0.0.177", ports: [port] } }),
    post(path, {
      metadata: { name: "b" },
      spec: { type: "NodePort", clusterIP: "10.0.0.178", ports: [{ port: 80, nodePort: 30577 }] },
    }),
    get("/apis/networking.k8s.io/v1/ipaddresses/10.0.0.177", { only: ["kind", "spec"] }),
    get(a, { accept: table }),
    patch("merge", a, { spec: { type: "ClusterIP" } }),
    patch("merge", a, { spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false } }),
    patch("merge", `${a}/status`, {
      status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }, { hostname: "1.2.3.5" }] } },
    }),
    patch("merge", `${a}/status`, { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } }),
    get(a, { accept: table }),
    patch("merge", a, { spec: { type: "ExternalName", externalName: "x.y" } }),
    get("/apis/networking.k8s.io/v1/ipaddresses/10.0.0.177"),
    del(a, undefined, { quiet: true }),
  ],
  "service: keeps its address": [
    make,
    patch("merge", a, { spec: { clusterIP: "10.0.0.1" } }),
    patch("merge", a, { spec: { ports: [{ port: 81 }] } }),
  ],
  "service: becomes a name and back": [
    make,
    patch("merge", a, { spec: { type: "ExternalName", externalName: "x.y" } }),
    patch("merge", a, { spec: { type: "ClusterIP", clusterIP: "None" } }),
  ],
  "service: refuses another address": [
    post(path, service.base, { quiet: true }),
    patch("merge", a, { spec: { clusterIP: "1.2.3.4" } }, withoutAddress),
    patch("merge", a, { spec: { clusterIP: null, clusterIPs: [] } }, { only: ["kind"] }),
  ],
  "service: has an address before it has a name": [
    post(path, { metadata: {}, spec: { ports: [port], clusterIP: "10.0.0.13" } }),
    post(path, { metadata: { name: "a/b" }, spec: { ports: [port], clusterIP: "10.0.0.13" } }),
    post(path, { metadata: { name: ".." }, spec: { clusterIP: "10.0.0.13" } }),
    post(`${path}?dryRun=All`, { metadata: {}, spec: { ports: [port], clusterIP: "10.0.0.13" } }),
    post(path, { metadata: {}, spec: { ports: [port], clusterIP: "None" } }),
    post(path, { metadata: { name: "A_" }, spec: { ports: [port], clusterIP: "10.0.0.13" } }),
  ],
  "service: reports": [
    make,
    patch("merge", `${a}/status`, { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } }),
    patch("merge", `${a}/status`, {
      status: {
        conditions: [
          { type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-02T03:04:05Z" },
        ],
      },
    }),
  ],
  "service: is selected": [make, get(`${path}?fieldSelector=spec.type=ClusterIP,spec.clusterIP=None`)],
  "service: is applied": [
    patch("apply", `${a}?fieldManager=x`, { apiVersion: "v1", kind: "Service", ...headless.base }),
    patch("apply", `${a}?fieldManager=x`, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "a" },
      spec: { clusterIP: "None" },
    }),
  ],
});
