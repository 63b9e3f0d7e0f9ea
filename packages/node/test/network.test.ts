import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { Pod as PodKind, Service, type Pod, type ServiceSpec } from "@capstan/kinds/v1";
import { busybox, eventually, isReady, skip, startRealWorld, type RealWorld } from "./real-world.ts";

let world: RealWorld;
const pods: Pod[] = [];
before(async () => {
  if (skip !== false) return;
  world = await startRealWorld();
  for (const name of ["a", "b"]) {
    const command = ["sh", "-c", `mkdir /www; echo ${name} > /www/name; exec httpd -f -p 8080 -h /www`];
    const readinessProbe = { httpGet: { port: 8080, path: "/name" }, periodSeconds: 1 };
    await world.run(name, { containers: [{ name: "main", image: busybox, command, readinessProbe }] });
  }
  await world.run("visitor", {});
  for (const name of ["a", "b", "visitor"]) pods.push(await world.until(name, "ready", isReady));
});
after(async () => {
  if (skip === false) await world[Symbol.asyncDispose]();
});

async function expose(name: string, spec: Partial<ServiceSpec>, members: readonly Pod[]): Promise<Service> {
  const metadata = { namespace: "default", name };
  const ports = spec.type === "ExternalName" ? [] : [{ name: "http", port: 80, targetPort: 8080 }];
  const service = await world.client.create(Service, { metadata, spec: { ports, ...spec } });
  await world.client.create(EndpointSlice, {
    metadata: { ...metadata, labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints: endpointsOf(members),
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  });
  return service;
}

const endpointsOf = (members: readonly Pod[]): NonNullable<EndpointSlice["endpoints"]> =>
  members.map(({ status, metadata }) => ({
    addresses: [status?.podIP ?? ""],
    hostname: metadata.name,
    nodeName: "one",
    conditions: { ready: true },
  }));

/** The wget of the test image cannot resolve names, but its nc can. */
const request = (host: string, port: string): readonly string[] => [
  "sh",
  "-c",
  `printf 'GET /name HTTP/1.0\\r\\n\\r\\n' | nc -w 10 ${host} ${port} 2>&1 | tail -n 1`,
];
const ask = (address: string): Promise<string> => {
  const [host = "", port = "80"] = address.split(":");
  return world.inside("visitor", request(host, port));
};
/** Retries until a response arrives: rules are applied a moment after their service. */
const answer = (host: string): Promise<string> =>
  eventually(
    `an answer of ${host}`,
    () => ask(host),
    (text) => text === "a" || text === "b",
  );
const lookUp = (type: string, name: string): Promise<string> =>
  world.inside("visitor", ["sh", "-c", `nslookup -type=${type} ${name} 2>&1; true`]);

test("session affinity keeps the backend, also when other services change", { skip }, async () => {
  await expose("sticky", { sessionAffinity: "ClientIP" }, pods.slice(0, 2));
  const first = await answer("sticky");
  await expose("noise", {}, pods.slice(0, 1));
  await answer("noise");
  await world.client.delete(Service, { namespace: "default", name: "noise" });
  await eventually(
    "the end of the other service",
    () => ask("noise"),
    (text) => text !== "a",
  );
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask("sticky")));
  assert.deepEqual(new Set(answers), new Set([first]));
});

test("connections are spread over all ready pods, and only those", { skip }, async () => {
  await expose("spread", {}, pods.slice(0, 2));
  await answer("spread");
  const both = await eventually(
    "both pods",
    async () => new Set(await Promise.all(Array.from({ length: 12 }, () => ask("spread")))),
    (seen) => seen.size === 2,
  );
  assert.deepEqual(both, new Set(["a", "b"]));
  await world.client.patch(
    EndpointSlice,
    { namespace: "default", name: "spread" },
    { merge: { endpoints: endpointsOf(pods.slice(1, 2)) } },
  );
  await eventually(
    "the one pod that is left",
    async () => [...new Set(await Promise.all(Array.from({ length: 12 }, () => ask("spread"))))].join(),
    (seen) => seen === "b",
  );
});

test("node ports lead to services, also with externalTrafficPolicy Local", { skip }, async () => {
  const open = await expose("open", { type: "NodePort" }, pods.slice(0, 1));
  const local = await expose("local", { type: "NodePort", externalTrafficPolicy: "Local" }, pods.slice(0, 1));
  for (const service of [open, local])
    assert.equal(await answer(`172.30.0.1:${service.spec?.ports?.[0]?.nodePort}`), "a");
});

