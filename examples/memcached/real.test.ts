/** Examples as programs on a real Kubernetes: what they promise on the embedded server they keep there. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { askApi, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import type { TestCluster } from "@capstan/kubernetes";

interface Stage {
  readonly cluster: TestCluster;
  /** What the server answers at a path, if it has something there. */
  readonly get: (path: string) => Promise<Tree | undefined>;
  readonly send: (method: "POST" | "DELETE", path: string, body?: object) => Promise<void>;
  readonly until: <T>(look: () => Promise<T | undefined | false>, what: string) => Promise<T>;
}

interface Tree {
  readonly [name: string]: never;
}

/** Starts an example with a cluster, in a namespace of its own, and stops it again. */
async function start(t: TestContext, example: string): Promise<Stage> {
  const cluster = await useKubernetes(t);
  const main = fileURLToPath(new URL(`../${example}/main.ts`, import.meta.url));
  const flags = [
    `--kubeconfig=${cluster.kubeconfig}`,
    `--namespaces=${cluster.namespace}`,
    "--health-probe-bind-address=0",
  ];
  const program = spawn(process.execPath, ["--conditions=@capstan/source", main, ...flags], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const lines: string[] = [];
  program.stderr.setEncoding("utf8").on("data", (text: string) => lines.push(text));
  t.after(async () => {
    const exited = once(program, "exit");
    program.kill("SIGTERM");
    assert.deepEqual(await exited, [0, null], lines.join(""));
  });
  const { credentials } = cluster;
  const until = async <T>(look: () => Promise<T | undefined | false>, what: string): Promise<T> => {
    const end = Date.now() + 60_000;
    for (;;) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      assert.ok(Date.now() < end, `waited in vain for ${what}\n${lines.join("")}`);
      await delay(50);
    }
  };
  const ask = (method: "GET" | "POST" | "DELETE", path: string, body?: object) =>
    askApi(credentials, { method, path, ...(body === undefined ? {} : { body }) });
  const get = async (path: string): Promise<Tree | undefined> => {
    const { status, body } = await ask("GET", path);
    return status === 200 ? (body as Tree) : undefined;
  };
  const send = async (method: "POST" | "DELETE", path: string, body?: object): Promise<void> => {
    // Right after the start the server may not serve the kind yet.
    await until(async () => (await ask(method, path, body)).status < 300, `${method} ${path}`);
  };
  return { cluster, get, send, until };
}

describe("on a real Kubernetes", { skip: kubernetesMissing() }, () => {
  test("01: a greeting becomes a config map", async (t) => {
    const { cluster, get, send, until } = await start(t, "01-minimal");
    const { namespace } = cluster;
    const object = {
      apiVersion: "example.com/v1",
      kind: "Greeting",
      metadata: { name: "first" },
      spec: { to: "world" },
    };
    await send("POST", `/apis/example.com/v1/namespaces/${namespace}/greetings`, object);
    const made = await until(() => get(`/api/v1/namespaces/${namespace}/configmaps/first`), "the ConfigMap");
    assert.deepEqual(made["data"], { text: "Hello, world" });
  });

  test("04: an object stays until its cleanup has run, and then it goes", async (t) => {
    const { cluster, get, send, until } = await start(t, "04-cleanup");
    const path = `/apis/example.com/v1/namespaces/${cluster.namespace}/buckets`;
    const object = {
      apiVersion: "example.com/v1",
      kind: "Bucket",
      metadata: { name: "photos" },
      spec: { region: "north" },
    };
    await send("POST", path, object);
    const held = await until(async () => {
      const { metadata } = ((await get(`${path}/photos`)) ?? {}) as { metadata?: { finalizers?: string[] } };
      return metadata?.finalizers;
    }, "the finalizer");
    assert.deepEqual(held, ["example.com/bucket"]);
    await send("DELETE", `${path}/photos`);
    await until(async () => (await get(`${path}/photos`)) === undefined, "the object to go");
  });

  test("memcached: pods are made by Kubernetes and named in the status", async (t) => {
    const { cluster, get, send, until } = await start(t, "memcached");
    const path = `/apis/cache.example.com/v1alpha1/namespaces/${cluster.namespace}/memcacheds`;
    const head = { apiVersion: "cache.example.com/v1alpha1", kind: "Memcached" };
    await send("POST", path, { ...head, metadata: { name: "cache" }, spec: { size: 3 } });
    const nodes = await until(async () => {
      const { status } = ((await get(`${path}/cache`)) ?? {}) as { status?: { nodes?: string[] } };
      return status?.nodes?.length === 3 && status.nodes;
    }, "three pods in the status");
    assert.ok(nodes.every((name) => name.startsWith("cache-")));
  });
});
