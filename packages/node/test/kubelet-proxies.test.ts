/**
 * Every verb of the kubelet through every proxy of the API server, with `..` in all spellings: a proxy reaches only its own pod and port.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import { connect, type AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess, processHost, type Client } from "@capstan/client";
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Endpoints, Namespace, Pod, Service, ServiceAccount } from "@capstan/kinds/v1";
import { simulatedRuntime, startNode, type StreamingRuntime, type RunningNode, type Sandbox } from "@capstan/node";
import { createAuthority, validFor } from "@capstan/pki";
import { VirtualClock } from "./virtual-clock.ts";

const [own, other] = ["tenant-a", "tenant-b"] as const;

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface World extends AsyncDisposable {
  /** The connections to containers and pods since the last call. */
  opened(): readonly string[];
  /** Sends a request with the path exactly as given. */
  ask(path: string, token: string, more?: OutgoingHttpHeaders): Promise<Reply>;
}

/**
 * A pod `web` and a service `echo` that `mallory` may use, a pod `victim` that she may not, and an auditor with access to `nodes/proxy`.
 */
async function startWorld(): Promise<World> {
  const clock = new VirtualClock();
  const pods = createServer(({ url, headers }, response) => {
    response.writeHead(200, { connection: "close, x-hop", "x-hop": "1", "x-end": "2" });
    response.end(url === "/headers" ? JSON.stringify(headers) : `web saw ${url}`);
  }).listen(0, "127.0.0.1");
  await once(pods, "listening");
  const extension = await startExtension();
  let node: RunningNode | undefined;
  const server = await startApiServer({
    listen: { port: 0, tls: false },
    clock,
    tokens: new Map([
      ["mallory", { name: "mallory", groups: [] }],
      ["extender", { name: "extender", groups: [] }],
      ["auditor", { name: "auditor", groups: [] }],
      ["administrator", { name: "administrator", groups: ["system:masters"] }],
    ]),
    resolveService: () => ({ host: "127.0.0.1", port: (extension.address() as AddressInfo).port }),
    nodes: {
      handOver: async (_name, request, call) => (await node?.handle(request, call)) ?? assert.fail("no node"),
    },
  });
  const client = createClient(inProcess(server.fetch), { host: { ...processHost(), clock } });
  const seen: string[] = [];
  const sandboxes = new Map<Sandbox, string>();
  const note = (what: string): PassThrough => {
    seen.push(what);
    return new PassThrough().end();
  };
  const streaming: StreamingRuntime = {
    openExec: (id) => note(`exec ${id}`),
    openAttach: (id) => note(`attach ${id}`),
    async openPort(sandbox, port) {
      seen.push(`port ${sandboxes.get(sandbox) ?? "?"}:${port}`);
      return connect((pods.address() as AddressInfo).port, "127.0.0.1");
    },
    logFile: ({ pod }) => {
      seen.push(`log ${pod.metadata.name}`);
      return "/dev/null";
    },
    usage: async () => {
      seen.push("usage");
      return { cpuNanoseconds: 0, memoryBytes: 0 };
    },
  };
  const runtime = Object.assign(simulatedRuntime({ clock }), { streaming });
  node = await startNode({ client, name: "one", runtime, clock, kubeletPort: 10_250 });
  for (const [namespace, name] of [
    [own, "web"],
    [other, "victim"],
  ] as const) {
    await client.create(Namespace, { metadata: { name: namespace } });
    await client.create(ServiceAccount, { metadata: { namespace, name: "default" } });
    const containers = [{ name: "app", image: "app:1", ports: [{ containerPort: 8080 }] }];
    await client.create(Pod, { metadata: { namespace, name }, spec: { nodeName: "one", containers } });
    await clock.quiet();
    const sandbox = node.find(namespace, name)?.situation.sandbox;
    if (sandbox?.is === "ready") sandboxes.set(sandbox.sandbox, name);
  }
  const ip = (await client.get(Pod, { namespace: own, name: "web" })).status?.podIP ?? "";
  const echo = { namespace: own, name: "echo" };
  await client.create(Service, { metadata: echo, spec: { ports: [{ name: "web", port: 80 }] } });
  const targetRef = { kind: "Pod", namespace: own, name: "web" };
  const subsets = [{ addresses: [{ ip, targetRef }], ports: [{ name: "web", port: 8080 }] }];
  await client.create(Endpoints, { metadata: echo, subsets });
  const roleRef = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: "proxy" });
  const subjects = (name: string) => [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }];
  const metadata = { namespace: own, name: "proxy" };
  const resources = ["pods/proxy", "services/proxy"];
  const resourceNames = ["web", "echo:web", "echo:80", "http:web:8080"];
  await client.create(Role, { metadata, rules: [{ apiGroups: [""], resources, resourceNames, verbs: ["get"] }] });
  await client.create(RoleBinding, { metadata, roleRef: roleRef("Role"), subjects: subjects("mallory") });
  const rules = [{ apiGroups: [""], resources: ["nodes/proxy"], verbs: ["get"] }];
  await client.create(ClusterRole, { metadata: { name: "proxy" }, rules });
  await client.create(ClusterRoleBinding, {
    metadata: { name: "proxy" },
    roleRef: roleRef("ClusterRole"),
    subjects: subjects("auditor"),
  });
  const extensionRules = [{ apiGroups: ["extended.dev"], resources: ["*"], verbs: ["*"] }];
  await client.create(ClusterRole, { metadata: { name: "extension" }, rules: extensionRules });
  await client.create(ClusterRoleBinding, {
    metadata: { name: "extension" },
    roleRef: { ...roleRef("ClusterRole"), name: "extension" },
    subjects: subjects("extender"),
  });
  const extended = { namespace: own, name: "extension" };
  // Only services with an address of the cluster need endpoints.
  const named = { type: "ExternalName", externalName: "extension.example.com", ports: [{ port: 443 }] } as const;
  await client.create(Service, { metadata: extended, spec: named });
  await client.create(APIService, {
    metadata: { name: "v1.extended.dev" },
    spec: {
      group: "extended.dev",
      version: "v1",
      groupPriorityMinimum: 1,
      versionPriority: 1,
      service: extended,
      insecureSkipTLSVerify: true,
    },
  });
  for (let left = 600; left > 0 && !(await isAvailable(client)); left--) {
    await clock.quiet();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.ok(await isAvailable(client), "the extension server is available");
  await clock.quiet();
  seen.length = 0;
  return {
    opened: () => seen.splice(0),
    async ask(path, token, more = {}) {
      const { port } = server;
      const headers = { ...more, authorization: `Bearer ${token}` };
      const sent = httpRequest({ host: "127.0.0.1", port, path, headers, agent: false }).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: Buffer.concat(chunks).toString("utf8"),
      };
    },
    async [Symbol.asyncDispose]() {
      await node?.close();
      await client.close();
      await server.close();
      pods.close();
      extension.closeAllConnections();
      extension.close();
    },
  };
}

