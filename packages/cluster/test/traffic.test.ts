/** Where services with a traffic policy send connections, on two nodes. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { Node, Pod, Service, type ServiceSpec } from "@capstan/kinds/v1";
import { buildTestImages } from "@capstan/kubernetes";
import { loadArchive, openStore } from "@capstan/oci";
import { startCluster, type RealCluster } from "@capstan/cluster";
import { until } from "./until.ts";

const namespace = "default";
const image = "capstan.test/busybox:1";
const nodes = ["node-1", "node-2"];

describe("services on two nodes", () => {
  let folder = "";
  let cluster: RealCluster;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "traffic-"));
    const images = await openStore(join(folder, "images"));
    for (const { archive } of await buildTestImages({ only: ["busybox"] })) await loadArchive(archive, images);
    cluster = await startCluster({ pods: "real", nodes: 2, images });
    for (const [index, nodeName] of nodes.entries()) {
      const labels = { "topology.kubernetes.io/zone": `zone-${index}` };
      await cluster.client.patch(Node, { name: nodeName }, { merge: { metadata: { labels } } });
      const serve = `mkdir /www; echo ${nodeName} > /www/name; exec httpd -f -p 8080 -h /www`;
      await makePod(`server-${index}`, nodeName, serve);
      await makePod(`visitor-${index}`, nodeName, "exec sleep 10000");
    }
    const allRun = async (): Promise<boolean> => {
      const { items } = await cluster.client.list(Pod, { namespace }).all();
      return items.length === 4 && items.every(({ status }) => status?.phase === "Running");
    };
    await until("all pods run", allRun, 120_000);
  });

  after(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const makePod = (name: string, nodeName: string, script: string): Promise<unknown> =>
    cluster.client.create(Pod, {
      metadata: { name, namespace, labels: { part: name.split("-")[0] ?? "" } },
      spec: {
        nodeName,
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "main", image, command: ["sh", "-c", script] }],
      },
    });

  const expose = (name: string, spec: Partial<ServiceSpec>): Promise<unknown> => {
    const ports = [{ port: 80, targetPort: 8080 }];
    return cluster.client.create(Service, {
      metadata: { name, namespace },
      spec: { selector: { part: "server" }, ports, ...spec },
    });
  };

  /** The output of a command in the client pod of a node. */
  const inside = async (index: number, script: string): Promise<string> => {
    const node = cluster.nodes[index];
    const life = node?.find(namespace, `visitor-${index}`)?.situation.containers.get("main")?.life;
    assert.equal(life?.is, "running");
    const { output = "" } = (await node?.runtime.exec(life.id, ["sh", "-c", script], 60_000)) ?? {};
    return output.trim();
  };
  const request = "printf 'GET /name HTTP/1.0\\r\\n\\r\\n' | nc -w";

  /** Waits until each node gets the expected responses, then checks that it gets no others. An unanswered request waits for the timeout. */
  const answersAre = async (
    host: string,
    expected: readonly string[],
    { times = 10, patience = 20 } = {},
  ): Promise<void> => {
    const script = `for i in $(seq ${times}); do ${request} ${patience} ${host} 80 2>/dev/null | tail -n 1; done | sort | uniq`;
    const look = (): Promise<readonly string[]> => Promise.all(nodes.map((_node, index) => inside(index, script)));
    await until(`${host} is answered`, async () => (await look()).join() === expected.join(), 120_000);
    assert.deepEqual(await look(), expected);
  };

  test("internalTrafficPolicy: Local keeps connections on their node", async () => {
    await expose("local", { internalTrafficPolicy: "Local" });
    await answersAre("local", nodes);
  });

  test("trafficDistribution prefers endpoints of the zone or node while there are any", async () => {
    for (const wish of ["PreferClose", "PreferSameZone", "PreferSameNode"] as const) {
      const host = wish.toLowerCase();
      await expose(host, { trafficDistribution: wish });
      const hints = await until("there are hints", async () => {
        const labelSelector = `kubernetes.io/service-name=${host}`;
        const { items } = await cluster.client.list(EndpointSlice, { namespace, labelSelector }).all();
        const found = (items[0]?.endpoints ?? []).map(({ nodeName = "", hints: own }) => ({ nodeName, own }));
        return found.length === 2 && found.toSorted((a, b) => (a.nodeName < b.nodeName ? -1 : 1));
      });
      const expected = nodes.map((nodeName, index) => ({
        nodeName,
        own: {
          forZones: [{ name: `zone-${index}` }],
          ...(wish === "PreferSameNode" ? { forNodes: [{ name: nodeName }] } : {}),
        },
      }));
      assert.deepEqual(hints, expected);
      await answersAre(host, nodes);
    }
  });

  test("a local service fails on a node without endpoints, other policies fall back", async () => {
    await cluster.client.delete(Pod, { namespace, name: "server-1", gracePeriodSeconds: 0 });
    await answersAre("prefersamenode", ["node-1", "node-1"]);
    await answersAre("local", ["node-1", ""], { times: 1, patience: 8 });
  });

  test("a name without an address of a family exists with an empty answer", async () => {
    const look = (name: string): Promise<string> =>
      inside(0, `nslookup -type=AAAA ${name}.default.svc.cluster.local 2>&1`);
    assert.doesNotMatch(await look("local"), /NXDOMAIN/);
    assert.match(await look("nobody"), /NXDOMAIN/);
  });
});