test("DNS resolves services, ports, headless pods, addresses and external names", { skip }, async () => {
  const service = await expose("named", {}, pods.slice(0, 1));
  await expose("headless", { clusterIP: "None" }, pods.slice(0, 2));
  await expose("elsewhere", { type: "ExternalName", externalName: "named.default.svc.cluster.local" }, []);
  const reverse = (service.spec?.clusterIP ?? "").split(".").toReversed().join(".");
  await answer("named");
  assert.equal(await answer("elsewhere"), "a");
  assert.equal(await answer("b.headless:8080"), "b");
  assert.match(
    await lookUp("srv", "_http._tcp.named.default.svc.cluster.local"),
    /80 named\.default\.svc\.cluster\.local/,
  );
  assert.match(await lookUp("srv", "_http._tcp.headless.default.svc.cluster.local"), /8080 a\.headless/);
  assert.match(await lookUp("ptr", `${reverse}.in-addr.arpa`), /named\.default\.svc\.cluster\.local/);
  const dashed = (pods[0]?.status?.podIP ?? "").replaceAll(".", "-");
  assert.match(await lookUp("a", `${dashed}.default.pod.cluster.local`), new RegExp(pods[0]?.status?.podIP ?? "none"));
  assert.match(await lookUp("a", "nobody.default.svc.cluster.local"), /NXDOMAIN|can't find/);
});

test("a pod has the hostname, hosts and DNS settings of its spec", { skip }, async () => {
  const output = await world.outputOf(
    "configured",
    "hostname; cat /etc/hosts /etc/resolv.conf",
    {},
    {
      hostname: "me",
      subdomain: "headless",
      setHostnameAsFQDN: true,
      hostAliases: [{ ip: "192.0.2.7", hostnames: ["alias.example"] }],
      dnsPolicy: "None",
      dnsConfig: { nameservers: ["192.0.2.53"], searches: ["example.com"], options: [{ name: "ndots", value: "2" }] },
    },
  );
  assert.match(output, /^me\.headless\.default\.svc\.cluster\.local\n/);
  assert.match(output, /\tme\.headless\.default\.svc\.cluster\.local\tme\n/);
  assert.match(output, /192\.0\.2\.7\talias\.example\n/);
  assert.match(output, /search example\.com\nnameserver 192\.0\.2\.53\noptions ndots:2\n$/);
});

test("host ports can be bound to an address; hostNetwork pods use the node's names", { skip }, async () => {
  const command = ["sh", "-c", "mkdir /www; echo c > /www/name; exec httpd -f -p 8080 -h /www"];
  const ports = [{ containerPort: 8080, hostPort: 32080, hostIP: "127.0.0.1" }];
  await world.run("bound", { containers: [{ name: "main", image: busybox, command, ports }] });
  await world.until("bound", "ready", isReady);
  await world.run("native", {
    hostNetwork: true,
    containers: [{ name: "main", image: busybox, command: ["sleep", "1000"] }],
  });
  const native = await world.until("native", "ready", isReady);
  assert.equal(native.status?.podIP, native.status?.hostIP);
  const knock = (host: string) => (): Promise<string> => world.inside("native", request(host, "32080"));
  await eventually("the port", knock("127.0.0.1"), (text) => text === "c");
  assert.notEqual(await knock("172.30.0.1")(), "c");
  assert.match(
    await world.inside("native", ["cat", "/etc/hosts"]),
    /^# Kubernetes-managed hosts file \(host network\)\./,
  );
});

/** Serves two ports, and sends to a service from one and the same port until the second one responds. */
const datagrams = `
const { createSocket } = require("node:dgram");
const { writeFileSync } = require("node:fs");
for (const port of [7001, 7002]) {
  const server = createSocket("udp4");
  server.on("message", (_, { port: to, address }) => server.send(String(port), to, address));
  server.bind(port, "172.30.0.1");
}
const client = createSocket("udp4");
client.on("message", (bytes) => {
  writeFileSync("/tmp/heard", bytes);
  if (String(bytes) === "7002") process.exit(0);
});
setInterval(() => client.send("?", 53, process.argv[1], () => writeFileSync("/tmp/asked", "")), 50);
setTimeout(() => process.exit(1), 180_000);
`;

test("UDP packets of a persistent client reach the current backend of a service", { skip }, async () => {
  const metadata = { namespace: "default", name: "datagrams" };
  const port = { name: "ask", protocol: "UDP" } as const;
  const spec = { ports: [{ ...port, port: 53 }] };
  const { clusterIP = "" } = (await world.client.create(Service, { metadata, spec })).spec ?? {};
  // A client may send before the service exists; its conntrack entry must not stay.
  await world.client.delete(Service, metadata);
  const asking = world.machine.run([process.execPath, "-e", datagrams, clusterIP]);
  const asked = async (): Promise<number | null> => (await world.machine.run(["test", "-e", "/tmp/asked"])).code;
  await eventually("the first question", asked, (code) => code === 0);
  await world.client.create(Service, { metadata, spec: { ...spec, clusterIP } });
  await world.client.create(EndpointSlice, {
    metadata: { ...metadata, labels: { "kubernetes.io/service-name": "datagrams" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["172.30.0.1"], conditions: { ready: true } }],
    ports: [{ ...port, port: 7001 }],
  });
  const heard = async (): Promise<string> => (await world.machine.run(["cat", "/tmp/heard"])).stdout;
  await eventually("the first answer", heard, (text) => text === "7001");
  await world.client.patch(EndpointSlice, metadata, { merge: { ports: [{ ...port, port: 7002 }] } });
  assert.equal((await asking).code, 0);
});

test("a UDP host port leads to the pod that currently has it", { skip }, async () => {
  const run = (name: string): Promise<void> => {
    const ports = [{ hostPort: 7300, containerPort: 7300, protocol: "UDP" as const }];
    const container = { name: "main", image: busybox, command: ["sleep", "100000"], ports };
    return world.run(name, { terminationGracePeriodSeconds: 0, containers: [container] });
  };
  /** Sends from one and the same port; the destination is in the conntrack entry. */
  const sending =
    'const s=require("node:dgram").createSocket("udp4");s.bind(7301,()=>s.send("?",7300,"172.30.0.1",()=>s.close()))';
  const whereTo = async (): Promise<string> => {
    await world.machine.run([process.execPath, "-e", sending]);
    const { stdout } = await world.machine.run(["cat", "/proc/net/nf_conntrack"]);
    return / src=(\S+) dst=\S+ sport=7300 dport=7301/.exec(stdout)?.[1] ?? "";
  };
  await run("port-one");
  const one = (await world.until("port-one", "ready", isReady)).status?.podIP ?? "";
  assert.equal(await whereTo(), one);
  await world.client.delete(PodKind, { namespace: "default", name: "port-one" });
  const findOne = (): Promise<boolean> => Promise.resolve(world.node.find("default", "port-one") !== undefined);
  await eventually("its end", findOne, (isThere) => !isThere);
  assert.notEqual(await whereTo(), one, "nobody has the port");
  await run("port-two");
  const two = (await world.until("port-two", "ready", isReady)).status?.podIP ?? "";
  assert.equal(await whereTo(), two);
});

/** How many ICMP echo requests the node has received. */
async function echosHeard(): Promise<number> {
  const { stdout } = await world.machine.run(["cat", "/proc/net/snmp"]);
  const [names = [], values = []] = stdout
    .split("\n")
    .filter((line) => line.startsWith("Icmp: "))
    .map((line) => line.split(" "));
  return Number(values[names.indexOf("InEchos")]);
}

test("a pod cannot spoof the address of another", { skip }, async () => {
  const capabilities = { add: ["NET_ADMIN"] };
  const container = { name: "main", image: busybox, command: ["sleep", "100000"], securityContext: { capabilities } };
  await world.run("forger", { containers: [container] });
  const own = (await world.until("forger", "ready", isReady)).status?.podIP ?? "";
  const other = pods[0]?.status?.podIP ?? "";
  const ping = (from: string): Promise<string> =>
    world.inside("forger", ["ping", "-c", "1", "-W", "1", "-I", from, "172.30.0.1"]);
  await world.inside("forger", ["ip", "addr", "add", `${other}/32`, "dev", "lo"]);
  const before = await echosHeard();
  assert.match(await ping(other), /1 packets transmitted/);
  assert.equal(await echosHeard(), before);
  await ping(own);
  assert.equal(await echosHeard(), before + 1);
});
