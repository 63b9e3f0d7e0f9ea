/** A node that runs real containers: workloads, names, services, volumes, exec and logs. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";

import { buildNodeImage, buildTestImages, callApi, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import type { TestCluster } from "@capstan/kubernetes";

import { programPath } from "../src/build.ts";
import { kubernetesProgram } from "../src/go-module.ts";

const skip = kubernetesMissing();
const execute = promisify(execFile);

async function kubectl(cluster: TestCluster, ...args: string[]): Promise<string> {
  const program = programPath(kubernetesProgram("kubectl", "1.36.3"));
  const common = ["--kubeconfig", cluster.kubeconfig, "--namespace", cluster.namespace];
  return (await execute(program, [...common, ...args])).stdout;
}

async function create(cluster: TestCluster, path: string, object: object): Promise<void> {
  await callApi(cluster.credentials, { method: "POST", path, body: object });
}

function pod(name: string, container: object, volumes: object[] = []): object {
  const containers = [{ name: "main", ...container }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers, volumes } };
}

const memcached = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "memcached" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "memcached" } },
    template: {
      metadata: { labels: { app: "memcached" } },
      spec: {
        containers: [
          {
            name: "memcached",
            image: "capstan.test/memcached:1.6",
            args: ["memcached", "-vv"],
            ports: [{ containerPort: 11_211 }],
            readinessProbe: { tcpSocket: { port: 11_211 }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};

test("a Deployment becomes available and a pod reaches its Service by name", { skip }, async (t) => {
  await using cluster = await useKubernetes(t, { node: true });
  const { namespace } = cluster;
  const images = await buildTestImages({ only: ["memcached", "busybox"] });
  await cluster.load(images.map((image) => image.archive));
  assert.match(await kubectl(cluster, "get", "nodes"), /^node-1\s+Ready/m);
  await create(cluster, `/apis/apps/v1/namespaces/${namespace}/deployments`, memcached);
  await create(cluster, `/api/v1/namespaces/${namespace}/services`, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "memcached" },
    spec: { selector: { app: "memcached" }, ports: [{ port: 11_211 }] },
  });
  const shell = pod("shell", { image: "capstan.test/busybox:1", command: ["sleep", "3600"] });
  await create(cluster, `/api/v1/namespaces/${namespace}/pods`, shell);
  await kubectl(cluster, "wait", "--for=condition=Available", "deployment/memcached", "--timeout=300s");
  await kubectl(cluster, "wait", "--for=condition=Ready", "pod/shell", "--timeout=300s");
  // Names and rules come into force a moment after the pods are ready.
  const known = "until nc memcached 11211 </dev/null; do sleep 0.2; done";
  await kubectl(cluster, "exec", "shell", "--", "timeout", "120", "sh", "-c", known);
  const talk = String.raw`printf 'set k 0 0 5\r\nhello\r\nget k\r\nquit\r\n' | nc memcached 11211`;
  assert.equal(
    await kubectl(cluster, "exec", "shell", "--", "sh", "-c", talk),
    "STORED\r\nVALUE k 0 5\r\nhello\r\nEND\r\n",
  );
  // Of several pods, kubectl shows the last lines only, and every probe writes some.
  assert.match(await kubectl(cluster, "logs", "--selector=app=memcached", "--tail=-1"), /set k 0 0 5/);
});

test("a claim is bound to a folder that outlives its pod and goes with the claim", { skip }, async (t) => {
  await using cluster = await useKubernetes(t, { node: true });
  const pods = `/api/v1/namespaces/${cluster.namespace}/pods`;
  await cluster.load((await buildTestImages({ only: ["busybox"] })).map((image) => image.archive));
  await create(cluster, `/api/v1/namespaces/${cluster.namespace}/persistentvolumeclaims`, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Mi" } } },
  });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  const withData = (command: string): object => ({
    image: "capstan.test/busybox:1",
    command: ["sh", "-c", command],
    volumeMounts: [{ name: "data", mountPath: "/data" }],
  });
  await create(cluster, pods, pod("writer", withData("sleep 3600"), volumes));
  await kubectl(cluster, "wait", "--for=condition=Ready", "pod/writer", "--timeout=300s");
  await kubectl(cluster, "exec", "writer", "--", "sh", "-c", "echo kept >/data/file");
  const volume = (await kubectl(cluster, "get", "pvc", "data", "--output=jsonpath={.spec.volumeName}")).trim();
  assert.match(await kubectl(cluster, "get", "pv", volume), /Bound/);
  await kubectl(cluster, "delete", "pod", "writer", "--grace-period=1");
  await create(cluster, pods, pod("reader", withData("sleep 3600"), volumes));
  await kubectl(cluster, "wait", "--for=condition=Ready", "pod/reader", "--timeout=300s");
  assert.equal(await kubectl(cluster, "exec", "reader", "--", "cat", "/data/file"), "kept\n");
  await kubectl(cluster, "delete", "pod", "reader", "--grace-period=1");
  await kubectl(cluster, "delete", "pvc", "data");
  await kubectl(cluster, "wait", "--for=delete", `pv/${volume}`, "--timeout=300s");
});

test("a Node program runs as an image and reaches the API server from its pod", { skip }, async (t) => {
  await using cluster = await useKubernetes(t, { node: true });
  const folder = await mkdtemp(join(tmpdir(), "capstan-image-"));
  t.after(async () => rm(folder, { recursive: true }));
  const program = join(folder, "program.mjs");
  writeFileSync(
    program,
    `import { readFileSync } from "node:fs";
     import { get } from "node:https";
     const account = "/var/run/secrets/kubernetes.io/serviceaccount";
     const ca = readFileSync(account + "/ca.crt");
     const headers = { authorization: "Bearer " + readFileSync(account + "/token", "utf8") };
     get("https://kubernetes.default.svc/version", { ca, headers }, (response) => response.pipe(process.stdout));`,
  );
  const archive = join(folder, "program.tar");
  const image = "capstan.test/program:1";
  await buildNodeImage({ reference: image, program, archive });
  await cluster.load([archive]);
  await create(cluster, `/api/v1/namespaces/${cluster.namespace}/pods`, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "program" },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image }] },
  });
  await kubectl(cluster, "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/program", "--timeout=300s");
  assert.match(await kubectl(cluster, "logs", "program"), /"gitVersion": "v1\.36\.3"/);
});

test("etcd of three minor versions runs and is healthy", { skip }, async (t) => {
  await using cluster = await useKubernetes(t, { node: true });
  const images = await buildTestImages({ only: ["etcd-3.5", "etcd-3.6", "etcd-3.7"] });
  await cluster.load(images.map((image) => image.archive));
  for (const { name, reference: image } of images) {
    const podName = name.replace(".", "-");
    await create(cluster, `/api/v1/namespaces/${cluster.namespace}/pods`, pod(podName, { image }));
    await kubectl(cluster, "wait", "--for=condition=Ready", `pod/${podName}`, "--timeout=300s");
    const version = await kubectl(cluster, "exec", podName, "--", "etcd", "--version");
    assert.match(version, new RegExp(`^etcd Version: ${image.split(":")[1]}$`, "m"));
    const healthy = "until etcdctl endpoint health; do sleep 0.2; done; etcdctl put k v && etcdctl get k";
    assert.match(await kubectl(cluster, "exec", podName, "--", "sh", "-c", healthy), /OK\nk\nv\n$/);
    await kubectl(cluster, "delete", "pod", podName, "--grace-period=1", "--wait=false");
  }
});

test("a file that is not an OCI archive is rejected by name", { skip }, async (t) => {
  await using cluster = await useKubernetes(t, { node: true });
  const folder = await mkdtemp(join(tmpdir(), "capstan-image-"));
  t.after(async () => rm(folder, { recursive: true }));
  const archive = join(folder, "wrong.tar");
  writeFileSync(archive, "this is not a tar");
  await assert.rejects(cluster.load([archive]), { code: "bad-archive" });
  await assert.rejects(cluster.load([join(folder, "missing.tar")]), { code: "bad-archive" });
});
