/** @kubernetes/client-node on the embedded server: an informer sees every change exactly once. */
import assert from "node:assert/strict";
import { once, EventEmitter } from "node:events";
import { test } from "node:test";
import { startApiServer, toKubeconfig } from "../src/index.ts";
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from "@kubernetes/client-node";

const namespace = "default";

test("an informer of @kubernetes/client-node 2 lists, watches and reconnects", async () => {
  await using server = await startApiServer({ listen: { port: 0 } });
  const config = new KubeConfig();
  config.loadFromString(toKubeconfig(server));
  const core = config.makeApiClient(CoreV1Api);
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "first" }, data: { a: "1" } } });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const informer = makeInformer<V1ConfigMap>(config, path, () => core.listNamespacedConfigMap({ namespace }));
  const heard: string[] = [];
  const news = new EventEmitter();
  for (const verb of ["add", "update", "delete"] as const) {
    informer.on(verb, ({ metadata, data }) => {
      heard.push(`${verb} ${metadata?.name} ${data?.["a"]}`);
      news.emit("heard");
    });
  }
  // The user of the informer has to restart a watch that ends with an error.
  let isOver = false;
  informer.on("error", () => void (isOver ? undefined : informer.start()));
  const until = async (what: string): Promise<void> => {
    while (!heard.includes(what)) await once(news, "heard");
  };
  await informer.start();
  try {
    await until("add first 1");
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "second" }, data: { a: "1" } } });
    await until("add second 1");
    await core.replaceNamespacedConfigMap({
      name: "first",
      namespace,
      body: { metadata: { name: "first" }, data: { a: "2" } },
    });
    await until("update first 2");
    await core.deleteNamespacedConfigMap({ name: "second", namespace });
    await until("delete second 1");
    assert.deepEqual(heard, ["add first 1", "add second 1", "update first 2", "delete second 1"]);
    // Restoring compacts the history and ends all watches: the informer has to list again.
    server.restore(server.snapshot());
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "third" }, data: { a: "3" } } });
    await until("add third 3");
    assert.equal(informer.get("first", namespace)?.data?.["a"], "2");
    assert.equal(informer.get("second", namespace), undefined);
  } finally {
    isOver = true;
    await informer.stop();
  }
});
