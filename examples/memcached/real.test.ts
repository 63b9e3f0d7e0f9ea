/** Examples as programs on a real Kubernetes: they behave as on the embedded server. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { askApi, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import type { TestCluster } from "@capstan/kubernetes";

interface Stage {
  readonly cluster: TestCluster;
  /** The server's response for a path, if there is an object. */
  readonly get: (path: string) => Promise<Tree | undefined>;
  readonly ask: (
    method: Method,
    path: string,
    body?: object,
  ) => Promise<{ readonly status: number; readonly body: unknown }>;
  /** Retries until it succeeds: right after the start the server may not serve the kind yet. */
  readonly send: (method: Method, path: string, body?: object) => Promise<void>;
  readonly until: <T>(look: () => Promise<T | undefined | false>, what: string) => Promise<T>;
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** The common fields of pods and Deployments that the tests read. */
interface Servers {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly containers: readonly { readonly image: string }[];
    readonly template?: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
}

interface Tree {
  readonly [name: string]: never;
}

/** Starts an example with a cluster, in a separate namespace, and stops it again. */
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
    const end = Date.now() + 180_000;
    for (;;) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      assert.ok(Date.now() < end, `waited in vain for ${what}\n${lines.join("")}`);
      await delay(50);
    }
  };
  const ask = (method: Method, path: string, body?: object) =>
    askApi(credentials, {
      method,
      path,
      ...(body === undefined ? {} : { body }),
      ...(method === "PATCH" ? { contentType: "application/merge-patch+json" } : {}),
    });
  const get = async (path: string): Promise<Tree | undefined> => {
    const { status, body } = await ask("GET", path);
    return status === 200 ? (body as Tree) : undefined;
  };
  const send = async (method: Method, path: string, body?: object): Promise<void> => {
    await until(async () => (await ask(method, path, body)).status < 300, `${method} ${path}`);
  };
  return { cluster, ask, get, send, until };
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

  test("04: an object stays until its cleanup has run", async (t) => {
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
    assert.deepEqual(held, ["example.com/bucket-bucket"]);
    await send("DELETE", `${path}/photos`);
    await until(async () => (await get(`${path}/photos`)) === undefined, "the object to go");
  });

  test("memcached: pods follow size and image, and invalid sizes are rejected", async (t) => {
    const { cluster, ask, get, send, until } = await start(t, "memcached");
    const { namespace } = cluster;
    const path = `/apis/cache.example.com/v1alpha1/namespaces/${namespace}/memcacheds`;
    const object = (spec: object) => ({
      apiVersion: "cache.example.com/v1alpha1",
      kind: "Memcached",
      metadata: { name: "cache" },
      spec,
    });
    const pods = async (): Promise<readonly Servers[]> =>
      ((await get(`/api/v1/namespaces/${namespace}/pods`)) as { items?: Servers[] } | undefined)?.items ?? [];
    const listed = (names: readonly Servers[]) => names.map(({ metadata }) => metadata.name).sort();
    const follows = (size: number, image: string) =>
      until(async () => {
        const { status } = ((await get(`${path}/cache`)) ?? {}) as { status?: { nodes?: string[] } };
        const found = (await pods()).filter(({ spec }) => spec.containers[0]?.image === image);
        return found.length === size && isDeepStrictEqual(status?.nodes, listed(await pods())) && found;
      }, `${size} pods with ${image}, all in the status`);

    await send("POST", path, object({ size: 3 }));
    for (const size of [3, 5, 1]) {
      await send("PATCH", `${path}/cache`, { spec: { size } });
      assert.ok(listed(await follows(size, "memcached:1.6")).every((name) => name.startsWith("cache-")));
    }

    const refused = await ask("PATCH", `${path}/cache`, { spec: { size: 101 } });
    assert.equal(refused.status, 422);
    assert.match(JSON.stringify(refused.body), /at most 100 servers/);
    assert.equal((await ask("PATCH", `${path}/cache`, { spec: { size: -1 } })).status, 422);

    await send("PATCH", `${path}/cache`, { spec: { size: 2, image: "memcached:1.7" } });
    await until(async () => {
      const deployment = (await get(`/apis/apps/v1/namespaces/${namespace}/deployments/cache`)) as Servers | undefined;
      return deployment?.spec.template?.spec.containers[0]?.image === "memcached:1.7";
    }, "the new image in the Deployment");
    await until(
      async () => (await pods()).some(({ spec }) => spec.containers[0]?.image === "memcached:1.7"),
      "a new pod",
    );

    const { metadata } = ((await get(`${path}/cache`)) ?? {}) as { metadata?: { finalizers?: string[] } };
    assert.deepEqual(metadata?.finalizers, ["cache.example.com/memcached-memcached"]);
    await send("DELETE", `${path}/cache`);
    await until(async () => (await get(`${path}/cache`)) === undefined, "the object to go");
    assert.deepEqual(listed(await pods()), [], "no server outlives its Memcached");
  });

  test("memcached: a name longer than a label can be", async (t) => {
    const { cluster, get, send, until } = await start(t, "memcached");
    const { namespace } = cluster;
    const path = `/apis/cache.example.com/v1alpha1/namespaces/${namespace}/memcacheds`;
    const name = "m".repeat(253);
    await send("POST", path, {
      apiVersion: "cache.example.com/v1alpha1",
      kind: "Memcached",
      metadata: { name },
      spec: { size: 1 },
    });
    await until(async () => {
      const { status } = ((await get(`${path}/${name}`)) ?? {}) as { status?: { nodes?: string[] } };
      return status?.nodes?.length === 1;
    }, "its pod in the status");
    await send("DELETE", `${path}/${name}`);
    await until(async () => (await get(`${path}/${name}`)) === undefined, "the object to go");
  });
});
