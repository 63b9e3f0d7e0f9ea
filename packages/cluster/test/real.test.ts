import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Deployment } from "@capstan/kinds/apps/v1";
import { Pod, Service } from "@capstan/kinds/v1";
import { buildTestImages } from "@capstan/kubernetes";
import { loadArchive, openStore } from "@capstan/oci";
import type { Store } from "@capstan/oci";
import { startCluster } from "@capstan/cluster";
import type { RealCluster } from "@capstan/cluster";
import { until } from "./until.ts";

const run = promisify(execFile);
const namespace = "default";
const memcached = "capstan.test/memcached:1.6";
const busybox = "capstan.test/busybox:1";

const askVersion = "exec 3<>/dev/tcp/cache/11211; echo version >&3; head -n 1 <&3";

async function testImages(folder: string): Promise<Store> {
  const store = await openStore(join(folder, "images"));
  for (const { archive } of await buildTestImages({ only: ["busybox", "memcached"] }))
    await loadArchive(archive, store);
  return store;
}

describe("a cluster with real pods", () => {
  let folder = "";
  let cluster: RealCluster;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "real-"));
    cluster = await startCluster({ pods: "real", images: await testImages(folder) });
  });

  after(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("programs on this machine can enter the network and use service names", async () => {
    const { client, network } = cluster;
    const labels = { app: "cache" };
    await client.create(Deployment, {
      metadata: { name: "cache", namespace },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "memcached", image: memcached, ports: [{ containerPort: 11_211 }] }] },
        },
      },
    });
    await client.create(Service, {
      metadata: { name: "cache", namespace },
      spec: { selector: labels, ports: [{ port: 11_211 }] },
    });
    await until(
      "two servers are available",
      async () => (await client.get(Deployment, { namespace, name: "cache" })).status?.availableReplicas === 2,
      180_000,
    );
    const [program = "", ...args] = network.enter(["bash", "-c", askVersion]);
    let failure = "";
    const ask = async (): Promise<string | false> => {
      const { stdout } = await run(program, args, { timeout: 60_000 }).catch((error: Error) => {
        failure = error.message;
        return { stdout: "" };
      });
      return stdout.startsWith("VERSION") && stdout;
    };
    const version = await until("the service answers", ask, 180_000).catch(() => assert.fail(failure));
    assert.match(version, /^VERSION 1\./);
  });

  test("a pod has the token of its account and reaches the API server by its name", async () => {
    const { client } = cluster;
    const script = [
      "cd /var/run/secrets/kubernetes.io/serviceaccount",
      "cat namespace && test -s token && test -s ca.crt && nslookup kubernetes.default.svc.cluster.local",
      "nc -w 60 kubernetes.default.svc 443 </dev/null && echo reached",
    ].join("\n");
    await client.create(Pod, {
      metadata: { name: "inside", namespace },
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: busybox, command: ["sh", "-ec", script] }] },
    });
    const pod = await until(
      "the pod has ended",
      async () => {
        const seen = await client.get(Pod, { namespace, name: "inside" });
        return (seen.status?.phase === "Succeeded" || seen.status?.phase === "Failed") && seen;
      },
      180_000,
    );
    const log = await client.logs({ namespace, name: "inside" }).text();
    assert.equal(pod.status?.phase, "Succeeded", log);
    assert.match(log, /^default/);
    assert.match(log, /10\.0\.0\.1\n[^]*reached/);
  });

  test("the usage of pods is measured on request", async () => {
    const { client } = cluster;
    const command = ["sh", "-c", "while :; do :; done"];
    await client.create(Pod, {
      metadata: { name: "busy", namespace },
      spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image: busybox, command }] },
    });
    const usage = await until(
      "the use is known",
      async () => {
        const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods/busy`;
        const answer = await cluster.fetch(new Request(`http://cluster${path}`));
        if (answer.status !== 200) return false;
        const metrics = (await answer.json()) as {
          readonly containers: readonly { readonly usage: { readonly cpu: string } }[];
        };
        const { cpu = "0n" } = metrics.containers[0]?.usage ?? {};
        return Number.parseInt(cpu, 10) > 0 && cpu;
      },
      180_000,
    );
    assert.match(usage, /^\d+n$/);
    await client.delete(Pod, { namespace, name: "busy" });
  });
});