async function isAvailable(client: Client): Promise<boolean> {
  const { status } = await client.get(APIService, { name: "v1.extended.dev" });
  return (status?.conditions ?? []).some((one) => one.type === "Available" && one.status === "True");
}

/** A server behind an APIService, which tells the path that it was asked for. */
async function startExtension(): Promise<HttpsServer> {
  const now = new Date();
  const authority = createAuthority({ commonName: "extension", now, days: 2 });
  const { certificate, privateKey } = authority.issue({
    commonName: "extension",
    usages: ["server"],
    ipAddresses: ["127.0.0.1"],
    ...validFor({ now, days: 1 }),
  });
  const server = createHttpsServer({ cert: certificate, key: privateKey }, ({ url }, response) => {
    response.end(`extension saw ${url}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const spellings = [
  "../",
  "//../",
  "/%2f../",
  "./../",
  "..//",
  "%2e%2e/",
  "%2E./",
  ".%2e/",
  "..%2f",
  "..%2F",
  "%2e%2e%2f",
  "%252e%252e/",
  "%252e%252e%252f",
  "..%252f",
  "..\\",
  "..%5c",
  "..;/",
  "..;x=y/",
  "..%3b/",
  "..%00/",
  "..%ff/",
  "%ff/../../",
  "%c0%ae%c0%ae/",
  "..%c0%af",
  "..%20/",
  "..%09/",
  "..%0d%0a/",
  "..../",
  "x/../../",
];

const verbs = [
  `exec/${other}/victim/app?command=id&output=1`,
  `attach/${other}/victim/app?output=1`,
  `containerLogs/${other}/victim/app`,
  `portForward/${other}/victim?port=80`,
  `proxy/${other}/victim:8080/`,
  `proxy/${own}/web:22/`,
  "pods",
  "stats/summary",
  "metrics/resource",
  "healthz",
];

const climbs = spellings.flatMap((spelling) => [3, 7].map((times) => spelling.repeat(times)));
const proxies = ["pods/web", "pods/http:web:8080", "services/echo:web", "services/echo:80"];

test("no spelling of .. leads from a pod or service proxy to the kubelet or a pod", async () => {
  await using world = await startWorld();
  assert.equal((await world.ask(`/api/v1/namespaces/${other}/pods/victim/log`, "mallory")).status, 403);
  for (const proxy of proxies) {
    for (const climb of climbs) {
      for (const verb of verbs) {
        const path = `/api/v1/namespaces/${own}/${proxy}/proxy/${climb}${verb}`;
        const { status, text } = await world.ask(path, "mallory");
        assert.equal(status, 200, `${path}: ${text}`);
        assert.match(text, /^web saw \//, path);
        assert.deepEqual(world.opened(), ["port web:8080"], path);
      }
    }
  }
});

const upgrades: readonly OutgoingHttpHeaders[] = [
  {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-protocol": "v5.channel.k8s.io",
  },
  { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" },
];
const streams = verbs.filter((verb) => /^(?:exec|attach|portForward|proxy)/.test(verb));

test("no spelling of .. leads an upgrade from a pod or service proxy to the kubelet", async () => {
  await using world = await startWorld();
  for (const proxy of ["pods/web", "services/echo:web"]) {
    for (const spelling of spellings) {
      for (const [verb, headers] of streams.flatMap((one) => upgrades.map((upgrade) => [one, upgrade] as const))) {
        const path = `/api/v1/namespaces/${own}/${proxy}/proxy/${spelling.repeat(3)}${verb}`;
        const { status, text } = await world.ask(path, "mallory", headers);
        assert.equal(status, 200, path);
        // The pod declines the upgrade, and its response arrives whole.
        assert.match(text, /^web saw \//, path);
        assert.deepEqual(world.opened(), ["port web:8080"], path);
      }
    }
  }
});

test("no spelling of .. leads an upgrade from a node proxy to a pod", async () => {
  await using world = await startWorld();
  for (const spelling of ["", ...spellings]) {
    for (const [verb, headers] of streams.flatMap((one) => upgrades.map((upgrade) => [one, upgrade] as const))) {
      const path = `/api/v1/nodes/one/proxy/${spelling.repeat(3)}${verb}`;
      assert.equal((await world.ask(path, "mallory", headers)).status, 403, path);
      assert.deepEqual(world.opened(), [], path);
    }
  }
});

test("no spelling of .. leads from the path of an aggregated server to another path", async () => {
  await using world = await startWorld();
  for (const climb of ["", ...spellings.map((spelling) => spelling.repeat(3))]) {
    for (const verb of verbs) {
      const target = `api/v1/nodes/one/proxy/${verb}`;
      const paths = [
        `/apis/extended.dev/v1/${climb}${target}`,
        `/apis/extended.dev/v1/${climb}api/v1/namespaces/${own}/pods/web/proxy/${climb}${verb}`,
        `/apis/extended.dev/v1/namespaces/${other}/things/victim/proxy/${climb}${verb}`,
      ];
      for (const path of paths) {
        assert.equal((await world.ask(path, "mallory")).status, 403, path);
        const { status, text } = await world.ask(path, "extender");
        // What reaches the extension server begins with its group and version.
        if (status === 200) assert.match(text, /^extension saw \/apis\/extended\.dev\/v1\//, path);
        else assert.ok(status === 403 || status === 404 || status === 400, `${path}: ${status} ${text}`);
        assert.deepEqual(world.opened(), [], path);
      }
    }
  }
});

test("no spelling of .. leads from a node proxy to a pod; nodes/proxy is required", async () => {
  await using world = await startWorld();
  for (const climb of ["", ...climbs]) {
    for (const verb of verbs) {
      const path = `/api/v1/nodes/one/proxy/${climb}${verb}`;
      assert.equal((await world.ask(path, "mallory")).status, 403, path);
      assert.deepEqual(world.opened(), [], path);
    }
    const path = `/api/v1/nodes/one/proxy/${climb}proxy/${other}/victim:8080/`;
    assert.equal((await world.ask(path, "auditor")).status, 404, path);
    assert.deepEqual(world.opened(), [], path);
  }
});

test("the proxy of a node reaches the kubelet only on its own port", async () => {
  await using world = await startWorld();
  const ask = (node: string, path: string) => world.ask(`/api/v1/nodes/${node}/proxy/${path}`, "auditor");
  for (const node of ["one", "one:10250", "https:one:10250", "%6fne"]) {
    assert.equal((await ask(node, "healthz")).text, "ok");
  }
  assert.equal((await ask("one", "metrics/../%68ealthz")).text, "ok");
  assert.equal((await ask("one:22", "healthz")).status, 503);
  assert.equal((await ask("one", "healthz/../exec/../nothing")).status, 404);
});

test("logs, exec, attach and port-forward reject unknown containers", async () => {
  await using world = await startWorld();
  const hostile = ["../victim/app", "%2e%2e%2fvictim%2fapp", "app%2f..%2fapp", "app?x", "__proto__", "app%00"];
  for (const container of hostile) {
    for (const subresource of ["log", "exec", "attach"]) {
      const query = `container=${container}&command=id&stdout=true`;
      const path = `/api/v1/namespaces/${own}/pods/web/${subresource}?${query}`;
      assert.equal((await world.ask(path, "mallory")).status, 403, path);
      const { status, text } = await world.ask(path, "administrator");
      assert.equal(status, 400, path);
      assert.match(text, /container .* is not valid for pod web/, path);
    }
  }
  assert.deepEqual(world.opened(), []);
});

test("a pod behind a proxy sees no credentials or hop-by-hop headers", async () => {
  await using world = await startWorld();
  const more = {
    connection: "close, X-Foo",
    "x-foo": "1",
    "impersonate-user": "mallory",
    "x-remote-user": "root",
    "proxy-authorization": "Basic x",
    "sec-websocket-protocol": "base64url.bearer.authorization.k8s.io.c2VjcmV0, v4.channel.k8s.io",
    cookie: "session=abc",
  };
  for (const proxy of ["pods/web", "services/echo:web"]) {
    const path = `/api/v1/namespaces/${own}/${proxy}/proxy/headers`;
    const { text, headers } = await world.ask(path, "administrator", more);
    const { host, connection, ...seen } = JSON.parse(text) as IncomingHttpHeaders;
    assert.deepEqual(seen, { "sec-websocket-protocol": "v4.channel.k8s.io", cookie: "session=abc" });
    assert.deepEqual([headers["x-hop"], headers["x-end"]], [undefined, "2"]);
    assert.notEqual(host, undefined);
    assert.doesNotMatch(connection ?? "", /foo/i);
  }
});
