import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import type { Service } from "@capstan/kinds/v1";
import { formatReply, parseQuestion, types } from "./message.ts";
import { lookUp, zoneOf } from "./zone.ts";

const stored = { uid: "u", resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" };
const service = (name: string, spec: NonNullable<Service["spec"]>): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { ...stored, name, namespace: "one" },
  spec,
});
const slice: EndpointSlice = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { ...stored, name: "db-x", namespace: "one", labels: { "kubernetes.io/service-name": "db" } },
  addressType: "IPv4",
  endpoints: [
    { addresses: ["10.1.0.1"], hostname: "db-0", conditions: { ready: true } },
    { addresses: ["10.1.0.2"], hostname: "db-1", conditions: { ready: false } },
  ],
  ports: [{ name: "peer", port: 2380, protocol: "TCP" }],
};
const services = [
  service("web", { clusterIP: "10.0.0.5", ports: [{ name: "http", port: 80, protocol: "TCP" }] }),
  service("db", { clusterIP: "None" }),
  service("away", { type: "ExternalName", externalName: "example.com" }),
  service("alias", { type: "ExternalName", externalName: "web.one.svc.cluster.local" }),
];
const zone = zoneOf(services, [slice], "cluster.local");
const find = (name: string, type: number = types.A): unknown => lookUp(zone, "cluster.local", { name, type })?.answers;

const authority = {
  name: "cluster.local",
  type: "SOA",
  server: "ns.dns.cluster.local",
  mailbox: "hostmaster.cluster.local",
} as const;

test("an IPv6 address has a PTR record", () => {
  const six = service("six", { clusterIP: "fd00::a", ports: [] });
  const name = `a.${"0.".repeat(27)}0.0.d.f.ip6.arpa`;
  const reply = lookUp(zoneOf([six], [], "cluster.local"), "cluster.local", { name, type: types.PTR });
  assert.deepEqual(reply?.answers, [{ name, type: "PTR", target: "six.one.svc.cluster.local" }]);
});

test("a service has A, SRV and PTR records", () => {
  assert.deepEqual(find("web.one.svc.cluster.local"), [
    { name: "web.one.svc.cluster.local", type: "A", address: "10.0.0.5" },
  ]);
  const srv = lookUp(zone, "cluster.local", { name: "_http._tcp.web.one.svc.cluster.local", type: types.SRV });
  assert.deepEqual(srv?.answers, [
    {
      name: "_http._tcp.web.one.svc.cluster.local",
      type: "SRV",
      port: 80,
      weight: 100,
      target: "web.one.svc.cluster.local",
    },
  ]);
  assert.equal(srv?.additional.length, 1);
  assert.deepEqual(find("5.0.0.10.in-addr.arpa", types.PTR), [
    { name: "5.0.0.10.in-addr.arpa", type: "PTR", target: "web.one.svc.cluster.local" },
  ]);
});

test("a headless service has records for ready endpoints only", () => {
  assert.deepEqual(find("db-0.db.one.svc.cluster.local"), [
    { name: "db-0.db.one.svc.cluster.local", type: "A", address: "10.1.0.1" },
  ]);
  assert.deepEqual(find("db-1.db.one.svc.cluster.local"), []);
  assert.equal((find("db.one.svc.cluster.local") as unknown[]).length, 1);
});

test("NXDOMAIN, an empty response and an external name are distinguished", () => {
  assert.equal(
    lookUp(zone, "cluster.local", { name: "no.one.svc.cluster.local", type: types.A })?.code,
    "no such name",
  );
  assert.deepEqual(lookUp(zone, "cluster.local", { name: "web.one.svc.cluster.local", type: types.AAAA }), {
    code: "ok",
    isFinal: true,
    answers: [],
    authority: [authority],
    additional: [],
  });
  assert.deepEqual(find("cluster.local", types.SOA), [authority]);
  assert.equal(lookUp(zone, "cluster.local", { name: "", type: types.PTR }), undefined);
  assert.equal(lookUp(zone, "cluster.local", { name: "example.com", type: types.A }), undefined);
});

test("a query is parsed and its response encoded as in RFC 1035", () => {
  const bytes = Buffer.from(
    "123401000001000000000000037765620365786103636f6d0000010001".replace("657861", "6f6e65"),
    "hex",
  );
  const question = parseQuestion(bytes);
  assert.ok(question);
  assert.deepEqual([question.id, question.name, question.type], [0x1234, "web.one.com", 1]);
  const answers = [{ name: "web.one.com", type: "A", address: "1.2.3.4" }] as const;
  const reply = formatReply(question, { code: "ok", isFinal: true, answers, authority: [], additional: [] });
  const none = { code: "no such name", isFinal: true, answers: [], authority: [authority], additional: [] } as const;
  const negative = formatReply(question, none);
  assert.equal(negative.readUInt16BE(2), 0x8503);
  assert.equal(negative.readUInt16BE(8), 1, "who decides is told");
  assert.equal(negative.readUInt32BE(negative.length - 4), 5, "and for how long that may be remembered");
  assert.equal(formatReply(question, { ...none, isFinal: false }).readUInt16BE(2), 0x8103);
  assert.equal(reply.readUInt16BE(0), 0x1234);
  assert.equal(reply.readUInt16BE(6), 1);
  assert.deepEqual([...reply.subarray(-4)], [1, 2, 3, 4]);
  assert.equal(parseQuestion(Buffer.alloc(5)), undefined);
});

test("a query with EDNS gets a response with EDNS", () => {
  const room = Buffer.from("0000291000000000000000", "hex");
  const asked = Buffer.concat([
    Buffer.from("123401000001000000000001", "hex"),
    Buffer.from("0378797a0000010001", "hex"),
  ]);
  const question = parseQuestion(Buffer.concat([asked, room]));
  assert.equal(question?.room, 4096);
  assert.ok(question);
  const reply = formatReply(question, { code: "ok", isFinal: true, answers: [], authority: [], additional: [] });
  assert.equal(reply.readUInt16BE(10), 1);
  assert.deepEqual(reply.subarray(-11), room);
  assert.equal(parseQuestion(asked)?.room, undefined, "it says so and there is none");
});

test("SRV of a service lists all ports with equal weight; ANY is empty", () => {
  const ports = [
    { name: "a", port: 1, protocol: "TCP" as const },
    { port: 2, protocol: "UDP" as const },
  ];
  const two = zoneOf([service("two", { clusterIP: "10.0.0.6", ports })], [], "cluster.local");
  const name = "two.one.svc.cluster.local";
  const { answers = [], additional } = lookUp(two, "cluster.local", { name, type: types.SRV }) ?? {};
  assert.deepEqual(
    answers.map((record) => record.type === "SRV" && [record.port, record.weight, record.target]),
    [
      [1, 50, name],
      [2, 50, name],
    ],
  );
  assert.equal(additional?.length, 2);
  assert.deepEqual(find("web.one.svc.cluster.local", 255), []);
});

test("a CNAME comes with the records of its target, if those are known", () => {
  const alias = { name: "alias.one.svc.cluster.local", type: "CNAME", target: "web.one.svc.cluster.local" };
  assert.deepEqual(find("alias.one.svc.cluster.local"), [
    alias,
    { name: "web.one.svc.cluster.local", type: "A", address: "10.0.0.5" },
  ]);
  assert.deepEqual(find("alias.one.svc.cluster.local", types.CNAME), [alias]);
  assert.equal((find("away.one.svc.cluster.local") as unknown[]).length, 1);
});
